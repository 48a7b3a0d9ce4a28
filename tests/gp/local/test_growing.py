import numpy as np
import pytest

from akrig.gp.local.growing import GrowingRows, GrowingSamples
from akrig.types import Samples


def test_rows_that_come_one_by_one_are_seldom_copied(rng):
    rows, values, places = GrowingRows((2,)), rng.standard_normal((3000, 2)), set()
    for i in range(len(values)):
        rows.append(values[i : i + 1])
        places.add(rows.rows.__array_interface__["data"][0])
    assert np.array_equal(rows.rows, values)
    assert len(places) < 25


def test_what_was_looked_at_stays_what_it_was(rng):
    kept = GrowingSamples(2)
    kept.append(Samples(rng.standard_normal((5, 2)), np.arange(5.0)))
    before = kept.samples
    for _ in range(50):
        kept.append(Samples(np.zeros((1, 2)), np.zeros(1)))
    assert np.array_equal(before.y, np.arange(5.0))
    assert len(kept.samples) == 55
    with pytest.raises(ValueError, match="read-only"):
        kept.samples.X[0] = 1.0


def test_readings_of_other_dimensions_are_refused():
    kept = GrowingSamples(2)
    kept.append(Samples(np.zeros((1, 2)), np.zeros(1)))
    with pytest.raises(ValueError, match="Samples of 2 dimensions cannot take samples of 3"):
        kept.append(Samples(np.zeros((1, 3)), np.zeros(1)))
