import math
from itertools import pairwise

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from akrig.frame import LocalFrame
from akrig.survey.area import Area
from akrig.survey.area.water import ARC
from tests.survey.area.test_area import FENCE, FRAME, ISLAND

SQUARE = np.array([[0.0, 0], [100, 0], [100, 100], [0, 100]])
BLOCK = np.array([[40.0, 40], [60, 40], [60, 60], [40, 60]])


def length(begin, way):
    return float(np.hypot(*np.diff(np.vstack([begin, way]), axis=0).T).sum())


def test_a_straight_way_is_one_leg():
    assert Area(FRAME, SQUARE).route((10, 10), (90, 70), margin=5).tolist() == [[90, 70]]


def test_around_a_block_the_way_touches_its_corners():
    way = Area(FRAME, SQUARE, (BLOCK,)).route((10, 50), (90, 50))
    assert way == pytest.approx(np.array([[40, 60], [60, 60], [90, 50]])) or way == pytest.approx(
        np.array([[40, 40], [60, 40], [90, 50]])
    )


def test_with_a_margin_the_way_is_the_string_around_rounded_corners():
    margin = 5.0
    way = Area(FRAME, SQUARE, (BLOCK,)).route((10, 50), (90, 50), margin=margin)
    # Tangent to the circle about (40, 60), arc, along the side, and the same again.
    reach, angle = math.hypot(30, 10), math.atan2(10, 30) + math.asin(margin / math.hypot(30, 10))
    ideal = 2 * (math.sqrt(reach**2 - margin**2) + margin * angle) + 20
    assert ideal <= length((10, 50), way) <= ideal + 2 * math.pi * margin * (ARC - 1)


def test_in_a_bay_the_way_goes_around_the_headland():
    way = Area(FRAME, FENCE, (ISLAND,)).route((20, 55), (90, 55))
    assert way == pytest.approx(np.array([[40, 30], [60, 30], [90, 55]]))


@st.composite
def worlds(draw):
    """Square water with up to four islands that may overlap or touch the shore."""
    spots = st.tuples(st.floats(0, 100), st.floats(0, 100))
    islands = []
    for x, y in draw(st.lists(spots, min_size=1, max_size=4)):
        radius, corners = draw(st.floats(3, 20)), draw(st.integers(3, 7))
        turn = 2 * np.pi * np.arange(corners) / corners + draw(st.floats(0, 1))
        islands.append(np.column_stack([x + radius * np.cos(turn), y + radius * np.sin(turn)]))
    return tuple(islands), np.array(draw(spots)), np.array(draw(spots))


@given(worlds(), st.sampled_from([0.0, 1.0, 4.0]))
def test_every_leg_of_every_way_keeps_the_margin_and_no_coarse_walk_is_shorter(world, margin):
    islands, begin, end = world
    area = Area(FRAME, SQUARE, islands)
    if not area.allows(np.array([begin, end]), margin=margin).all():
        return
    way = area.route(begin, end, margin=margin)
    walk = shortest_walk(area, begin, end, margin * ARC + 0.5)
    if way is None:
        assert walk is None
        return
    stops = np.vstack([begin, way])
    assert all(area.allows_leg(a, b, margin=margin) for a, b in pairwise(stops))
    assert length(begin, way) >= math.dist(begin, end) - 1e-9
    if walk is not None:
        assert length(begin, way) <= walk + 1e-6
    assert area.route_lengths(begin[None], end, margin=margin)[0] == pytest.approx(length(begin, way))


def shortest_walk(area, begin, end, margin):
    """Another way to a way: Dijkstra over a grid of 10 m, steps to the neighbours."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import dijkstra

    X = np.vstack([begin, end, area.extent.grid(11, 11)])
    pairs = shapely.STRtree(shapely.points(X)).query(shapely.points(X), predicate="dwithin", distance=15.0)
    lines = shapely.linestrings(np.stack([X[pairs[0]], X[pairs[1]]], axis=1))
    free = area.water.buffer(-margin)
    shapely.prepare(free)
    pairs = pairs[:, shapely.covers(free, lines)]
    metres = np.hypot(*(X[pairs[0]] - X[pairs[1]]).T) + 1e-12
    found = dijkstra(coo_matrix((metres, pairs), shape=(len(X), len(X))).tocsr(), indices=0)[1]
    return None if np.isinf(found) else found


def test_a_boat_that_drifted_near_the_shore_takes_the_nearest_way_out():
    area = Area(FRAME, SQUARE, (BLOCK,))
    way = area.route((1.0, 50.0), (20.0, 80.0), margin=5)
    assert way[0] == pytest.approx((5 * ARC, 50), abs=1e-4)
    assert way[-1] == pytest.approx((20, 80))
    # Between a wall and the shore, the nearest place that keeps the margin lies behind the wall: not that one.
    wall = np.array([[2.0, 20], [3, 20], [3, 80], [2, 80]])
    walled = Area(FRAME, SQUARE, (wall,))
    out = walled.route((1.0, 70.0), (50.0, 70.0), margin=5)
    stops = np.vstack([[1.0, 70.0], out])
    assert all(walled.allows_leg(a, b) for a, b in pairwise(stops))
    clear = stops[int(np.argmax(walled.allows(stops, margin=5))) :]
    assert len(clear) > 1
    assert all(walled.allows_leg(a, b, margin=5) for a, b in pairwise(clear))


def test_a_boat_outside_the_fence_or_in_a_keep_out_has_no_way():
    area = Area(FRAME, SQUARE, (BLOCK,))
    for begin in ((-1.0, 50.0), (50.0, 50.0)):
        assert area.route(begin, (20, 80), margin=5) is None
        assert np.isinf(area.route_lengths(np.array([begin]), (20, 80), margin=5)[0])


def test_home_may_be_nearer_to_the_shore_than_the_margin_but_no_other_end():
    area = Area(FRAME, SQUARE, (), (50.0, 1.0))
    way = area.route((20, 80), area.home, margin=5)
    assert way == pytest.approx(np.array([[50, 5 * ARC], [50, 1]]), abs=1e-4)
    assert area.route((20, 80), (60, 1), margin=5) is None
    assert area.route_lengths(np.array([[20.0, 80]]), area.home, margin=5)[0] == pytest.approx(length((20, 80), way))


def test_a_margin_that_leaves_nothing_leaves_no_way():
    area = Area(FRAME, SQUARE, (), (50.0, 50.0))
    assert area.route((10, 10), (90, 90), margin=60) is None
    assert not area.reachable(np.array([[50.0, 50.0]]), (10, 10), margin=60).any()


def test_a_long_shoreline_is_quick():
    turn = np.linspace(0, 2 * np.pi, 600, endpoint=False)
    reach = 200 + 20 * np.sin(9 * turn) + np.random.default_rng(0).normal(0, 1, 600)
    lake = Area(LocalFrame(0, 0), np.column_stack([reach * np.cos(turn), reach * np.sin(turn)]), (BLOCK, BLOCK + 50))
    way = lake.route((10, 50), (130, 100), margin=2)
    assert way is not None
    assert len(way) > 1
