"""Simulated vehicles: one that drives, as the paper's boat does, and one that is simply there."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from akrig.geometry import Pose, wrapped
from akrig.protocols import Sensor
from akrig.types import Measurement, Plan


class DiscreteTimeVehicle(ABC):
    """Its clock counts ticks, so that it never gathers rounding errors.

    Args:
        noise: the sensor's random generator for leg number so-and-so.
    """

    def __init__(self, pose: Pose, *, noise: Callable[[int], Generator], ticks_per_second: float) -> None:
        self.pose, self._noise, self._ticks_per_second = pose, noise, ticks_per_second
        self._leg, self._ticks = 0, 0

    @abstractmethod
    def follow(self, plan: Plan) -> Iterator[Measurement]: ...

    @property
    def clock(self) -> float:
        return self._ticks / self._ticks_per_second

    @property
    def state(self) -> dict[str, Any]:
        return {
            "position": list(self.pose.position),
            "heading": self.pose.heading,
            "leg": self._leg,
            "ticks": self._ticks,
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.pose = Pose(tuple(state["position"]), state["heading"])
        self._leg, self._ticks = state["leg"], state["ticks"]

    def _begin_leg(self) -> Generator:
        self._leg += 1
        return self._noise(self._leg - 1)


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
            self.pose = Pose(tuple(place[0]), self.pose.heading)
            self._ticks += 1
            value = self._sensor.measure(place, rng)[0]
            if value == value:  # not NaN: a dropout is no reading
                yield Measurement(self.clock, self.pose.position, value)


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
        # How near a waypoint must come to count as reached, and from where on the vehicle slows down for it.
        self._stopping = (goal_radius, slowdown_radius)
        self._passing = (max(goal_radius, slowdown_radius / 2), goal_radius)
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
        for goal, (radius, slowdown_radius) in goals:
            arrived = False
            while not arrived:
                arrived = math.dist(self.pose.position, goal) < radius
                self._move(goal, slowdown_radius)
                if self._ticks % self._ticks_per_reading == 0:
                    value = self._sensor.measure(np.array([self.pose.position]), rng)[0]
                    if value == value:  # not NaN: a dropout is no reading
                        yield Measurement(self.clock, self.pose.position, value)

    def _move(self, goal: Sequence[float], slowdown_radius: float) -> None:
        velocity, turn_rate = towards(
            self.pose, goal, speed=self._speed, slowdown_radius=slowdown_radius, turn_gain=self._turn_gain
        )
        self.pose = unicycle(self.pose, velocity=velocity, turn_rate=turn_rate, seconds=1 / self._ticks_per_second)
        self._ticks += 1


def unicycle(pose: Pose, *, velocity: float, turn_rate: float, seconds: float) -> Pose:
    """Forward along the heading, then turn: the paper's Dubins-like boat, Euler's way."""
    x, y = pose.position
    return Pose(
        (x + velocity * math.cos(pose.heading) * seconds, y + velocity * math.sin(pose.heading) * seconds),
        wrapped(pose.heading + turn_rate * seconds),
    )


def towards(
    pose: Pose, goal: Sequence[float], *, speed: float, slowdown_radius: float, turn_gain: float
) -> tuple[float, float]:
    """Velocity and turn rate, from the goal as the vehicle sees it (ahead, to the left).

    Nearer than `slowdown_radius` it slows down; a goal behind is approached backwards while turning.
    """
    dx, dy = goal[0] - pose.position[0], goal[1] - pose.position[1]
    cos, sin = math.cos(pose.heading), math.sin(pose.heading)
    ahead, left = cos * dx + sin * dy, -sin * dx + cos * dy
    return speed * math.tanh(ahead / slowdown_radius), turn_gain * math.atan2(left, ahead)
