import numpy as np
import pytest

from akrig.frame import LocalFrame
from akrig.survey.area import Area, area_from

# 100 m x 60 m with a bay cut out at the top (40 < x < 60, y > 30), and a square island.
FENCE = np.array([[0, 0], [100, 0], [100, 60], [60, 60], [60, 30], [40, 30], [40, 60], [0, 60]], dtype=float)
ISLAND = np.array([[70.0, 10], [80, 10], [80, 20], [70, 20]])
FRAME = LocalFrame(179.9999, 47.0)


@pytest.fixture
def area():
    return Area(FRAME, FENCE, (ISLAND,), (5.0, 5.0), "pond")


def slow_clearance(X):
    """By hand: the distance to every side, and a ray that counts crossings."""
    best, inside = np.full(len(X), np.inf), np.zeros(len(X), dtype=bool)
    for ring in (FENCE, ISLAND):
        for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            t = np.clip(((X - a) @ (b - a)) / ((b - a) @ (b - a)), 0, 1)
            best = np.minimum(best, np.hypot(*(X - a - t[:, None] * (b - a)).T))
            if a[1] != b[1]:
                at = a[0] + (X[:, 1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
                inside ^= ((a[1] > X[:, 1]) != (b[1] > X[:, 1])) & (X[:, 0] < at)
    return np.where(inside, best, -best)


def test_clearance_is_the_distance_to_the_nearest_side(area, rng):
    X = rng.uniform((-20, -20), (120, 80), (2000, 2))
    assert area.clearance(X) == pytest.approx(slow_clearance(X), abs=1e-9)
    for margin in (0.0, 3.0, 12.0):
        assert np.array_equal(area.allows(X, margin=margin), slow_clearance(X) >= margin)


def test_legs_are_allowed_exactly_if_all_their_places_are(area, rng):
    begins, ends = rng.uniform((0, 0), (100, 60), (2, 200, 2))
    for margin in (0.0, 4.0):
        for begin, end in zip(begins, ends, strict=True):
            way = begin + np.linspace(0, 1, 2000)[:, None] * (end - begin)
            lowest = slow_clearance(way).min()
            if abs(lowest - margin) > 0.1:  # sampled every few centimetres
                assert area.allows_leg(begin, end, margin=margin) == (lowest > margin)


def test_the_border_itself_is_allowed_without_a_margin(area):
    assert area.allows(FENCE).all()
    assert area.allows_leg((0, 0), (100, 0))
    assert area.allows_leg((70, 10), (70, 20))
    assert not area.allows_leg((40, 60), (60, 60))


def test_corners_as_near_as_numbers_can_be_are_no_trouble():
    """GEOS divides by zero on its way to the right answer; found by the property of routes, not by every run of it."""
    island = np.array([[3.0, 0.0], [-1.5, 2.6], [-1.5, -2.6]])
    nearly = island + np.array([[0.0, 2.22507386e-311], [0.0, 0.0], [0.0, 0.0]])
    square = np.array([[0.0, 0], [100, 0], [100, 100], [0, 100]])
    area = Area(FRAME, square, (island, island, nearly))
    places = np.array([[0.0, 2.0], [50.0, 50.0], [2.0, 50.0]])
    assert area.allows(places, margin=1.0).tolist() == [False, True, True]


def test_what_is_no_place_is_not_allowed(area):
    nowhere = np.array([[np.nan, 1.0], [np.inf, 1.0], [10.0, 10.0]])
    assert area.allows(nowhere, margin=1.0).tolist() == [False, False, True]
    assert area.clearance(nowhere).tolist()[:2] == [-np.inf, -np.inf]
    assert not area.allows_leg((np.nan, 0), (1, 1))
    assert area.route((np.nan, 0), (1, 1)) is None


def test_size_and_extent(area):
    assert area.size == pytest.approx(100 * 60 - 20 * 30 - 100)
    assert (area.extent.lower, area.extent.upper) == ((0, 0), (100, 60))


def test_an_area_written_down_and_read_again_is_the_same(area):
    once = area_from(**area.as_dict())
    again = area_from(**once.as_dict())
    assert again.as_dict() == once.as_dict()
    assert again.frame == once.frame
    assert np.array_equal(again.fence, once.fence)
    assert again.home == once.home
    assert np.abs(once.frame.to_degrees(once.fence)[:, 1] - FRAME.to_degrees(FENCE)[:, 1]).max() < 1e-11
    assert sorted(once.as_dict()) == ["fence", "home", "keep_outs", "name"]


def test_keep_outs_may_cut_an_area_in_two():
    wall = np.array([[45.0, -5], [55, -5], [55, 65], [45, 65]])
    area = Area(FRAME, np.array([[0.0, 0], [100, 0], [100, 60], [0, 60]]), (wall,))
    assert area.route((10, 10), (90, 10)) is None
    assert area.reachable(np.array([[20.0, 20], [80, 20], [50, 20]]), (10, 10)).tolist() == [True, False, False]


def test_an_area_is_made_of_rings(unchecked):
    with pytest.raises(ValueError, match="at least 3 finite corners"):
        Area(FRAME, FENCE[:2])
    with pytest.raises(ValueError, match="crosses itself"):
        Area(FRAME, FENCE[[0, 2, 1, 3]])
    with pytest.raises(ValueError, match="0 or more metres; got -1"):
        Area(FRAME, FENCE).allows(FENCE, margin=-1.0)
    with pytest.raises(ValueError, match="is x and y"):
        Area(FRAME, FENCE).allows_leg((0, 0, 0), (1, 1, 1))
