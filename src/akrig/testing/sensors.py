"""Does a sensor read one value per place, and draw its errors from the generator it is given?"""

import numpy as np

from akrig.geometry import Box
from akrig.protocols import Sensor
from akrig.types import Points, Values

REPEATS = 150
NUM_ALONE = 6
ROUNDING = 1e-6  # fields may compute one point and many by different instructions, and in float32


def check_sensor(sensor: Sensor, *, workspace: Box) -> None:
    """One reading per point, whatever the other points; NaN for none, never infinite; all randomness from `rng`.

    Args:
        workspace: where it can read, at least somewhere.
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
    _check_points_do_not_matter_to_each_other(sensor, X)


def _check_points_do_not_matter_to_each_other(sensor: Sensor, X: Points) -> None:
    """Read alone, a place gives the same distribution of readings as among others."""
    among = np.array([_read(sensor, X, seed=[2, j]) for j in range(REPEATS)])
    read = np.isfinite(among).any(axis=0)
    assert read.any(), "At least one reading must come back from somewhere in the workspace."
    for i in np.flatnonzero(read)[:NUM_ALONE].tolist():
        place = X[i : i + 1]
        alone = np.concatenate([_read(sensor, place, seed=[3, i, j]) for j in range(REPEATS)])
        share = _share_below(among[:, i], alone, rounding=ROUNDING * float(np.nanmax(np.abs(among))))
        # If they are alike, the share is 1/2 with a standard deviation of 1 / sqrt(6 REPEATS) or less: 1/30.
        assert abs(share - 0.5) < 0.2, (
            f"A reading at {place[0].tolist()} differs when other points are measured with it: each must depend on "
            "its own place only."
        )


def _read(sensor: Sensor, X: Points, *, seed: list[int]) -> Values:
    y = sensor.measure(X, np.random.default_rng(seed))
    assert y.shape == (len(X),), f"measure must give one reading per point, ({len(X)},); got {y.shape}."
    assert not np.isinf(y).any(), "A reading must be finite, or NaN if none came back."
    return y


def _share_below(a: Values, b: Values, *, rounding: float) -> float:
    """How often a reading of `a` lies below one of `b`, ties halved (Mann and Whitney); none at all lies lowest.

    Ranks, since readings may have outliers, drop out, or be whole numbers.
    """
    lowest = np.nanmin([*a, *b, 0.0]) - 1 - 2 * rounding
    a, b = np.nan_to_num(a, nan=lowest), np.nan_to_num(b, nan=lowest)
    difference = b - a[:, None]
    return float(np.mean(difference > rounding) + np.mean(np.abs(difference) <= rounding) / 2)
