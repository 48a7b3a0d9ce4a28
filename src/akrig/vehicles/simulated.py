"""The paper's boat: it turns, slows down near its goal, and reads its sensor at a steady rate on the way."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from akrig.geometry import Pose
from akrig.protocols import Sensor
from akrig.types import Measurement, Plan
from akrig.vehicles.discrete_time import DiscreteTimeVehicle
from akrig.vehicles.kinematics import unicycle
from akrig.vehicles.tracking import towards


@dataclass(frozen=True)
class _Approach:
    """How near a waypoint must come to count as reached, and from where on the vehicle slows down for it."""

    radius: float
    slowdown_radius: float


class SimulatedVehicle(DiscreteTimeVehicle):
    """Planar kinematics under a tracking controller; the defaults are the paper's.

    Args:
        noise: the sensor's random generator for leg number so-and-so.
        speed: at most, metres per second.
        sampling_rate: readings per second; the interval is rounded to whole control steps, and goes on from leg to leg.
        control_rate: steps per second.
        goal_radius: the last waypoint of a plan is reached when nearer than this, metres.
        slowdown_radius: see `tracking.towards`, metres; waypoints on the way are passed at half of it, at full speed.
        turn_gain: turn rate per radian of bearing, 1 / second.
    """

    def __init__(
        self,
        sensor: Sensor,
        *,
        pose: Pose,
        noise: Callable[[int], Generator],
        speed: float = 1.0,
        sampling_rate: float = 1.0,
        control_rate: float = 10.0,
        goal_radius: float = 0.1,
        slowdown_radius: float = 1.0,
        turn_gain: float = 2.0,
    ) -> None:
        numbers = {
            "speed": speed,
            "sampling_rate": sampling_rate,
            "control_rate": control_rate,
            "goal_radius": goal_radius,
            "slowdown_radius": slowdown_radius,
            "turn_gain": turn_gain,
        }
        for name, value in numbers.items():
            if not 0 < value < math.inf:
                raise ValueError(f"{name} must be positive and finite; got {value}.")
        if len(pose.position) != 2:
            raise ValueError(f"SimulatedVehicle moves in a plane; got a pose in {len(pose.position)} dimensions.")
        super().__init__(pose, noise=noise, ticks_per_second=control_rate)
        self._sensor = sensor
        self._speed, self._turn_gain = speed, turn_gain
        self._stopping = _Approach(goal_radius, slowdown_radius)
        self._passing = _Approach(max(goal_radius, slowdown_radius / 2), goal_radius)
        self._ticks_per_reading = max(1, round(control_rate / sampling_rate))

    @classmethod
    def with_spacing(
        cls, sensor: Sensor, *, pose: Pose, noise: Callable[[int], Generator], speed: float, spacing: float
    ) -> "SimulatedVehicle":
        """The paper's boat, whose readings are a metre apart, made larger or smaller: so many metres at full speed."""
        sampling_rate = speed / spacing
        return cls(
            sensor,
            pose=pose,
            noise=noise,
            speed=speed,
            sampling_rate=sampling_rate,
            control_rate=10 * sampling_rate,
            goal_radius=0.1 * spacing,
            slowdown_radius=spacing,
            turn_gain=2 * sampling_rate,
        )

    def follow(self, plan: Plan) -> Iterator[Measurement]:
        rng = self._begin_leg()
        *on_the_way, last = plan.waypoints.tolist()
        goals = [*((goal, self._passing) for goal in on_the_way), (last, self._stopping)]
        for goal, approach in goals:
            arrived = False
            while not arrived:
                arrived = math.dist(self._pose.position, goal) < approach.radius
                self._move(goal, approach)
                if self._ticks % self._ticks_per_reading == 0:
                    value = self._sensor.measure(np.array([self._pose.position]), rng)[0]
                    if value == value:  # not NaN: a dropout is no reading
                        yield Measurement(self.clock, self._pose.position, value)

    def _move(self, goal: Sequence[float], approach: "_Approach") -> None:
        velocity, turn_rate = towards(
            self._pose, goal, speed=self._speed, slowdown_radius=approach.slowdown_radius, turn_gain=self._turn_gain
        )
        self._pose = unicycle(self._pose, velocity=velocity, turn_rate=turn_rate, seconds=1 / self._ticks_per_second)
        self._ticks += 1
