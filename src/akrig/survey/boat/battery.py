"""A four-cell battery: what is left of it, and its voltage under load."""

import math
from bisect import bisect_right

from akrig.survey.boat.settings import BoatSettings

_CURVE = ((0.0, 12.0), (0.1, 13.4), (0.2, 14.1), (0.5, 14.9), (1.0, 16.6))  # share left, volts without load
RESISTANCE = 0.03  # ohms
NOMINAL = 14.8  # volts


class Battery:
    """Drained by the thrusters and by everything else on board.

    Attributes:
        share: what is left of it; the autopilot counts it from the current, without a look at the voltage.
        shown: volts that a fault shows instead of the true ones.
    """

    def __init__(self, settings: BoatSettings) -> None:
        self._capacity = settings.battery_capacity
        self._hotel = settings.hotel_power
        self.share = settings.battery_start
        self.shown: float | None = None
        self.current = 0.0
        self.used = 0.0  # ampere hours

    def step(self, dt: float, propulsion: float) -> None:
        """`propulsion`: watts."""
        self.current = (propulsion + self._hotel) / NOMINAL
        drawn = self.current * dt / 3600
        self.used += drawn
        self.share = max(0.0, self.share - drawn / self._capacity)

    @property
    def voltage(self) -> float:
        """Under the load of this moment."""
        if self.shown is not None:
            return self.shown
        index = min(max(bisect_right(_CURVE, (self.share, math.inf)), 1), len(_CURVE) - 1)
        (a, low), (b, high) = _CURVE[index - 1], _CURVE[index]
        return low + (high - low) * (self.share - a) / (b - a) - RESISTANCE * self.current


def propulsion_power(thrust: float) -> float:
    """Watts for newtons: about 8 W per newton when pushing gently, more when pushing hard."""
    return 6.0 * abs(thrust) + 0.15 * thrust * thrust
