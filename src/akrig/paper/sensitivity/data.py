"""Averaged metrics of a sensitivity study, by factor, value and field, and whether the paper's advice holds."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

import numpy as np

from akrig.metrics import averaged
from akrig.paper.sensitivity.figure import Dependence
from akrig.paper.writing import signed
from akrig.study.results import Results
from akrig.study.summary import CALIBRATION, ERRORS, Score, curve_of
from akrig.words import joined, plural

METRIC = "msll"
SMALL = 0.02  # of MSLL: less is no difference that one would choose a value for


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


@dataclass(frozen=True)
class Verdict:
    """On the advice about one factor.

    Args:
        means: MSLL by value, over all fields.
        advised, poor: values that follow the advice, and those that it warns of.
        gains: by how much MSLL is lower with the former than with the latter, by field.
    """

    factor: str
    means: dict[float, float]
    advised: list[float]
    poor: list[float]
    gains: dict[str, float]

    @property
    def best(self) -> float:
        return min(self.means, key=self.means.__getitem__)

    @property
    def gain(self) -> float:
        return fmean(self.gains.values())

    @property
    def holds(self) -> bool:
        """On every field, and by more than a trifle."""
        return self.gain > SMALL and all(gain > 0 for gain in self.gains.values())

    @property
    def spread(self) -> float:
        """How much it matters which of the advised values one takes."""
        chosen = [self.means[value] for value in self.advised]
        return max(chosen) - min(chosen)

    def __str__(self) -> str:
        wanted = FACTORS[self.factor]
        helped = sum(gain > 0 for gain in self.gains.values())
        best = f"the best is {self.best:g} (mean MSLL over fields {signed(self.means[self.best])})"
        verb = "is" if len(self.advised) == 1 else "are"
        direction = "better" if self.gain >= 0 else "worse"
        compared = (
            f"{_listed(self.advised)} {verb} {direction} than {_listed(self.poor)} by "
            f"{signed(abs(self.gain), digits=3)} on average, "
            f"and better on {helped} of {plural(len(self.gains), 'field')}"
        )
        within = f" Among the advised values MSLL varies by {signed(self.spread, digits=3)}." * (len(self.advised) > 1)
        return f"{wanted.title}: {best}; {compared}. {self._judgement(wanted.advice)}{within}"

    def _judgement(self, advice: str) -> str:
        if self.holds:
            return f"The paper's advice, {advice}, holds."
        against = [field for field, gain in self.gains.items() if gain <= 0]
        if self.gain > SMALL:
            return f"The paper's advice, {advice}, holds on average, but not on {joined(against)}."
        if self.gain > -SMALL:
            return f"The paper's advice, {advice}, does no harm, but it hardly matters here."
        return f"The paper's advice, {advice}, does not hold here."


def advice_verdict(sensitivity: Sensitivity, factor: str) -> Verdict | None:
    """Nothing unless some values follow the advice, some do not, and all fields have them."""
    means = {value: sensitivity.over_fields(factor, value, METRIC) for value in sensitivity.values(factor)}
    means = {value: mean for value, mean in means.items() if math.isfinite(mean)}
    advised = [value for value in means if FACTORS[factor].is_advised(value)]
    poor = [value for value in means if FACTORS[factor].is_poor(value)]
    if not advised or not poor:
        return None
    gains = {}
    for field in sensitivity.fields:
        groups = [[sensitivity.score(factor, value, field, METRIC) for value in group] for group in (poor, advised)]
        poorly, well = ([score.mean for score in group if score is not None] for group in groups)
        gains[field] = fmean(poorly) - fmean(well)
    return Verdict(factor, means, advised, poor, gains)


def overall(verdicts: list[Verdict]) -> str:
    """One sentence for all factors."""
    if not verdicts:
        return "Too few runs are finished to say which values are best."
    held = [FACTORS[verdict.factor].advice for verdict in verdicts if verdict.holds]
    others = [FACTORS[verdict.factor].advice for verdict in verdicts if not verdict.holds]
    if not others:
        return f"The paper's advice holds on every field: {joined(held)}."
    if not held:
        return "None of the paper's advice holds on every field; see below."
    return f"Of the paper's advice, {joined(held)} holds on every field; not everywhere {joined(others)}: see below."


def _listed(values: list[float]) -> str:
    return joined([f"{value:g}" for value in values])
