"""What simulated vehicles have in common: their whole state is a pose, and how many legs and ticks there were."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

from numpy.random import Generator

from akrig.geometry import Pose
from akrig.types import Measurement, Plan


class DiscreteTimeVehicle(ABC):
    """Its clock counts ticks, so that it never gathers rounding errors.

    Args:
        noise: the sensor's random generator for leg number so-and-so.
    """

    def __init__(self, pose: Pose, *, noise: Callable[[int], Generator], ticks_per_second: float) -> None:
        self._pose, self._noise, self._ticks_per_second = pose, noise, ticks_per_second
        self._leg, self._ticks = 0, 0

    @abstractmethod
    def follow(self, plan: Plan) -> Iterator[Measurement]: ...

    @property
    def pose(self) -> Pose:
        return self._pose

    @property
    def clock(self) -> float:
        return self._ticks / self._ticks_per_second

    @property
    def state(self) -> dict[str, Any]:
        return {
            "position": list(self._pose.position),
            "heading": self._pose.heading,
            "leg": self._leg,
            "ticks": self._ticks,
        }

    def restore(self, state: dict[str, Any]) -> None:
        self._pose = Pose(tuple(state["position"]), state["heading"])
        self._leg, self._ticks = state["leg"], state["ticks"]

    def _begin_leg(self) -> Generator:
        self._leg += 1
        return self._noise(self._leg - 1)
