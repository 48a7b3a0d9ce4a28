"""Is one kernel better than another on the same seeds? Paired tests of the averaged metrics."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr
from scipy.stats import rankdata, ttest_rel

from akrig.parts import REFERENCE
from akrig.study.summary import ERRORS

SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Pairing:
    """The reference kernel against another, in one metric on one field with one strategy.

    Args:
        difference: of the means, reference less other: below zero the reference is better.
        wilcoxon: p of the signed-rank test, exact, two-sided; with n seeds it is never below 2 / 2**n.
        t: p of the paired t-test, two-sided.
        corrected: the latter after Holm's correction over all pairings of the study.
    """

    strategy: str
    field: str
    metric: str
    other: str
    won: int
    num_seeds: int
    difference: float
    wilcoxon: float
    t: float
    corrected: float = float("nan")

    @property
    def is_better(self) -> bool:
        return self.corrected < SIGNIFICANT and self.difference < 0

    @property
    def is_worse(self) -> bool:
        return self.corrected < SIGNIFICANT and self.difference > 0


def reference_kernel(kernels: Sequence[str]) -> str:
    return REFERENCE if REFERENCE in kernels else kernels[0]


def pairings(table: xr.DataArray, reference: str) -> list[Pairing]:
    """Of averages (see `summary`), over the seeds that both kernels have; at least two."""
    kernels = [str(kernel) for kernel in table["kernel"].values]
    values, ours = table.to_numpy(), kernels.index(reference)
    found = []
    for i, strategy in enumerate(map(str, table["strategy"].values)):
        for j, field in enumerate(map(str, table["field"].values)):
            for other, kernel in enumerate(kernels):
                for k, metric in enumerate(map(str, table["metric"].values)):
                    pair = values[i, j, [ours, other], k]
                    pair = pair[:, np.isfinite(pair).all(axis=0)]
                    if other != ours and metric in ERRORS and pair.shape[1] > 1:
                        found.append(_pairing((strategy, field, metric, kernel), *pair))
    corrected = holm([pairing.t for pairing in found])
    return [replace(pairing, corrected=p) for pairing, p in zip(found, corrected, strict=True)]


def _pairing(names: tuple[str, str, str, str], ours: np.ndarray, theirs: np.ndarray) -> Pairing:
    difference = ours - theirs
    mean, won = float(difference.mean()), int((difference < 0).sum())
    return Pairing(*names, won, len(ours), mean, signed_rank_p(difference), _t_p(ours, theirs))


def signed_rank_p(difference: np.ndarray) -> float:
    """Wilcoxon's test, two-sided: of all ways to give signs to the ranks, the share that is at least as one-sided.

    Pairs that are equal say nothing; those with equal differences share their ranks.
    """
    unequal = difference[difference != 0]
    ranks = np.rint(2 * rankdata(np.abs(unequal))).astype(int)  # twice, since shared ranks have halves
    shares = np.ones(1)  # of the ways with each sum of positive ranks
    for rank in ranks:
        shares = (np.pad(shares, (0, rank)) + np.pad(shares, (rank, 0))) / 2
    positive = int(ranks[unequal > 0].sum())
    least = min(positive, int(ranks.sum()) - positive)
    return float(min(1.0, 2 * shares[: least + 1].sum()))


def _t_p(ours: np.ndarray, theirs: np.ndarray) -> float:
    difference = ours - theirs
    if np.ptp(difference) <= 1e-12 * np.abs(ours).max():  # always the same: a t-test would divide by zero
        return 1.0 if not difference.any() else 0.0
    return float(ttest_rel(ours, theirs).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Corrected so that no more than one family in twenty has any false alarm below 0.05."""
    order = np.argsort(p_values)
    corrected, least = np.empty(len(p_values)), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = least
    return corrected.tolist()
