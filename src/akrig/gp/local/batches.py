"""Which readings a fit learns from, when they are too many: neighbours at every scale."""

import numpy as np
from jaxtyping import Int
from numpy.random import Generator

from akrig.gp.local.tree import ReadingTree, SortedPlaces

NUM_BLOCKS = 10
BLOCK_SIZE = 64

Places = Int[np.ndarray, "_"]


def draw_batch(places: SortedPlaces, tree: ReadingTree, rng: Generator) -> Places:
    """The numbers of some hundred readings, in the order they came.

    Blocks of readings around places drawn at random: in the first they are the nearest there are, in the last they are
    anywhere, and the others lie between, their reach growing evenly by its logarithm. So short lengthscales are seen
    as well as long ones. Which readings are drawn depends on where they are, never on what was read: the likelihood of
    such a batch has its slope zero, on average, at the true parameters, as that of all readings has.
    """
    leaves = np.flatnonzero(tree.num_children == 0)
    if len(leaves) <= BLOCK_SIZE:
        return np.unique(np.concatenate([_readings_of(leaves, places, tree, rng) for _ in range(NUM_BLOCKS)]))
    scales = np.geomspace(BLOCK_SIZE, len(leaves), NUM_BLOCKS).round().astype(int)
    drawn = [_readings_of(_around(leaves, tree, int(num), rng), places, tree, rng) for num in scales]
    near = _around(leaves, tree, BLOCK_SIZE // 2, rng)
    twice = [_readings_of(near, places, tree, rng) for _ in range(2)]  # of cells that hold several: what noise is
    return np.unique(np.concatenate([*drawn, *twice]))


def _around(leaves: Places, tree: ReadingTree, num: int, rng: Generator) -> Places:
    """Some of the `num` leaves nearest to one of them."""
    center = tree.X[leaves[rng.integers(len(leaves))]]
    if num < len(leaves):
        squared = np.square(tree.X[leaves] - center).sum(axis=1)
        leaves = np.sort(leaves[np.argpartition(squared, num - 1)[:num]])
    return rng.choice(leaves, BLOCK_SIZE, replace=False) if len(leaves) > BLOCK_SIZE else leaves


def _readings_of(leaves: Places, places: SortedPlaces, tree: ReadingTree, rng: Generator) -> Places:
    """Any one of each leaf."""
    return places.order[tree.begin[leaves] + rng.integers(tree.count[leaves])]
