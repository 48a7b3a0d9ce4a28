"""Ways through soundings, with and without times."""

import numpy as np
import pytest

from akrig.survey.logs.tracks import legs_of, ways_of


@pytest.fixture
def crossing(rng):
    """Two tracks of 200 m that cross at right angles, one a metre deeper, in no order."""
    along = np.linspace(-100, 100, 201)
    X = np.vstack([np.column_stack([along, np.zeros(201)]), np.column_stack([np.full(201, 0.4), along + 0.5])])
    y = np.concatenate([10 + along / 100, 11 + along / 100])
    track = np.repeat([0, 1], 201)
    order = rng.permutation(len(y))
    return X[order] + rng.normal(0, 0.02, X.shape), y[order], track[order]


def test_tracks_are_told_apart_where_they_cross(crossing):
    X, y, track = crossing
    order, legs = ways_of(X, y, None, length=1000)
    assert sorted(order) == list(range(len(y)))
    mixed = sum(len(np.unique(track[legs == leg])) - 1 for leg in np.unique(legs))
    assert mixed == 0
    biggest = np.sort(np.bincount(legs))[::-1][:2]
    assert biggest.sum() > 0.95 * len(y)


def test_legs_are_stretches_of_the_wanted_length(crossing):
    X, y, _ = crossing
    order, legs = ways_of(X, y, None, length=20.0)
    assert (np.diff(legs[order]) >= 0).all()
    for leg in np.unique(legs):
        way = X[order][legs[order] == leg]
        assert np.linalg.norm(np.diff(way, axis=0), axis=1).sum() < 23


def test_times_say_the_order_and_gaps_end_a_leg():
    X = np.column_stack([[0.0, 1, 2, 500, 501, 502], np.zeros(6)])
    order, legs = ways_of(X, np.zeros(6), np.arange(6.0)[::-1], length=100.0)
    assert order.tolist() == [5, 4, 3, 2, 1, 0]
    assert legs.tolist() == [1, 1, 1, 0, 0, 0]


def test_soundings_at_one_place_have_a_way():
    legs = legs_of(np.zeros((50, 2)), np.arange(50.0), None, length=10.0)
    assert len(legs) == 50
    assert legs_of(np.zeros((2, 2)), np.zeros(2), None, length=1.0).tolist() == [0, 0]
