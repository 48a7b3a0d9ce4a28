"""A vehicle that is simply there: for the study of where to measure, without how to get there."""

from collections.abc import Callable, Iterator
from typing import Any

from numpy.random import Generator

from akrig.geometry import Pose
from akrig.protocols import Sensor
from akrig.types import Measurement, Plan


class Teleport:
    """One reading at every waypoint.

    Args:
        noise: the sensor's random generator for leg number so-and-so.
        sampling_rate: readings per second on its clock.
    """

    def __init__(
        self, sensor: Sensor, *, pose: Pose, noise: Callable[[int], Generator], sampling_rate: float = 1.0
    ) -> None:
        if not sampling_rate > 0:
            raise ValueError(f"sampling_rate must be positive; got {sampling_rate}.")
        self._sensor, self._noise, self._sampling_rate = sensor, noise, sampling_rate
        self._pose, self._leg, self._ticks = pose, 0, 0

    @property
    def pose(self) -> Pose:
        return self._pose

    @property
    def clock(self) -> float:
        return self._ticks / self._sampling_rate

    def follow(self, plan: Plan) -> Iterator[Measurement]:
        rng = self._noise(self._leg)
        self._leg += 1
        for i in range(len(plan)):
            place = plan.waypoints[i : i + 1]
            self._pose = Pose(tuple(place[0]), self._pose.heading)
            self._ticks += 1
            value = self._sensor.measure(place, rng)[0]
            if value == value:  # not NaN: a dropout is no reading
                yield Measurement(self.clock, self._pose.position, value)

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
