import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from akrig.errors import PlanRefused
from akrig.frame import LocalFrame
from akrig.geometry import Box, Pose
from akrig.strategies import MaxEntropy, Myopic, Uniform
from akrig.strategies.pilot import KnowsNothing
from akrig.survey.area import Area, read_area
from akrig.survey.strategies import AreaLawnmower, AreaPilot, Routed, area_lines
from akrig.testing import check_strategy
from akrig.testing.strategies import FarIsUnsure
from akrig.types import Budget, Plan, Situation

MARGIN = 4.0
LAKE = read_area(Path(__file__).parents[2] / "examples" / "lake.geojson")
RECTANGLE = Area(LocalFrame(0, 0), np.array([[0.0, 0], [60, 80], [20, 110], [-40, 30]]))  # 100 m x 50 m, turned


def situation(area, at, epoch=1):
    return Situation(
        Pose(tuple(at)), area.extent, Budget(distance=1000), epoch, lambda X: area.allows(X, margin=MARGIN)
    )


def planned(strategy, area, at, epoch=1, belief=None):
    return strategy.plan(belief or KnowsNothing(), situation(area, at, epoch), np.random.default_rng(0)).waypoints


def legs(begin, waypoints):
    way = np.vstack([begin, waypoints])
    return list(pairwise(way))


def length(begin, waypoints):
    return sum(math.dist(a, b) for a, b in legs(begin, waypoints))


@pytest.mark.parametrize("margin", [0.0, 5.0])
def test_satisfies_the_strategy_contract(margin):
    box = Box((-20, 10), (80, 70))
    area = Area(LocalFrame(0, 0), box.grid(2, 2)[[0, 1, 3, 2]], (box.scaled(0.2).grid(2, 2)[[0, 1, 3, 2]] + 20,))
    inner = Box((-20 + margin, 10 + margin), (80 - margin, 70 - margin))
    for strategy in (AreaLawnmower(area, 4, margin=margin), AreaPilot(area, 3, margin)):
        check_strategy(strategy, workspaces=[box])
    check_strategy(Routed(Goes((70, 20), (-5, 60)), area, margin), workspaces=[inner])


def test_lines_of_a_rectangle_lie_in_the_middle_of_strips_along_its_long_side():
    lines = area_lines(RECTANGLE, 5, margin=0.0)
    assert [len(line) for line in lines] == [1] * 5
    ends = np.array([line[0] for line in lines])
    assert np.hypot(*(ends[:, 1] - ends[:, 0]).T) == pytest.approx(np.full(5, 100.0))
    assert np.hypot(*np.diff(ends.mean(axis=1), axis=0).T) == pytest.approx(np.full(4, 10.0))
    assert RECTANGLE.clearance(ends.mean(axis=1)) == pytest.approx([5, 15, 25, 15, 5])
    assert np.hypot(*(ends[1:, 0] - ends[:-1, 1]).T) == pytest.approx(np.full(4, 10.0))  # back and forth


@pytest.mark.parametrize("spacing", [None, 7.0])
def test_the_lawnmower_drives_every_line_in_turn_and_begins_again(spacing):
    strategy, at = AreaLawnmower(LAKE, 6, margin=MARGIN, spacing=spacing), np.array(LAKE.home)
    lines = area_lines(LAKE, 6, margin=MARGIN)
    for epoch in range(1, len(lines) + 2):
        way = planned(strategy, LAKE, at, epoch)
        line = lines[(epoch - 1) % len(lines)]
        for piece in line:
            assert min(length(a, [piece[0]]) + length(piece[0], [b]) - length(a, [b]) for a, b in legs(at, way)) < 1e-6
        assert way[-1] == pytest.approx(line[-1][1])
        assert all(LAKE.allows_leg(a, b, margin=MARGIN) for a, b in legs(at, way))
        if spacing:
            assert max(math.dist(a, b) for a, b in legs(at, way)) <= spacing + 1e-9
        at = way[-1]


def test_the_pattern_covers_the_lake_and_begins_near_home():
    stops = np.array([end for line in area_lines(LAKE, 9, margin=MARGIN) for piece in line for end in piece])
    way = planned(AreaPilot(LAKE, 9, MARGIN, spacing=1.0), LAKE, LAKE.home)
    X = np.random.default_rng(0).uniform(LAKE.extent.lower, LAKE.extent.upper, (3000, 2))
    X = X[LAKE.allows(X, margin=MARGIN)]
    nearest = np.min(np.hypot(*(X[:, None] - way[None]).transpose(2, 0, 1)), axis=1)
    assert np.quantile(nearest, 0.98) < 0.6 * 200 / 9
    assert math.dist(stops[0], LAKE.home) < 60


def test_the_pilot_is_one_plan_that_keeps_the_margin():
    way = planned(AreaPilot(LAKE, 3, MARGIN), LAKE, LAKE.home, epoch=0)
    assert all(LAKE.allows_leg(a, b, margin=MARGIN) for a, b in legs(LAKE.home, way))
    assert length(LAKE.home, way) == pytest.approx(AreaLawnmower(LAKE, 3, margin=MARGIN).length(begin=LAKE.home))


