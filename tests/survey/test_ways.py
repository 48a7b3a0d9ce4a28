import contextlib
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akrig.errors import PlanRefused
from akrig.geometry import Box, Pose
from akrig.strategies.pilot import KnowsNothing
from akrig.strategies.routes import Route
from akrig.survey.area import Area, read_area
from akrig.survey.build import build_planning
from akrig.survey.reserve import Affordable, WayHome
from akrig.survey.settings import area_of, load_survey
from akrig.survey.start import StationaryBoat
from akrig.survey.strategies import AreaLawnmower, Routed
from akrig.survey.ways import AreaWays
from akrig.testing import check_strategy
from akrig.types import Budget, Samples, Situation
from tests.survey.area.test_area import FRAME
from tests.survey.area.test_routes import SQUARE, worlds
from tests.survey.pond import write_pond

MARGIN, RESERVE = 4.0, 1.2
LAKE = read_area(Path(__file__).parents[2] / "examples" / "lake.geojson")
assert LAKE.home is not None
QUICK = Route(num_cells=60, effort=40, reading_spacing=2.0, stretch=1.0)


def ways_in(area, home, *, margin=MARGIN, room=None):
    return AreaWays(area, home, margin, margin if room is None else room, RESERVE)


def situation(area, at, metres):
    return Situation(Pose(tuple(at)), area.extent, Budget(distance=metres), 1, lambda X: area.allows(X, margin=MARGIN))


def way_of(route, now, belief=None):
    return route.plan(belief or KnowsNothing(), now, np.random.default_rng(0)).waypoints


def length(begin, waypoints):
    return float(np.hypot(*np.diff(np.vstack([begin, waypoints]), axis=0).T).sum())


def test_satisfies_the_strategy_contract():
    box = Box((-20, 10), (80, 70))
    area = Area(FRAME, box.grid(2, 2)[[0, 1, 3, 2]], (box.scaled(0.2).grid(2, 2)[[0, 1, 3, 2]] + 20,))
    check_strategy(replace(QUICK, effort=10, ways=ways_in(area, (0.0, 20.0), margin=0.0)), workspaces=[box])


@given(worlds(), st.sampled_from([0.0, 1.0, 4.0]), st.floats(0, 600))
@settings(max_examples=40)
def test_never_leaves_the_area_nor_strands_the_boat(world, margin, metres):
    """Random keep-outs, any place and home in them or not, budgets from zero up."""
    islands, begin, home = world
    try:
        area = Area(FRAME, SQUARE, islands)
    except ValueError:
        return  # nothing of it is left
    route = replace(QUICK, ways=ways_in(area, tuple(home.tolist()), margin=margin))
    back = area.route_lengths(begin[None], home, margin=margin)[0]
    now = Situation(Pose(tuple(begin)), area.extent, Budget(distance=metres), 1)
    if not np.isfinite(back) or not area.allows(home[None], margin=margin)[0]:
        with contextlib.suppress(PlanRefused):
            way_of(route, now)
        return
    network = route.ways.network(now, route.num_cells)
    search = route.search(KnowsNothing(), now, network)
    stops = search.best(route.effort)
    assert network.home is not None
    gone, at = 0.0, begin
    for i, j in pairwise([0, *stops, network.home]):
        way = network.way(i, j)
        driven = list(pairwise([at, *way]))
        out = area.roads(margin).way_out(at)
        outside = 0 if out is None else len(out) - 1  # legs that lead a boat that has drifted back into the area
        inner = driven[outside:] if i == 0 else driven
        if j != network.home or len(network.way(i, j)) == 1:
            assert all(area.allows_leg(a, b, margin=margin) for a, b in inner)
        assert sum(math.dist(a, b) for a, b in driven) == pytest.approx(network.metres[i, j], abs=1e-6)
        if j != network.home:
            gone += network.metres[i, j]
            needed = RESERVE * area.route_lengths(way[-1:], home, margin=margin)[0]
            assert gone + needed <= metres + RESERVE * back + 1e-4
        at = way[-1]
    assert at == pytest.approx(home)


@st.composite
def fences(draw):
    """About (50, 50), with as many bays and headlands as it likes."""
    reaches = np.array(draw(st.lists(st.floats(15, 70), min_size=3, max_size=9)))
    angles = 2 * np.pi * (np.arange(len(reaches)) + draw(st.floats(0, 0.9))) / len(reaches)
    return 50 + reaches[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])


