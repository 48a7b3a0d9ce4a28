"""A single-beam echo sounder that looks down from the boat."""

from dataclasses import dataclass
from math import isfinite
from random import Random

import numpy as np

from akrig.protocols import Field
from akrig.survey.boat.dynamics import Pair
from akrig.survey.boat.settings import BoatSettings

SURE_OUTLIERS = 0.2  # share of the outliers that look like good readings
UNSURE_READINGS = 0.04  # share of the good readings that look like outliers
STALE = 0.5  # seconds after which the autopilot no longer passes a reading on


@dataclass(frozen=True)
class SonarReading:
    """One reading: metres, and the sonar's confidence, 1 to 100."""

    time: float
    distance: float
    confidence: int
    in_range: bool


class Sonar:
    """Pings `rate` times a second.

    Attributes:
        last: the latest echo, `None` when the latest ping brought none.
        is_silent: whether it says nothing at all.
    """

    def __init__(self, settings: BoatSettings, bed: Field, *, rng: Random) -> None:
        self._settings, self._bed, self._rng = settings, bed, rng
        self._next = 0.0
        self.last: SonarReading | None = None
        self.is_silent = False

    def step(self, time: float, position: Pair, *, silent: bool) -> None:
        self.is_silent = silent
        if time >= self._next - 1e-9:
            self._next = max(self._next + 1 / self._settings.sonar_rate, time)
            self.last = None if silent else self._ping(time, position)

    def current(self, time: float) -> SonarReading | None:
        return self.last if self.last is not None and time - self.last.time < STALE else None

    def _ping(self, time: float, position: Pair) -> SonarReading | None:
        settings, rng = self._settings, self._rng
        # Always the same draws per ping, so that one rate does not change the fate of another.
        lost, off, luck, sure, unsure = (rng.random() for _ in range(5))
        noise, jump = rng.gauss(0, 1), rng.gauss(0, 1)
        depth = float(self._bed(np.array([position]))[0])
        if not isfinite(depth) or depth <= 0 or lost < settings.sonar_dropout_rate:
            return None
        distance = depth + settings.sonar_noise_std * noise
        is_off = off < settings.sonar_outlier_rate
        if is_off:
            distance = abs(distance + settings.sonar_outlier_std * jump)
        looks_good = luck < SURE_OUTLIERS if is_off else luck >= UNSURE_READINGS
        confidence = round(80 + 20 * sure) if looks_good else round(5 + 40 * unsure)
        if not settings.sonar_min <= distance <= settings.sonar_max:
            edge = min(max(distance, settings.sonar_min), settings.sonar_max)
            return SonarReading(time, edge, 1, in_range=False)
        return SonarReading(time, distance, confidence, in_range=True)
