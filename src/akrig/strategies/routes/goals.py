"""What a route may be planned to reach, told by the standard deviation of a reading in every cell of the map."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from akrig.protocols import Belief, Experienced, capability
from akrig.s44 import SharedError, SurveyOrder
from akrig.types import Points, Values

Reached = Callable[[Values], bool]


@runtime_checkable
class Goal(Protocol):
    def over(self, belief: Belief, places: Points) -> Reached:
        """Whether standard deviations at these places, in their order, are good enough."""
        ...


@dataclass(frozen=True)
class MeanDeviation:
    """On average over the map, in the sensor's units."""

    most: float

    def over(self, belief: Belief, places: Points) -> Reached:
        return lambda std: float(std.mean()) <= self.most


@dataclass(frozen=True)
class OrderMet:
    """A share of the map meets the vertical uncertainty of an order of survey, each cell by its own depth."""

    order: SurveyOrder
    share: float
    shared: SharedError

    def over(self, belief: Belief, places: Points) -> Reached:
        experience = capability(belief, Experienced)
        if experience is not None and not len(experience.samples):
            return lambda std: False  # nobody knows how deep it is
        depth = belief.predict(places).mean
        return lambda std: float(self.order.is_met(depth, self.shared.added(depth, std)).mean()) >= self.share


@dataclass(frozen=True)
class AllOf:
    """Several goals."""

    goals: tuple[Goal, ...]

    def over(self, belief: Belief, places: Points) -> Reached:
        each = [goal.over(belief, places) for goal in self.goals]
        return lambda std: all(reached(std) for reached in each)
