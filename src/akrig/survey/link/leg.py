"""One straight way to a place, and whether the boat is getting on."""

import math

NEARER = 1.0  # metres that count as progress
NEARLY = 3.0  # metres beyond the radius at which the boat's own word is believed: its idea of arrival is another


class Leg:
    """Args:
    radius: nearer than this, the place is reached.
    patience: boat seconds without coming nearer.
    """

    def __init__(self, goal: tuple[float, float], radius: float, *, patience: float) -> None:
        self.goal, self.radius, self.patience = goal, radius, patience
        self._arrivals: int | None = None
        self._nearest, self._since = math.inf, math.nan
        self._distance = math.inf

    def has_arrived(self, position: tuple[float, ...], arrivals: int) -> bool:
        """By its position; or because the boat says so, and is nearly there."""
        self._arrivals = arrivals if self._arrivals is None else self._arrivals
        self._distance = math.dist(position, self.goal)
        nearly = max(3 * self.radius, self.radius + NEARLY)
        return self._distance < self.radius or (arrivals > self._arrivals and self._distance < nearly)

    def wait(self) -> None:
        self._since = math.nan

    def is_stuck(self, now: float) -> bool:
        if self._distance < self._nearest - NEARER or math.isnan(self._since):
            self._nearest, self._since = min(self._nearest, self._distance), now
        return now - self._since > self.patience