@given(fences(), worlds(), st.sampled_from([0.0, 1.0, 4.0]), st.floats(0, 500))
@settings(max_examples=40)
def test_a_survey_of_any_area_stays_in_it_and_comes_home(fence, world, margin, metres):
    """Plan after plan as a survey makes them; each is what a strategy that was not there before would have planned."""
    islands, begin, home = world[0], *(50 + (place - 50) / 2 for place in world[1:])
    try:
        area = Area(FRAME, fence, islands)
    except ValueError:
        return  # nothing of it is left
    places, at_home = np.vstack([begin, home]), tuple(home.tolist())
    back = area.route_lengths(begin[None], home, margin=margin)[0]
    can_begin = bool(area.allows(places, margin=margin).all() and np.isfinite(back))
    way_home, at, gone = WayHome(area, at_home, margin, RESERVE, speed=1.5), begin, 0.0

    def strategy():
        route = replace(QUICK, num_cells=30, effort=15, stretch=0.3, ways=ways_in(area, at_home, margin=margin))
        return Affordable(Routed(route, area, margin), way_home)

    def is_open(X):
        return area.reachable(X, at_home, margin=margin)

    for epoch in range(1, 5):
        left = Budget(distance=metres - gone).minus(way_home.needs(Pose(tuple(at))))
        if left.is_spent:
            break
        now = Situation(Pose(tuple(at)), area.extent, left, epoch, is_open)
        try:
            way = strategy().plan(KnowsNothing(), now, np.random.default_rng(epoch)).waypoints
        except PlanRefused:
            assert not can_begin
            return
        assert np.array_equal(way, strategy().plan(KnowsNothing(), now, np.random.default_rng(epoch)).waypoints)
        if not can_begin:
            return  # the vehicle finds a way out, or says that there is none
        if not np.array_equal(way, home[None]):  # the vehicle itself finds the way home
            assert all(area.allows_leg(a, b, margin=margin) for a, b in pairwise([at, *way]))
            gone += length(at, way)
            at = way[-1]
        needed = area.route_lengths(at[None], home, margin=margin)[0]
        assert gone + needed <= metres + 1e-4


def test_ways_are_hardly_longer_than_the_shortest():
    network = ways_in(LAKE, LAKE.home).network(situation(LAKE, LAKE.home, 900), 60)
    rng = np.random.default_rng(0)
    for i, j in rng.choice(network.stops, (40, 2)):
        shortest = LAKE.route_lengths(network.places[i][None], network.places[j], margin=MARGIN)[0]
        assert shortest - 1e-6 <= network.metres[i, j] <= shortest + 0.5


def test_is_never_worse_than_the_areas_own_lawnmower():
    route = replace(QUICK, num_cells=150, effort=100, ways=ways_in(LAKE, LAKE.home))
    for num_lines in (3, 6):
        mower = AreaLawnmower(LAKE, num_lines, margin=MARGIN)
        metres = mower.length(begin=LAKE.home, home=LAKE.home) + 0.2 * 320  # a fifth of the way home stays in reserve
        now = situation(LAKE, LAKE.home, metres)
        search = route.search(KnowsNothing(), now, route.ways.network(now, route.num_cells))
        best = search.best(route.effort)
        at, seen = np.array(LAKE.home), [np.array(LAKE.home)[None]]
        for epoch in range(1, num_lines + 1):
            plan = replace(mower, spacing=2.0).plan(
                KnowsNothing(), replace(now, pose=Pose(tuple(at)), epoch=epoch), np.random.default_rng(0)
            )
            seen.append(plan.waypoints)
            at = plan.waypoints[-1]
        readings = search.network.cells.of(np.concatenate(seen))
        assert search.left(best) < search._forecast.left(readings)


def test_lines_that_end_at_a_border_may_be_driven():
    """What may be visited says no of places on a border itself, by rounding."""
    now = replace(
        situation(LAKE, LAKE.home, 900), is_open=lambda X: LAKE.reachable(X, LAKE.home or (0, 0), margin=MARGIN)
    )
    network = ways_in(LAKE, LAKE.home).network(now, 60)
    assert [len(pattern) for pattern in network.patterns[:4]] == [1, 2, 3, 4]


def test_home_that_cannot_be_reached_is_said():
    wall = np.array([[45.0, -1], [55, -1], [55, 101], [45, 101]])
    area = Area(FRAME, SQUARE, (wall,))
    with pytest.raises(PlanRefused, match=r"no way home from \(20.0, 20.0\) that keeps 4 m"):
        way_of(replace(QUICK, ways=ways_in(area, (80.0, 50.0))), situation(area, (20, 20), 300))


