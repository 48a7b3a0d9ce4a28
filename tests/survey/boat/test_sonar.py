from random import Random

import numpy as np
import pytest

from akrig.fields import GridField
from akrig.geometry import Box
from akrig.survey.boat.beds import Flat
from akrig.survey.boat.settings import BoatSettings
from akrig.survey.boat.sonar import SURE_OUTLIERS, Sonar

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
