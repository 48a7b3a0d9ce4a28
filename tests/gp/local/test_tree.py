import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akrig.gp.local.tree import ReadingTree, SortedPlaces


def grown(X, y, *, most_leaves=10**6, sizes=()) -> ReadingTree:
    places = SortedPlaces(X.shape[1])
    for end in (*np.cumsum(sizes), len(X)):
        places.take_in(X[: int(end)])
    return ReadingTree(places, X, y, most_leaves=most_leaves)


@st.composite
def readings(draw):
    dim, num = draw(st.integers(1, 3)), draw(st.integers(1, 60))
    coordinate = st.one_of(st.floats(-3, 3), st.sampled_from([0.0, 0.5, -1.0, 1.0]))
    X = np.array(draw(st.lists(st.lists(coordinate, min_size=dim, max_size=dim), min_size=num, max_size=num)))
    return X, np.array(draw(st.lists(st.floats(-5, 5), min_size=num, max_size=num)))


@settings(max_examples=60)
@given(readings(), st.integers(1, 80), st.integers(0, 1))
def test_every_reading_counts_once_however_few_are_seen(readings, most, side):
    X, y = readings
    tree = grown(X, y)
    seen = tree.seen_from(np.full(X.shape[1], -0.5), np.full(X.shape[1], -0.5 + side), most)
    assert len(seen) <= max(most, 1)
    assert seen.count.sum() == len(y)
    assert (seen.count * seen.y).sum() == pytest.approx(y.sum(), abs=1e-9)
    assert (seen.count[:, None] * seen.X).sum(axis=0) == pytest.approx(X.sum(axis=0), abs=1e-9)


@settings(max_examples=40)
@given(readings(), st.integers(1, 59))
def test_readings_one_leg_after_the_other_make_the_tree_of_all_at_once_to_the_last_bit(readings, first):
    X, y = readings
    at_once, in_legs = grown(X, y), grown(X, y, sizes=[min(first, len(X))])
    for name in ("X", "y", "count", "first", "num_children", "lower", "upper"):
        assert np.array_equal(getattr(at_once, name), getattr(in_legs, name))


@settings(max_examples=40)
@given(readings(), st.integers(1, 20))
def test_tiles_fill_space_and_do_not_overlap(readings, most):
    X, y = readings
    tree = grown(X, y)
    corners, sides = tree.tiles(margin=0.5, most=most)
    assert (sides ** X.shape[1]).sum() == pytest.approx((2 * tree.half) ** X.shape[1])
    for place in np.random.default_rng(0).uniform(-tree.half, tree.half, (20, X.shape[1])):
        assert ((corners <= place) & (place < corners + sides[:, None])).all(axis=1).sum() == 1


def test_readings_are_seen_one_by_one_where_they_are_few_enough(rng):
    X = rng.uniform(-1, 1, (50, 2))
    y = rng.standard_normal(50)
    seen = grown(X, y).seen_from(np.zeros(2), np.ones(2), 50)
    order = np.lexsort(seen.X.T)
    assert np.array_equal(seen.X[order], X[np.lexsort(X.T)])
    assert np.array_equal(np.sort(seen.y), np.sort(y))


def test_near_readings_stay_apart_while_far_ones_become_one(rng):
    X = rng.uniform(-1, 1, (4000, 2))
    lower, upper = np.full(2, 0.4), np.full(2, 0.5)
    seen = grown(X, X[:, 0]).seen_from(lower, upper, 300)
    gap = np.linalg.norm(np.maximum(np.maximum(lower - seen.X, seen.X - upper), 0), axis=1)
    assert (seen.count[gap < 0.08] == 1).all()
    assert seen.count[gap > 0.8].mean() > 50


def test_one_track_does_not_hide_the_others():
    """A boat's nearest readings all lie on one track: a place between tracks must see those on all its sides."""
    along = np.linspace(-1, 1, 3000)
    X = np.concatenate([np.stack([along, np.full(3000, y)], axis=1) for y in (-0.3, -0.1, 0.12, 0.3)])
    nearest = X[np.argsort(np.linalg.norm(X, axis=1))[:100]]
    assert set(nearest[:, 1]) == {-0.1}
    seen = grown(X, X[:, 0]).seen_from(np.array([-0.03, -0.03]), np.array([0.03, 0.03]), 100)
    assert min((seen.X[:, 1] < -0.05).sum(), (seen.X[:, 1] > 0.05).sum()) > 30


def test_equal_places_are_one_leaf(rng):
    X = np.concatenate([np.tile([[0.3, 0.4]], (10_000, 1)), rng.uniform(-1, 1, (20, 2))])
    y = rng.standard_normal(len(X))
    tree = grown(X, y)
    assert len(tree) == 21
    seen = tree.seen_from(np.zeros(2), np.ones(2), 100)
    assert seen.count.max() == 10_000
    assert seen.y[seen.count.argmax()] == pytest.approx(y[:10_000].mean())


def test_leaves_are_bounded_and_so_is_what_is_seen(rng):
    X = rng.uniform(-1, 1, (5000, 2))
    tree = grown(X, X[:, 0], most_leaves=300)
    assert 75 <= len(tree) <= 300
    assert tree.seen_from(np.zeros(2), np.ones(2), 1000).count.sum() == 5000


def test_a_reading_far_outside_makes_the_tree_larger_and_keeps_the_rest(rng):
    X = np.concatenate([rng.uniform(-1, 1, (100, 2)), [[40.0, -300.0]]])
    tree = grown(X, X[:, 0], sizes=[50])
    assert tree.half == 512.0
    assert tree.seen_from(np.zeros(2), np.ones(2), 200).count.tolist() == [1] * 101
