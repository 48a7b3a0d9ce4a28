import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.geometry import Box
from akrig.strategies.routes.cells import MapCells, apart
from akrig.strategies.routes.objectives import OBJECTIVES

CELLS = MapCells.over(Box((0, 0), (12, 9)), side=1.0, counts=None)
COVARIANCE = 4 * np.exp(-apart(CELLS.middles, CELLS.middles) / 5)
NOISE = 0.01
some_cells = st.lists(st.integers(0, len(CELLS) - 1), max_size=80).map(lambda cells: np.array(cells, dtype=int))


def forecast(objective="variance"):
    return OBJECTIVES[objective](COVARIANCE, NOISE, 0.1)


@given(st.lists(some_cells, min_size=2, max_size=6))
def test_what_was_asked_before_changes_no_answer(routes):
    """A change of another route, readings taken back included, is what a fresh forecast says."""
    used = forecast()
    for readings in routes:
        used.gains(readings)
        for other in (readings[::2], np.append(readings, [3, 3, 50]), routes[0]):
            assert used.variance(other) == pytest.approx(forecast().variance(other), rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("objective", sorted(set(OBJECTIVES) - {"mutual-information"}))
def test_a_gain_is_what_one_more_reading_lowers_the_objective_by(objective):
    """Nearly: slopes are those before the reading, so it is compared with the sum that they weigh."""
    used, readings = forecast(objective), np.arange(30, 70)
    before = used.variance(readings)
    gains = used.gains(readings)
    slopes = used.objective.slope(before)
    for cell in (0, 50, 107):
        after = forecast(objective).variance(np.append(readings, cell))
        gained = slopes @ (before - after)
        assert gains[cell] == pytest.approx(gained, rel=0.5 if cell == 50 else 1e-2)


def test_few_cells_stand_for_all():
    few, place = CELLS.few(27)
    assert len(few) == 30  # squares of two by two, and what is left of them at the border
    assert (place[few] == np.arange(len(few))).all()
    assert np.hypot(*(CELLS.middles - CELLS.middles[few][place]).T).max() < 1.5
    assert np.array_equal(CELLS.few(10_000)[0], np.arange(len(CELLS)))
