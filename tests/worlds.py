"""Small real objects that many tests share."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from akrig.geometry import Box, Pose
from akrig.randomness import Randomness
from akrig.vehicles import PointSensor, SimulatedVehicle, Teleport

EXTENT = Box((-11, -11), (11, 11))
WORKSPACE = Box((-10, -10), (10, 10))


@dataclass(frozen=True)
class Waves:
    """Gentle on the left, lively on the right; no data where `hole` says so."""

    extent: Box = EXTENT
    hole: Callable[[np.ndarray], np.ndarray] | None = None

    def __call__(self, X: np.ndarray) -> np.ndarray:
        y = 20 * np.sin(0.3 * X[:, 0]) + np.where(X[:, 0] > 0, 10 * np.sin(3 * X[:, 1]), 0.0)
        return y if self.hole is None else np.where(self.hole(X), np.nan, y)


def noise(leg: int) -> Generator:
    return Randomness(0).generator("sensor", leg)


def teleport(sensor=None) -> Teleport:
    return Teleport(sensor or PointSensor(Waves()), pose=Pose((0, 0)), noise=noise)


def boat(sensor=None, **settings) -> SimulatedVehicle:
    return SimulatedVehicle(sensor or PointSensor(Waves()), pose=Pose((0, 0), np.pi / 2), noise=noise, **settings)
