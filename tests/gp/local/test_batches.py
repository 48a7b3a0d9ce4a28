import numpy as np
import pytest

from akrig.gp.local.batches import BLOCK_SIZE, NUM_BLOCKS, draw_batch
from akrig.gp.local.tree import ReadingTree, SortedPlaces


def prepared(X, most_leaves=1 << 14):
    places = SortedPlaces(X.shape[1])
    places.take_in(X)
    return places, ReadingTree(places, X, np.zeros(len(X)), most_leaves=most_leaves)


@pytest.mark.parametrize(("num", "most_leaves"), [(2000, 1 << 14), (20_000, 1 << 14), (20_000, 1500)])
def test_a_batch_has_as_many_readings_however_many_there_are(num, most_leaves, rng):
    batch = draw_batch(*prepared(rng.uniform(-1, 1, (num, 2)), most_leaves), rng)
    assert NUM_BLOCKS * BLOCK_SIZE - 1 <= len(batch) <= NUM_BLOCKS * BLOCK_SIZE
    assert (np.diff(batch) > 0).all()


def test_few_readings_are_all_drawn(rng):
    assert len(draw_batch(*prepared(rng.uniform(-1, 1, (50, 2))), rng)) == 50


def test_neighbours_are_seen_at_every_scale(rng):
    """Distances between drawn readings reach from that of neighbours to the whole region, and none is left out."""
    X = rng.uniform(-1, 1, (20_000, 2))
    X = X[draw_batch(*prepared(X), rng)]
    apart = np.linalg.norm(X[:, None] - X[None], axis=2)[np.triu_indices(len(X), 1)]
    counts, _ = np.histogram(apart, np.geomspace(0.01, 2.5, 9))
    assert counts.min() > 30


def test_where_readings_are_merged_two_of_a_cell_tell_what_is_noise(rng):
    X = rng.uniform(-1, 1, (20_000, 2))
    places, tree = prepared(X, most_leaves=1500)
    batch = draw_batch(places, tree, rng)
    leaf = np.empty(len(X), int)
    for node in np.flatnonzero(tree.num_children == 0):
        leaf[places.order[tree.begin[node] : tree.begin[node] + tree.count[node]]] = node
    _, counts = np.unique(leaf[batch], return_counts=True)
    assert (counts == 2).sum() >= 25
    assert counts.max() == 2
