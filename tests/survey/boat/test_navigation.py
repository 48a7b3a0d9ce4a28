from math import pi

import numpy as np
import pytest

from akrig.survey.boat import Fault
from akrig.survey.boat.dialect import Mode
from akrig.survey.boat.navigation import LOST_AFTER, SETTLING
from akrig.survey.boat.sensors import FIRST_FIX
from tests.survey.boat.rig import Rig

READY = FIRST_FIX + SETTLING


def errors(rig: Rig) -> np.ndarray:
    """Of place and velocity, east and north."""
    boat, navigation = rig.boat, rig.boat.navigation
    truth = (*boat.position, *boat.motion.over_ground(boat.weather.current))
    return np.array((*navigation.position, *navigation.velocity)) - truth


def test_settles_some_seconds_after_start():
    rig = Rig()
    rig.run(READY - 0.5)
    assert not rig.boat.navigation.has_position
    rig.run(1.0)
    assert rig.boat.navigation.has_position


def test_errors_are_as_large_as_the_filter_says():
    """Normalised squared errors of four numbers average four, over boats and time, if the covariance is honest."""
    scores = []
    for seed in range(8):
        rig = Rig(seed=seed, wind_speed=3, gusts=1, current_speed=0.2).ready()
        rig.go_to(60, 40 * (-1) ** seed)
        for _ in range(20):
            rig.run(3)
            covariance = rig.boat.navigation.covariance[:4, :4]
            error = errors(rig)
            scores.append(error @ np.linalg.solve(covariance, error))
    assert 2.0 < np.mean(scores) < 7.0
    assert np.quantile(scores, 0.95) < 20  # 9.5 for an ideal filter


def test_is_better_than_its_gps():
    rig = Rig(gps_noise_std=1.0, gps_drift_std=0.0, wind_speed=3).ready()
    rig.go_to(80, 0)
    off = []
    for _ in range(150):
        rig.run(0.2)
        off.append(np.hypot(*errors(rig)[:2]))
    assert np.mean(off) < 0.7  # the GPS alone: 1.25


def test_knows_its_heading_and_turn_rate():
    rig = Rig(heading=2.0).ready()
    rig.go_to(-50, 30)
    rig.run(20)
    off = (rig.boat.navigation.heading - rig.boat.heading + pi) % (2 * pi) - pi
    assert abs(off) < 0.06
    assert rig.boat.navigation.turn == pytest.approx(rig.boat.motion.turn, abs=0.05)


def test_dead_reckons_without_gps_for_a_while():
    rig = Rig(seed=3).ready()
    rig.go_to(0, 200)
    rig.run(20)
    rig.boat.inject(Fault("gps"))
    rig.run(LOST_AFTER - 1)
    assert rig.boat.navigation.has_position
    assert np.hypot(*errors(rig)[:2]) < 4


def test_when_it_is_lost_its_word_runs_on_at_the_last_speed_though_the_boat_lies_still():
    rig = Rig().ready()
    rig.go_to(0, 200)
    rig.run(20)
    rig.boat.inject(Fault("gps"))
    rig.run(LOST_AFTER + 1)
    assert not rig.boat.navigation.has_position
    said, truth = rig.boat.navigation.position, rig.boat.position
    rig.run(30)
    assert rig.boat.mode is Mode.HOLD
    assert rig.away_from(*truth) < 5
    assert rig.boat.navigation.position[1] - said[1] == pytest.approx(30 * 1.5, abs=6)


def test_settles_again_when_gps_returns():
    rig = Rig(current_speed=0.3).ready(Mode.HOLD)
    rig.boat.inject(Fault("gps", seconds=30))
    rig.run(30 + READY - 1)
    assert not rig.boat.navigation.has_position
    rig.run(2)
    assert rig.boat.navigation.has_position
    assert np.hypot(*errors(rig)[:2]) < 2.5


def test_a_short_loss_costs_nothing():
    rig = Rig().ready()
    rig.boat.inject(Fault("gps", seconds=3))
    rig.run(15)
    assert rig.boat.navigation.has_position
