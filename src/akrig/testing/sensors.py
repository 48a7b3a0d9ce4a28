"""Does a sensor read one value per place, and draw its errors from the generator it is given?"""

import numpy as np

from akrig.geometry import Box
from akrig.protocols import Sensor


def check_sensor(sensor: Sensor, *, workspace: Box) -> None:
    """One reading per point, NaN for none, never infinite; the same generator gives the same readings.

    Args:
        workspace: where it can read.
    """
    assert isinstance(sensor, Sensor), "A sensor has a method measure(X, rng)."
    X = np.random.default_rng(0).uniform(workspace.lower, workspace.upper, (64, workspace.dim))
    before = X.copy()
    y = sensor.measure(X, np.random.default_rng(1))
    assert np.array_equal(X, before), "measure must not change the points."
    assert isinstance(y, np.ndarray), "measure must give an array."
    assert y.shape == (64,), f"measure must give one reading per point, (64,); got {y.shape}."
    assert y.dtype == np.float64, f"Readings must be float64; got {y.dtype}."
    assert not np.isinf(y).any(), "A reading must be finite, or NaN if none came back."
    again = sensor.measure(X, np.random.default_rng(1))
    assert np.array_equal(y, again, equal_nan=True), "The same generator must give the same readings."
    assert sensor.measure(X[:0], np.random.default_rng(1)).shape == (0,), "No points, no readings."
