"""A vehicle that is simply there: for the study of where to measure, without how to get there."""

from collections.abc import Callable, Iterator

from numpy.random import Generator

from akrig.geometry import Pose
from akrig.protocols import Sensor
from akrig.types import Measurement, Plan
from akrig.vehicles.discrete_time import DiscreteTimeVehicle


class Teleport(DiscreteTimeVehicle):
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
        super().__init__(pose, noise=noise, ticks_per_second=sampling_rate)
        self._sensor = sensor

    def follow(self, plan: Plan) -> Iterator[Measurement]:
        rng = self._begin_leg()
        for i in range(len(plan)):
            place = plan.waypoints[i : i + 1]
            self._pose = Pose(tuple(place[0]), self._pose.heading)
            self._ticks += 1
            value = self._sensor.measure(place, rng)[0]
            if value == value:  # not NaN: a dropout is no reading
                yield Measurement(self.clock, self._pose.position, value)
