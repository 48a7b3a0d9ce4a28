"""Places where the boat turns are as far from the borders as its turning circle wants."""

from dataclasses import replace

import numpy as np
import pytest

from akrig.geometry import Pose
from akrig.strategies.pilot import KnowsNothing
from akrig.survey.build import build_planning
from akrig.survey.link.turning import TurningCircle
from akrig.survey.settings import area_of, load_survey
from akrig.survey.start import StationaryBoat
from akrig.types import Budget, Situation
from tests.survey.harbour import write_pond


@pytest.mark.parametrize("radius", [2.0, 5.0])
def test_ends_of_lines_and_waypoints_leave_room_to_turn(tmp_path, radius):
    settings = load_survey(write_pond(tmp_path), {"safety": {"turning_radius": radius}})
    assert settings.survey is not None
    area, circle = area_of(settings.survey), TurningCircle(radius)
    assert area.home is not None
    stationary = StationaryBoat(Pose(area.home), 0.0)
    planning = build_planning(settings, area, area.home, vehicle=stationary, truth=None, tell=print, turning=circle)
    planning.worker.close()
    mission = planning.parts.mission
    room = {2.0: 6.0, 5.0: 8.5}[radius]  # a margin of 6 m: the boat is stopped at 3 m

    def nearest(room_of_circle: float) -> float:
        circle.radius = room_of_circle
        X = np.random.default_rng(0).uniform(area.extent.lower, area.extent.upper, (5000, 2))
        assert mission.is_open is not None
        return float(area.clearance(X[mission.is_open(X)]).min())

    assert room <= nearest(radius) < room + 1
    assert 10.5 <= nearest(7.0) < 11.5  # it was seen to need more

    situation = Situation(Pose(area.home), area.extent, Budget(), 0)
    way = mission.pilot.plan(KnowsNothing(), situation, np.random.default_rng(0)).waypoints
    assert area.clearance(way).min() >= 6.0 - 1e-6
    ends = way[[int(np.argmin(way[:, 0])), int(np.argmax(way[:, 0]))]]
    assert area.clearance(ends).min() >= room - 1e-6


@pytest.mark.parametrize("strategy", ["myopic", "active", "random", "route"])
def test_with_too_few_metres_for_any_place_the_boat_comes_home_quietly(tmp_path, strategy):
    settings = load_survey(write_pond(tmp_path), {"strategy": {"name": strategy}})
    assert settings.survey is not None
    area, told = area_of(settings.survey), []
    assert area.home is not None
    x, y = area.home
    stationary = StationaryBoat(Pose((x + 3.0, y)), 0.0)
    planning = build_planning(settings, area, (x, y), vehicle=stationary, truth=None, tell=told.append)
    mission = planning.parts.mission
    now = replace(mission.situation, remaining=Budget(distance=2.0), epoch=3)
    way = mission.strategy.plan(mission.model, now, np.random.default_rng(0)).waypoints
    planning.worker.close()
    assert told == []
    assert way[-1] == pytest.approx(area.home)
