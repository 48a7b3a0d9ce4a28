"""Which readings a fit learns from, when they are too many: neighbours at every scale."""

import numpy as np
from jaxtyping import Int
from numpy.random import Generator

from akrig.gp.local.tree import ReadingTree, SortedPlaces

NUM_BLOCKS = 9
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
    if len(leaves) <= NUM_BLOCKS * BLOCK_SIZE:
        return np.unique(_any_of(leaves, places, tree, rng))
    nearest = _near_one(leaves, tree, BLOCK_SIZE, rng)
    # Two of each cell that holds several tell what is noise.
    room = np.cumsum(np.minimum(tree.count[nearest], 2)) <= BLOCK_SIZE
    first = _two_of(nearest[room], places, tree, rng)
    drawn, taken = [first], nearest[room]
    for num in np.geomspace(BLOCK_SIZE, len(leaves), NUM_BLOCKS).round().astype(int)[1:]:
        others = np.setdiff1d(leaves, taken, assume_unique=True)
        block = rng.choice(_near_one(others, tree, int(num), rng), BLOCK_SIZE, replace=False)
        drawn.append(_any_of(block, places, tree, rng))
        taken = np.concatenate([taken, block])
    return np.sort(np.concatenate(drawn))


def _near_one(leaves: Places, tree: ReadingTree, num: int, rng: Generator) -> Places:
    """The `num` nearest to one of them."""
    if num >= len(leaves):
        return leaves
    center = tree.X[leaves[rng.integers(len(leaves))]]
    squared = np.square(tree.X[leaves] - center).sum(axis=1)
    return np.sort(leaves[np.argpartition(squared, num - 1)[:num]])


def _any_of(leaves: Places, places: SortedPlaces, tree: ReadingTree, rng: Generator) -> Places:
    """One reading of each leaf."""
    return places.order[tree.begin[leaves] + rng.integers(tree.count[leaves])]


def _two_of(leaves: Places, places: SortedPlaces, tree: ReadingTree, rng: Generator) -> Places:
    """Two readings of each leaf that has several, one of each other."""
    count = tree.count[leaves]
    one = rng.integers(count)
    other = (one + 1 + rng.integers(np.maximum(count - 1, 1))) % count
    return np.unique(places.order[tree.begin[leaves] + np.stack([one, other])])