def test_lines_leave_room_to_turn_at_their_ends_and_ways_keep_the_margin():
    room = 9.0
    pilot, mower = AreaPilot(LAKE, 4, MARGIN, room=room), AreaLawnmower(LAKE, 4, margin=MARGIN, room=room)
    lines = area_lines(LAKE, 4, margin=room)
    for line in lines:
        assert (LAKE.clearance(np.array(line).reshape(-1, 2)) >= room - 1e-6).all()
    way = planned(pilot, LAKE, LAKE.home, epoch=0)
    assert all(LAKE.allows_leg(a, b, margin=MARGIN) for a, b in legs(LAKE.home, way))
    assert planned(mower, LAKE, lines[0][0][0])[-1] == pytest.approx(lines[0][-1][1])
    metres = AreaLawnmower(LAKE, 4, margin=MARGIN, room=room).length(begin=LAKE.home)
    assert length(LAKE.home, way) == pytest.approx(metres)
    assert AreaLawnmower.for_distance(metres + 1, LAKE, margin=MARGIN, room=room, begin=LAKE.home).room == room


@pytest.mark.parametrize("distance", [1500.0, 3000.0])
def test_as_many_lines_as_fit_with_the_way_there_and_home(distance):
    strategy = AreaLawnmower.for_distance(distance, LAKE, margin=MARGIN, begin=LAKE.home)
    at, driven = np.array(LAKE.home), 0.0
    for epoch in range(1, len(area_lines(LAKE, strategy.num_lines, margin=MARGIN)) + 1):
        way = planned(strategy, LAKE, at, epoch)
        driven, at = driven + length(at, way), way[-1]
    driven += LAKE.route_lengths(at[None], LAKE.home, margin=MARGIN)[0]
    assert 0.8 * distance < driven <= distance
    assert AreaLawnmower(LAKE, strategy.num_lines + 1, margin=MARGIN).length(begin=LAKE.home, home=LAKE.home) > distance


@pytest.mark.parametrize("strategy", [Uniform(), MaxEntropy(50), Myopic(50)], ids=repr)
def test_any_strategy_is_led_around_the_island(strategy, rng):
    routed, at = Routed(strategy, LAKE, MARGIN), np.array(LAKE.home)
    for epoch in range(1, 8):
        now = situation(LAKE, at, epoch)
        wanted = strategy.plan(FarIsUnsure(), now, np.random.default_rng(epoch)).waypoints
        way = routed.plan(FarIsUnsure(), now, np.random.default_rng(epoch)).waypoints
        assert way[-1] == pytest.approx(wanted[-1])
        assert all(LAKE.allows_leg(a, b, margin=MARGIN) for a, b in legs(at, way))
        at = way[-1]


class Goes:
    def __init__(self, *places):
        self.places = np.array(places, dtype=float)

    def plan(self, belief, situation, rng):
        return Plan(self.places)


def test_a_place_that_cannot_be_reached_is_refused():
    def refused(area, at, *places, margin=MARGIN):
        with pytest.raises(PlanRefused) as caught:
            planned(Routed(Goes(*places), area, margin), area, at)
        return str(caught.value)

    assert "the waypoint (500.0, 0.0) lies" in refused(LAKE, LAKE.home, (0, 0), (500, 0))
    assert "nearer than the margin of 4 m" in refused(RECTANGLE, (20, 60), (1.0, 2.0))
    assert "the boat's place (500.0, 0.0) lies" in refused(LAKE, (500, 0), (0, 0))
    strait = np.array(
        [[0.0, 0], [40, 0], [40, 18], [60, 18], [60, 0], [100, 0], [100, 40], [60, 40], [60, 22], [40, 22]]
    )
    two = Area(LocalFrame(0, 0), np.vstack([strait, [[40, 40], [0, 40]]]))
    assert "There is no way from (20.0, 20.0) to (80.0, 20.0) that keeps 4 m" in refused(two, (20, 20), (80, 20))
    assert len(planned(Routed(Goes((80, 20)), two, 1.0), two, (20, 20))) == 1


def test_where_a_margin_cuts_the_area_in_two_the_part_with_home_is_surveyed():
    strait = np.array(
        [[0.0, 0], [40, 0], [40, 18], [60, 18], [60, 0], [120, 0], [120, 40], [60, 40], [60, 22], [40, 22]]
    )
    two = Area(LocalFrame(0, 0), np.vstack([strait, [[40, 40], [0, 40]]]), home=(20.0, 2.0))
    assert planned(AreaPilot(two, 4, 4.0), two, two.home)[:, 0].max() < 40
    assert planned(AreaPilot(replace(two, home=None), 4, 4.0), two, (90, 20))[:, 0].min() > 60


def test_the_length_of_the_way_home():
    X = np.array([[-120.0, -60], [100, 40], [1000, 0]])
    metres = LAKE.route_lengths(X, LAKE.home, margin=MARGIN)
    assert metres[:2] == pytest.approx([length(x, LAKE.route(x, LAKE.home, margin=MARGIN)) for x in X[:2]])
    assert metres[0] > math.dist(X[0], LAKE.home) + 5  # around the jetty
    assert math.isinf(metres[2])


def test_wrong_arguments():
    with pytest.raises(ValueError, match="at least two lines"):
        AreaLawnmower(LAKE, 1, margin=0.0)
    with pytest.raises(ValueError, match="at least one line"):
        AreaPilot(LAKE, 0, 0.0)
    with pytest.raises(ValueError, match="spacing must be positive"):
        AreaPilot(LAKE, 2, 0.0, spacing=0.0)
    with pytest.raises(ValueError, match="A margin of 90 m leaves nothing of the area 'lake'"):
        AreaPilot(LAKE, 2, 90.0)
    with pytest.raises(ValueError, match="distance in metres"):
        AreaLawnmower.for_distance(math.inf, LAKE, margin=1.0)
