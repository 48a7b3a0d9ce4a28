"""Everything that the benchmark's tables, figures and sentences are made of."""

from dataclasses import dataclass
from functools import cached_property

import xarray as xr

from akrig.config.names import flattened
from akrig.config.presets import PRESETS
from akrig.metric_parts import METRICS, MetricPart, metrics_of
from akrig.paper.benchmark.comparison import Cell, Ranking, compare, rankings
from akrig.parts import label_of
from akrig.study.definition import Study
from akrig.study.pairing import Pairing, pairings, reference_kernel
from akrig.study.results import Results
from akrig.study.summary import (
    AXES,
    CALIBRATION,
    ERRORS,
    Curve,
    Key,
    Score,
    averages,
    mean_curves,
    own_metrics_in,
    scores,
)

CURVES = {name: METRICS[name].label for name in ("smse", "msll")}
_BESIDE = ("preset", "seed", *(f"{axis}.name" for axis in AXES))  # settings that the paper's experiment has too


@dataclass(frozen=True)
class Benchmark:
    study: Study
    results: Results

    @cached_property
    def defaults(self) -> dict[str, str]:
        """Labels of what the study does not vary."""
        given = {axis: self.study.base.get(axis) for axis in AXES}
        names = {axis: value.get("name") if isinstance(value, dict) else value for axis, value in given.items()}
        return {axis: "default" if name is None else label_of(str(name)) for axis, name in names.items()}

    @cached_property
    def table(self) -> xr.DataArray:
        return averages(self.results, defaults=self.defaults)

    @cached_property
    def scores(self) -> dict[Key, Score]:
        return scores(self.table)

    @cached_property
    def curves(self) -> dict[Key, Curve]:
        return mean_curves(self.results, CURVES, defaults=self.defaults)

    def names(self, axis: str) -> list[str]:
        return [str(name) for name in self.table[axis].values]

    @cached_property
    def metrics(self) -> list[str]:
        """Of the paper's tables."""
        return [metric for metric in ERRORS if metric in self.table["metric"]]

    @cached_property
    def calibration_metrics(self) -> list[str]:
        return [metric for metric in CALIBRATION if metric in self.table["metric"]]

    @cached_property
    def own_metrics(self) -> list[str]:
        return own_metrics_in(self.results)

    def entry(self, metric: str) -> MetricPart:
        return metrics_of([metric], self.study.base)[0]

    def kernels_of(self, strategy: str, field: str) -> list[str]:
        """Those with results there."""
        present = {key[2] for key in self.scores if key[:2] == (strategy, field)}
        return [kernel for kernel in self.names("kernel") if kernel in present]

    @cached_property
    def reference(self) -> str:
        """The kernel that all others are compared with."""
        return reference_kernel(self.names("kernel"))

    @cached_property
    def cells(self) -> list[Cell]:
        """Nothing unless the study has the paper's settings."""
        return compare(self.scores) if self.study.base.get("preset") == "paper" else []

    @cached_property
    def cell_at(self) -> dict[Key, Cell]:
        return {cell.key: cell for cell in self.cells}

    @cached_property
    def rankings(self) -> list[Ranking]:
        return rankings(self.cells)

    @cached_property
    def pairings(self) -> list[Pairing]:
        return pairings(self.table, self.reference)

    def number_of(self, strategy: str) -> int:
        """Of its table: the same whether other strategies have results yet or not."""
        strategies = self.study.axes.get("strategy", self.names("strategy"))
        return strategies.index(strategy) + 1

    @cached_property
    def changed(self) -> list[str]:
        """Settings that the paper's experiment did not have, in any of the runs."""
        paper = flattened(PRESETS["paper"])
        changed: dict[str, None] = {}
        for specification in self.study.specifications():
            settings = dict(specification.settings)
            if isinstance(settings.get("budget"), int):
                settings["budget"] = {"readings": settings["budget"]}
            for name, value in flattened(settings).items():
                if name not in _BESIDE and not name.startswith("scoring.") and paper.get(name) != value:
                    changed[name] = None
        return list(changed)