def test_home_on_the_very_border_is_said():
    """Found by the property above: the way out of the margin led there, the way back did not."""
    fence = np.array([[65.0, 50], [50, 65], [35, 50], [50, 35]])
    area = Area(FRAME, fence, (np.array([[3.0, 0], [-1.5, 2.6], [-1.5, -2.6]]),))
    with pytest.raises(PlanRefused, match="no way home"):
        way_of(replace(QUICK, ways=ways_in(area, (35.0, 50.0), margin=1.0)), situation(area, (35, 50), 1.0))


def test_home_on_land_is_said():
    with pytest.raises(PlanRefused, match="Home lies outside"):
        way_of(replace(QUICK, ways=ways_in(LAKE, (1000.0, 0.0))), situation(LAKE, LAKE.home, 300))


def test_a_boat_that_drifted_into_the_margin_is_led_out_of_it():
    area = Area(FRAME, SQUARE)
    way = way_of(replace(QUICK, ways=ways_in(area, (50.0, 50.0))), situation(area, (1.0, 30.0), 200))
    assert (area.clearance(way) >= MARGIN - 1e-6).all()


@pytest.mark.parametrize("metres", [300.0, 900.0])
def test_the_boat_comes_home_with_its_budget_spent(metres):
    """Plan after plan, by as much as a survey allows, until there is no place worth going to."""
    assert LAKE.home is not None
    way_home = WayHome(LAKE, LAKE.home, MARGIN, RESERVE, speed=1.5)
    route = Routed(replace(QUICK, stretch=0.2, ways=ways_in(LAKE, LAKE.home)), LAKE, MARGIN)
    affordable, at, gone, legs = Affordable(route, way_home), np.array(LAKE.home), 0.0, 0
    for epoch in range(1, 100):
        left = Budget(distance=metres - gone).minus(way_home.needs(Pose(tuple(at))))
        now = replace(situation(LAKE, at, 0), remaining=left, epoch=epoch)
        if left.is_spent or not affordable.is_anywhere(now, np.random.default_rng(epoch)):
            break
        way = affordable.plan(KnowsNothing(), now, np.random.default_rng(epoch)).waypoints
        gone, at, legs = gone + length(at, way), way[-1], epoch
    back = LAKE.route_lengths(at[None], LAKE.home, margin=MARGIN)[0]
    assert 0.9 * metres < gone + back <= metres
    assert legs < 60


def test_a_survey_can_be_driven_along_routes(tmp_path):
    settings = load_survey(
        write_pond(tmp_path), {"strategy": {"name": "route", "options": {"effort": 30}}, "pilot": {"name": "none"}}
    )
    assert settings.survey is not None
    area = area_of(settings.survey)
    assert area.home is not None
    stationary = StationaryBoat(Pose(area.home), 0.0)
    told = []
    planning = build_planning(settings, area, area.home, vehicle=stationary, truth=None, tell=told.append)
    mission = planning.parts.mission
    now = replace(mission.situation, remaining=Budget(distance=200.0))
    plan, again = (mission.strategy.plan(mission.model, now, np.random.default_rng(0)).waypoints for _ in range(2))
    planning.worker.close()
    assert not told
    assert np.array_equal(plan, again)
    assert area.clearance(plan).min() >= 6.0 - 1e-6


def test_a_survey_with_a_target_plans_no_farther_than_it_takes(tmp_path):
    """`target.uncertainty` is what the strategy goes for, not only what ends the survey."""

    def planned_metres(target):
        options = {"effort": 60, "stretch": 1.0, "doubt": 0.0}
        chosen = {"strategy": {"name": "route", "options": options}, "pilot": {"name": "none"}, "target": target}
        settings = load_survey(write_pond(tmp_path), chosen)
        area = area_of(settings.surveyed)
        assert area.home is not None
        boat = StationaryBoat(Pose(area.home), 0.0)
        planning = build_planning(settings, area, area.home, vehicle=boat, truth=None, tell=pytest.fail)
        mission = planning.parts.mission
        X = area.extent.grid(12, 12)
        X = X[area.allows(X)][::5]
        mission.model.observe(Samples(X, np.sin(X[:, 0] / 9) + np.cos(X[:, 1] / 9)))
        now = replace(mission.situation, remaining=Budget(distance=600.0))
        way = mission.strategy.plan(mission.model, now, np.random.default_rng(0)).waypoints
        points = planning.parts.scoring.points
        now_known = np.sqrt(mission.model.predict(points[area.allows(points)]).variance).mean()
        planning.worker.close()
        return length(area.home, way), float(now_known)

    whole, known = planned_metres({})
    shorter, _ = planned_metres({"uncertainty": 0.9 * known})
    assert shorter < 0.7 * whole
