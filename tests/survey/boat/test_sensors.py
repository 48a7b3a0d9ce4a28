from random import Random

import numpy as np
import pytest

from akrig.survey.boat.sensors import FIRST_FIX, Gps, Imu
from akrig.survey.boat.settings import BoatSettings

DT = 0.05


def fixes(seconds: float, *, gps: Gps | None = None, blind=lambda time: False, **settings) -> list:
    gps = gps or Gps(BoatSettings(**settings), rng=Random(1))
    times = [DT * n for n in range(round(seconds / DT))]
    reports = [gps.report(time, (3.0, 4.0), (1.0, -1.0), blind=blind(time)) for time in times]
    return [report for report in reports if report is not None]


def test_gps_reports_at_its_rate_and_finds_its_first_fix_after_a_while():
    reports = fixes(20, gps_rate=5)
    assert len(reports) == 100
    assert [fix.is_good for fix in reports] == [fix.time >= FIRST_FIX - 1e-6 for fix in reports]


def test_gps_noise_is_white_noise_plus_a_wandering_error():
    good = [fix for fix in fixes(4000, gps_noise_std=0.5, gps_drift_std=2.0, gps_drift_seconds=20) if fix.is_good]
    errors = np.array([fix.position for fix in good]) - (3, 4)
    assert errors.std() == pytest.approx(np.hypot(0.5, 2.0), rel=0.15)
    jumps = np.diff(errors, axis=0).std()
    assert jumps == pytest.approx(np.sqrt(2 * 0.5**2 + 2 * 2.0**2 * (1 - np.exp(-0.2 / 20))), rel=0.1)


def test_gps_velocity_has_its_own_noise():
    good = [fix for fix in fixes(500, gps_velocity_std=0.2) if fix.is_good]
    assert (np.array([fix.velocity for fix in good]) - (1, -1)).std() == pytest.approx(0.2, rel=0.1)


def test_a_blind_gps_says_so_and_needs_a_while_when_it_sees_again():
    reports = fixes(30, blind=lambda time: 10 <= time < 20)
    lost = [fix.time for fix in reports if not fix.is_good and fix.time > FIRST_FIX]
    assert lost[0] == pytest.approx(10)
    assert lost[-1] == pytest.approx(20 + FIRST_FIX, abs=0.3)
    assert all(fix.satellites < 4 and fix.hdop > 50 for fix in reports if not fix.is_good)


def test_imu_measures_in_the_boats_own_axes():
    imu = Imu(rng=Random(0))
    # Facing east, accelerating north: that is to port.
    readings = [imu.read(0.0, heading=np.pi / 2, turn=0.3, acceleration=(0.0, 1.0)) for _ in range(2000)]
    mean = np.mean([(r.turn, r.forward, r.starboard) for r in readings], axis=0)
    np.testing.assert_allclose(mean, [0.3, 0.0, -1.0], atol=0.08)


def test_compass_comes_less_often_than_the_gyro():
    imu = Imu(rng=Random(0))
    readings = [imu.read(DT * n, heading=1.0, turn=0.0, acceleration=(0.0, 0.0)) for n in range(200)]
    seen = [reading.compass for reading in readings if reading.compass is not None]
    assert len(seen) == 100
    assert np.mean(seen) == pytest.approx(1.0, abs=0.05)
