from random import Random

import numpy as np
import pytest

from akrig.fields import GridField
from akrig.geometry import Box
from akrig.survey.boat.beds import Flat
from akrig.survey.boat.sensors import FIRST_FIX, SURE_OUTLIERS, Gps, Imu, Sonar
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


BOX = Box((-100, -100), (100, 100))
QUIET = {"sonar_noise_std": 0.0, "sonar_outlier_rate": 0.0, "sonar_dropout_rate": 0.0}


def pings(count: int, *, bed=None, place=(0.0, 0.0), silent=False, **settings) -> list:
    settings = {**QUIET, **settings}
    sonar = Sonar(BoatSettings(**settings), bed or Flat(8.0, BOX), rng=Random(5))
    found = []
    for n in range(count):
        sonar.step(n / 5 + 1e-6, place, silent=silent)
        found.append(sonar.last)
    return found


def test_measures_the_depth_below_the_boat():
    slope = GridField(np.array([[2.0, 4.0], [2.0, 4.0]]), BOX)
    for x, depth in ((-50, 2.0), (0, 3.0), (50, 4.0)):
        assert pings(1, bed=slope, place=(float(x), 3.0))[0].distance == pytest.approx(depth)


def test_noise_has_the_spread_asked_for():
    assert np.std([echo.distance for echo in pings(3000, sonar_noise_std=0.2)]) == pytest.approx(0.2, rel=0.05)


def test_dropouts_bring_no_reading():
    missing = sum(echo is None for echo in pings(4000, sonar_dropout_rate=0.1))
    assert missing / 4000 == pytest.approx(0.1, abs=0.02)


def test_outliers_mostly_but_not_always_come_with_low_confidence():
    echoes = pings(6000, sonar_outlier_rate=0.1, sonar_outlier_std=2.0)
    off = [echo for echo in echoes if echo.distance != pytest.approx(8.0)]
    assert len(off) / 6000 == pytest.approx(0.1, abs=0.015)
    sure = sum(echo.confidence >= 80 for echo in off) / len(off)
    assert sure == pytest.approx(SURE_OUTLIERS, abs=0.06)
    fine = [echo for echo in echoes if echo.distance == pytest.approx(8.0)]
    assert 0.9 < sum(echo.confidence >= 80 for echo in fine) / len(fine) < 1


def test_one_rate_does_not_change_the_fate_of_other_pings():
    plain, lossy = pings(500, sonar_noise_std=0.1), pings(500, sonar_noise_std=0.1, sonar_dropout_rate=0.2)
    both = [(a, b) for a, b in zip(plain, lossy, strict=True) if b is not None]
    assert 300 < len(both) < 500
    assert all(a == b for a, b in both)


@pytest.mark.parametrize(("depth", "shown"), [(0.2, 0.5), (80.0, 50.0)])
def test_out_of_range_is_said(depth, shown):
    echo = pings(1, bed=Flat(depth, BOX), sonar_min=0.5, sonar_max=50.0)[0]
    assert (echo.in_range, echo.distance, echo.confidence) == (False, shown, 1)


def test_nothing_comes_back_from_land_or_unknown_ground():
    for depth in (float("nan"), -3.0):
        assert pings(1, bed=Flat(depth, BOX)) == [None]


def test_a_silent_sonar_is_silent():
    assert pings(20, silent=True) == [None] * 20
