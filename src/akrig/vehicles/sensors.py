"""What comes back from the instrument. Each wrapper adds one imperfection to any sensor."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from akrig.protocols import Field, Sensor
from akrig.types import Points, Values


@dataclass(frozen=True)
class PointSensor:
    """Reads the field at a point, with Gaussian noise."""

    field: Field
    noise_std: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.noise_std < np.inf:
            raise ValueError(f"noise_std must be zero or more, and finite; got {self.noise_std}.")

    def measure(self, X: Points, rng: Generator) -> Values:
        return self.field(X) + rng.normal(0.0, self.noise_std, len(X))


@dataclass(frozen=True)
class VaryingNoise:
    """More Gaussian noise, with a standard deviation that depends on the place.

    Args:
        std: standard deviations at points (n, d), for instance a share of the depth there.
    """

    sensor: Sensor
    std: Callable[[Points], Values]

    def measure(self, X: Points, rng: Generator) -> Values:
        return self.sensor.measure(X, rng) + rng.standard_normal(len(X)) * self.std(X)


@dataclass(frozen=True)
class Outliers:
    """Now and then a reading is far off: fish, weeds, bubbles.

    Args:
        rate: the share of readings.
        std: how far off, in the sensor's units.
    """

    sensor: Sensor
    rate: float
    std: float

    def __post_init__(self) -> None:
        _check_rate(self.rate)

    def measure(self, X: Points, rng: Generator) -> Values:
        y = self.sensor.measure(X, rng)
        struck, error = rng.random(len(X)) < self.rate, rng.normal(0.0, self.std, len(X))
        return np.where(struck, y + error, y)


@dataclass(frozen=True)
class Dropouts:
    """Now and then nothing comes back: NaN, which vehicles leave out.

    Args:
        rate: the share of readings.
    """

    sensor: Sensor
    rate: float

    def __post_init__(self) -> None:
        _check_rate(self.rate)

    def measure(self, X: Points, rng: Generator) -> Values:
        y = self.sensor.measure(X, rng)
        return np.where(rng.random(len(X)) < self.rate, np.nan, y)


def _check_rate(rate: float) -> None:
    if not 0 <= rate <= 1:
        raise ValueError(f"A rate lies between 0 and 1; got {rate}.")
