"""Wind with gusts, and a steady current."""

from math import cos, exp, sin, sqrt
from random import Random

from akrig.survey.boat.dynamics import Pair
from akrig.survey.boat.settings import BoatSettings


class Weather:
    """What air and water do: `wind` and `current` are velocities east and north."""

    def __init__(self, settings: BoatSettings, *, rng: Random, dt: float) -> None:
        self._mean = _east_north(settings.wind_speed, settings.wind_towards)
        self.current: Pair = _east_north(settings.current_speed, settings.current_towards)
        self.wind: Pair = self._mean
        self._rng = rng
        # A gust wanders so that its spread is `gusts` at any time, whatever the step.
        self._keep = exp(-dt / settings.gust_seconds)
        self._kick = settings.gusts * sqrt(1 - self._keep**2)

    def step(self) -> None:
        if self._kick:
            (east, north), (mean_east, mean_north) = self.wind, self._mean
            self.wind = (
                mean_east + self._keep * (east - mean_east) + self._rng.gauss(0, self._kick),
                mean_north + self._keep * (north - mean_north) + self._rng.gauss(0, self._kick),
            )


def _east_north(speed: float, towards: float) -> Pair:
    return speed * sin(towards), speed * cos(towards)
