"""Averaged metrics of a sensitivity study, by factor, value and field."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from akrig.metrics import averaged
from akrig.paper.sensitivity.figure import Dependence
from akrig.study.results import Results
from akrig.study.summary import CALIBRATION, ERRORS, Score, curve_of


@dataclass(frozen=True)
class Factor:
    """A factor of the attentive kernel, and what the paper advises.

    Args:
        usual: its value in the benchmark.
        advice: the paper's, in words.
        is_advised: whether a value follows it.
        is_poor: whether the paper says that a value is worse.
    """

    title: str
    usual: float
    advice: str
    is_advised: Callable[[float], bool]
    is_poor: Callable[[float], bool]


FACTORS = {
    "kernel.num_lengthscales": Factor(
        "Number of lengthscales M", 10, "M of 5 or more", lambda value: value >= 5, lambda value: value < 5
    ),
    "kernel.hidden": Factor(
        "Hidden units H", 10, "more than two hidden units", lambda value: value > 2, lambda value: value <= 2
    ),
    "kernel.shortest": Factor(
        "Shortest lengthscale",
        0.01,
        "a shortest lengthscale of about 0.01",
        lambda value: value <= 0.01,
        lambda value: value > 0.01,
    ),
    "kernel.longest": Factor(
        "Longest lengthscale",
        0.5,
        "a longest lengthscale between 0.5 and 1",
        lambda value: 0.5 <= value <= 1.0,
        lambda value: value < 0.5,
    ),
}


class Sensitivity:
    """Each run belongs to the factor that its labels have a value of."""

    def __init__(self, results: Results) -> None:
        self._values: dict[tuple[str, float, str], dict[str, list[float]]] = {}
        for result in results:
            factor = next((axis for axis in result.labels if axis in FACTORS), None)
            if factor is None or not result.data.sizes.get("samples"):
                continue
            key = (factor, float(result.labels[factor]), result.labels.get("field", ""))
            found = self._values.setdefault(key, {})
            for metric in (*ERRORS, *CALIBRATION):
                if metric in result.data:
                    found.setdefault(metric, []).append(averaged(*curve_of(result.data, metric)))

    @cached_property
    def factors(self) -> list[str]:
        present = {factor for factor, _, _ in self._values}
        return [factor for factor in FACTORS if factor in present]

    @cached_property
    def fields(self) -> list[str]:
        return list(dict.fromkeys(field for _, _, field in self._values))

    @cached_property
    def metrics(self) -> list[str]:
        present = {metric for found in self._values.values() for metric in found}
        return [metric for metric in (*ERRORS, *CALIBRATION) if metric in present]

    def values(self, factor: str) -> list[float]:
        return sorted({value for found, value, _ in self._values if found == factor})

    def score(self, factor: str, value: float, field: str, metric: str) -> Score | None:
        """Over seeds."""
        seeds = self._values.get((factor, value, field), {}).get(metric)
        return Score.of(seeds) if seeds else None

    def over_fields(self, factor: str, value: float, metric: str) -> float:
        """The mean over fields; NaN unless all have it, since fields are not alike."""
        scores = [self.score(factor, value, field, metric) for field in self.fields]
        return float(np.mean([math.nan if score is None else score.mean for score in scores]))

    def dependence(self, factor: str, field: str, metric: str) -> Dependence | None:
        scores = {value: self.score(factor, value, field, metric) for value in self.values(factor)}
        known = {value: score for value, score in scores.items() if score is not None}
        if not known:
            return None
        means, stds = ([getattr(score, part) for score in known.values()] for part in ("mean", "std"))
        return Dependence(np.array(list(known)), np.array(means), np.array(stds))
