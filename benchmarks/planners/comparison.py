"""Is a contender better than the lawnmower on the same seeds? Paired tests, corrected over all cells."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import ttest_rel

from akrig.study.pairing import SIGNIFICANT, holm, signed_rank_p
from benchmarks.planners.surveys import LAWNMOWER, Row

METRICS = ("rmse", "msll")
Key = tuple[str, float, str]  # field, nominal metres, contender


@dataclass(frozen=True)
class Comparison:
    """One contender against the lawnmower, in one metric, on one field at one distance.

    Args:
        ours: by seed, in the order of `seeds`.
        wilcoxon: p of the signed-rank test, exact, two-sided; of n seeds it is never below 2 / 2**n.
        t: p of the paired t-test, two-sided.
        corrected: the former after Holm's correction over all cells of the metric and the contender.
    """

    key: Key
    metric: str
    seeds: tuple[int, ...]
    ours: np.ndarray
    theirs: np.ndarray
    wilcoxon: float
    t: float
    corrected: float = float("nan")

    @property
    def difference(self) -> float:
        return float((self.ours - self.theirs).mean())

    @property
    def ratio(self) -> float:
        """Of the means."""
        return float(self.ours.mean() / self.theirs.mean())

    @property
    def worst(self) -> float:
        """Of a single survey, the lawnmower of its seed being 1."""
        return float((self.ours / self.theirs).max())

    @property
    def won(self) -> int:
        return int((self.ours < self.theirs).sum())

    @property
    def is_win(self) -> bool:
        return self.corrected < SIGNIFICANT and self.difference < 0

    @property
    def is_loss(self) -> bool:
        return self.corrected < SIGNIFICANT and self.difference > 0


def cells(rows: Sequence[Row]) -> dict[Key, list[Row]]:
    """By field, distance and contender, in the order they come; seeds in theirs."""
    found: dict[Key, list[Row]] = {}
    for row in sorted(rows, key=lambda row: row["seed"]):
        found.setdefault((row["field"], row["nominal"], row["contender"]), []).append(row)
    order = {key: place for place, key in enumerate(dict.fromkeys((r["field"], r["nominal"]) for r in rows))}
    names = list(dict.fromkeys(row["contender"] for row in rows))
    return dict(sorted(found.items(), key=lambda item: (order[item[0][:2]], names.index(item[0][2]))))


def comparisons(rows: Sequence[Row]) -> list[Comparison]:
    """Of every contender with the lawnmower, over the seeds that both have; at least two."""
    found = cells(rows)
    made = [
        _compared(key, metric, mine, found[*key[:2], LAWNMOWER])
        for metric in METRICS
        for key, mine in found.items()
        if key[2] != LAWNMOWER and (*key[:2], LAWNMOWER) in found
    ]
    kept = [each for each in made if len(each.seeds) > 1]
    corrected: dict[int, float] = {}
    for family in {(each.metric, each.key[2]) for each in kept}:
        members = [place for place, each in enumerate(kept) if (each.metric, each.key[2]) == family]
        corrected |= dict(zip(members, holm([kept[place].wilcoxon for place in members]), strict=True))
    return [replace(each, corrected=corrected[place]) for place, each in enumerate(kept)]


def _compared(key: Key, metric: str, mine: Sequence[Row], theirs: Sequence[Row]) -> Comparison:
    first, second = ({row["seed"]: float(row[metric]) for row in rows} for rows in (mine, theirs))
    seeds = tuple(seed for seed in first if seed in second)
    ours, others = (np.array([values[seed] for seed in seeds]) for values in (first, second))
    return Comparison(key, metric, seeds, ours, others, signed_rank_p(ours - others), _t_p(ours, others))


def _t_p(ours: np.ndarray, theirs: np.ndarray) -> float:
    """1 where they are the same, or where there are not two."""
    if len(ours) < 2 or np.ptp(ours - theirs) <= 1e-12 * np.abs(theirs).max():
        return float(np.array_equal(ours, theirs) or len(ours) < 2)
    return float(ttest_rel(ours, theirs).pvalue)


def metres_to(target: float, rows: Sequence[Row], score: str = "uncertainty") -> float:
    """Metres after which the surveys of one contender, field and seed leave a score of `target` at most.

    Each distance is a survey of its own that has come home. Between two of them the logarithm of the score is taken to
    fall evenly; infinite if the longest does not reach it, that of the shortest if that does.
    """
    by_length = sorted(rows, key=lambda row: row["metres"])
    metres = np.array([row["metres"] for row in by_length])
    scores = np.array([row[score] for row in by_length])
    reached = np.flatnonzero(scores <= target)
    if not len(reached):
        return float("inf")
    at = int(reached[0])
    if at == 0:
        return float(metres[0])
    before, after = np.log(scores[at - 1 : at + 1])
    share = (before - np.log(target)) / (before - after)
    return float(metres[at - 1] + share * (metres[at] - metres[at - 1]))
