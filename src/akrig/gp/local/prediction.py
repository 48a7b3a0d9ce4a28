"""What models of the same readings say at places, each place told of by the readings that matter for it.

Space is cut into tiles, small where readings are dense. Around a tile readings count one by one, farther away ever more
of them as one, all around: a track's nearest readings alone would all lie on that track. So one factorisation, of a
matrix that never grows, serves all places in a tile; where tiles meet, they fade into each other.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float, Int

from akrig.gp.local.tree import Merged
from akrig.gp.posterior import Posterior, predict_each
from akrig.kernels.gram import SharesCorrelations, gram_of
from akrig.threads import side_by_side
from akrig.types import Points, Values

if TYPE_CHECKING:
    from akrig.gp.local.solver import LocalSolver

FADE = 0.25  # of a tile's side: so far beyond its border it has a say
PREFERENCE = 4  # for small tiles, which see more: a tile of half the side counts so many times two as much
Said = tuple[np.ndarray, np.ndarray]


def predict_locally(solvers: "Sequence[LocalSolver]", X: Points) -> list[Said]:
    """Mean and variance of each solver's process at places, mean function excluded."""
    first = solvers[0]
    for solver in solvers:
        solver.check()
    said = [(np.zeros(len(X)), np.zeros(len(X))) for _ in solvers]
    total = np.zeros(len(X))
    for lower, upper, places, weights in _asked(*first.tiles, X, half=first.tree.half):
        near = first.tree.seen_from(lower, upper, first.reach.most_near)
        total[places] += weights
        points = torch.from_numpy(X[places])
        for (mean, variance), found in zip(said, predict_each(posteriors_given(solvers, near), points), strict=True):
            mean[places] += weights * found[0]
            variance[places] += weights * found[1]
    for mean, variance in said:
        mean /= total
        variance /= total
    return said


def posteriors_given(solvers: "Sequence[LocalSolver]", near: Merged) -> list[Posterior]:
    """Of each solver's process, given these readings alone; the next call takes their memory."""
    points, grams = torch.from_numpy(near.X), [gram_of(solver.process.inner_kernel) for solver in solvers]
    for gram in grams:
        gram.append(points)
        if gram is not grams[0] and isinstance(gram, SharesCorrelations):
            gram.share(grams[0])
    for gram in grams:
        gram.refresh()  # not in the threads
    acts = [partial(solver.posterior, gram, near) for solver, gram in zip(solvers, grams, strict=True)]
    return side_by_side(acts, num_rows=len(near))


def _asked(
    corners: Float[np.ndarray, "tiles d"], sides: Float[np.ndarray, " tiles"], X: Points, *, half: float
) -> Iterator[tuple[Values, Values, Int[np.ndarray, " places"], Values]]:
    """Lower and upper corner of each tile that has a say in one of the places, those, and how much it counts there."""
    inside = np.clip(X, -half, half)
    smallest = sides.min()
    for lower, side in zip(corners, sides, strict=True):
        upper = lower + side
        beyond = np.maximum(np.maximum(lower - inside, inside - upper), 0.0) / (FADE * side)
        places = np.flatnonzero((beyond < 1.0).all(axis=1))
        if len(places):
            weights = np.prod(1.0 - beyond[places], axis=1) * (smallest / side) ** PREFERENCE
            yield lower, upper, places, weights
