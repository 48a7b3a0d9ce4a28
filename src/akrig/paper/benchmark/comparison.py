"""Our numbers beside the paper's: cell by cell, and in the ranking of kernels."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.stats import kendalltau

from akrig.study.summary import ERRORS, Key, Score

WITHIN = 3.0  # of the paper's standard deviations
_KERNELS = {"RBF": "rbf", "AK": "attentive", "Gibbs": "gibbs", "DKL": "deep"}


@dataclass(frozen=True)
class Published:
    """A number of the paper's tables: mean and standard deviation over ten seeds.

    Args:
        unit: of the last printed digit; the standard deviation has one digit, and the mean ends where it does.
    """

    mean: float
    std: float
    unit: float

    @property
    def spread(self) -> float:
        """The standard deviation; half a unit of the last digit where it was printed as zero."""
        return max(self.std, self.unit / 2)

    def __str__(self) -> str:
        decimals = max(0, round(-np.log10(self.unit)))
        return f"{self.mean:.{decimals}f} ± {self.std:.{decimals}f}".replace("-", "\u2212")


@cache
def published_scores() -> Mapping[Key, Published]:
    """The paper's tables 1 to 3, by our names."""
    text = files("akrig.paper.benchmark").joinpath("published_tables.csv").read_text(encoding="utf-8")
    numbers = {}
    for row in csv.DictReader(text.splitlines()):
        key = (row["strategy"], row["field"], _KERNELS[row["kernel"]], row["metric"].lower())
        decimals = len(row["std"].partition(".")[2])
        numbers[key] = Published(float(row["mean"]), float(row["std"]), 10.0**-decimals)
    return MappingProxyType(numbers)


@dataclass(frozen=True)
class Cell:
    """One of our numbers, and the paper's."""

    key: Key
    ours: Score
    theirs: Published

    @property
    def difference(self) -> float:
        return self.ours.mean - self.theirs.mean

    @property
    def z(self) -> float:
        """The difference in the paper's standard deviations; below zero is better than the paper."""
        return self.difference / self.theirs.spread

    @property
    def is_within(self) -> bool:
        return abs(self.z) <= WITHIN

    @property
    def least_z(self) -> float:
        """The smallest |z| that the rounding of the paper's mean and standard deviation allows."""
        half = self.theirs.unit / 2
        return max(0.0, abs(self.difference) - half) / (self.theirs.std + half)


@dataclass(frozen=True)
class Ranking:
    """Kernels from best to worst, in one metric on one field with one strategy."""

    strategy: str
    field: str
    metric: str
    ours: dict[str, float]
    theirs: dict[str, float]

    @cached_property
    def our_order(self) -> list[str]:
        return sorted(self.ours, key=self.ours.__getitem__)

    @cached_property
    def their_order(self) -> list[str]:
        return sorted(self.theirs, key=self.theirs.__getitem__)

    @property
    def same_best(self) -> bool:
        """Our best is the paper's, or one of them where it printed the same number twice."""
        return self.theirs[self.our_order[0]] == self.theirs[self.their_order[0]]

    @property
    def same_order(self) -> bool:
        """No two kernels change places; those to which the paper gives the same number have none."""
        theirs = [self.theirs[kernel] for kernel in self.our_order]
        return all(a <= b for a, b in pairwise(theirs))

    @property
    def tau(self) -> float:
        """Kendall's: 1 for the same order, -1 for the reverse."""
        found: Any = kendalltau([self.ours[kernel] for kernel in self.theirs], list(self.theirs.values()))
        return float(found.statistic)


def compare(scores: Mapping[Key, Score]) -> list[Cell]:
    """All that the paper's tables have too, in their order."""
    return [Cell(key, scores[key], theirs) for key, theirs in published_scores().items() if key in scores]


def rankings(cells: Sequence[Cell]) -> list[Ranking]:
    """Of each field, strategy and metric of which at least two kernels can be compared."""
    groups: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in cells:
        strategy, field, _, metric = cell.key
        groups.setdefault((strategy, field, metric), []).append(cell)
    return [
        Ranking(*group, {c.key[2]: c.ours.mean for c in members}, {c.key[2]: c.theirs.mean for c in members})
        for group, members in groups.items()
        if len(members) > 1
    ]


def best_kernels(scores: Mapping[Key, Score], reference: str) -> dict[tuple[str, str, str], str]:
    """The best kernel by strategy, field and metric of the paper's tables, where the reference and others are."""
    groups: dict[tuple[str, str, str], dict[str, float]] = {}
    for (strategy, field, kernel, metric), score in scores.items():
        if metric in ERRORS:
            groups.setdefault((strategy, field, metric), {})[kernel] = score.mean
    return {
        group: min(means, key=means.__getitem__)
        for group, means in groups.items()
        if reference in means and len(means) > 1
    }
