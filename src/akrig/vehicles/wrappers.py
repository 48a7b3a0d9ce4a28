"""Around any vehicle: a fence, a time limit, a journal, a relay. To vary behaviour, wrap."""

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

import numpy as np

from akrig.errors import FenceBreach, PlanRefused
from akrig.geometry import Box, Pose, place_text
from akrig.protocols import Restorable, Vehicle, capability
from akrig.types import Measurement, Plan

T = TypeVar("T")


class _Around:
    """Passes on what a wrapper does not change."""

    def __init__(self, vehicle: Vehicle) -> None:
        self.vehicle = vehicle

    @property
    def pose(self) -> Pose:
        return self.vehicle.pose

    @property
    def clock(self) -> float:
        return self.vehicle.clock

    def offer(self, wanted: type[T]) -> T | None:
        """Only the state: whatever else a vehicle can do might go round its fence."""
        return capability(self.vehicle, wanted) if wanted is Restorable else None


def state_of(vehicle: Vehicle) -> dict[str, Any]:
    """Empty if the vehicle has none that can be restored."""
    restorable = capability(vehicle, Restorable)
    return {} if restorable is None else restorable.state


def restore(vehicle: Vehicle, state: dict[str, Any]) -> None:
    """A vehicle without a state, like a real boat, stays where it is."""
    restorable = capability(vehicle, Restorable)
    if state and restorable is not None:
        restorable.restore(state)


class Fenced(_Around):
    """Refuses plans that leave the fence, and stops at the first reading outside it.

    A box is convex: between two places inside it the straight way is inside too.
    """

    def __init__(self, vehicle: Vehicle, fence: Box) -> None:
        super().__init__(vehicle)
        self.fence = fence

    def follow(self, plan: Plan) -> Iterator[Measurement]:
        inside = self.fence.contains(plan.waypoints)
        if not inside.all():
            place = plan.waypoints[int(np.argmin(inside))].tolist()
            raise PlanRefused(f"Waypoint {place_text(place)} lies outside the fence {self.fence}.")
        for measurement in self.vehicle.follow(plan):
            self._check(measurement.position)
            yield measurement
        self._check(self.pose.position)

    def _check(self, position: tuple[float, ...]) -> None:
        if not self.fence.contains(np.array([position]))[0]:
            raise FenceBreach(
                f"The vehicle is at {place_text(position)}, outside the fence {self.fence}; "
                "shrink the workspace, or widen the fence."
            )


class TimeLimited(_Around):
    """Breaks off a leg that takes too long, by the vehicle's clock, which is looked at after every reading."""

    def __init__(self, vehicle: Vehicle, *, seconds_per_leg: float) -> None:
        super().__init__(vehicle)
        if not seconds_per_leg > 0:
            raise ValueError(f"seconds_per_leg must be positive; got {seconds_per_leg}.")
        self.seconds_per_leg = seconds_per_leg

    def follow(self, plan: Plan) -> Iterator[Measurement]:
        begin = self.clock
        for measurement in self.vehicle.follow(plan):
            yield measurement
            if self.clock - begin >= self.seconds_per_leg:
                return


@runtime_checkable
class ReadingLog(Protocol):
    """Where plans and readings are written down; a call returns when they are as safe as the log promises."""

    def plan(self, plan: Plan) -> None: ...

    def measurement(self, measurement: Measurement) -> None: ...


class Journaled(_Around):
    """Writes down the plan before it is followed, and every reading before it is used."""

    def __init__(self, vehicle: Vehicle, log: ReadingLog) -> None:
        super().__init__(vehicle)
        self.log = log

    def follow(self, plan: Plan) -> Iterator[Measurement]:
        self.log.plan(plan)
        for measurement in self.vehicle.follow(plan):
            self.log.measurement(measurement)
            yield measurement


class Continued(_Around):
    """A vehicle that cannot be restored, in a mission that goes on: its clock goes on from `begin`."""

    def __init__(self, vehicle: Vehicle, *, begin: float) -> None:
        super().__init__(vehicle)
        self.begin = begin

    @property
    def clock(self) -> float:
        return self.begin + self.vehicle.clock

    def follow(self, plan: Plan) -> Iterator[Measurement]:
        for measurement in self.vehicle.follow(plan):
            yield Measurement(self.begin + measurement.time, measurement.position, measurement.value)

    def offer(self, wanted: type[T]) -> T | None:
        """Nothing: a state would know nothing of the clock that goes on."""
        return None


class Relay:
    """The first leg by a scout, all others by a vehicle that starts where the scout ended, with a heading of its own.

    The paper's pilot readings lie exactly on a curve; its boat takes over at the curve's end.
    """

    def __init__(self, scout: Vehicle, vehicle: Vehicle) -> None:
        self._scout, self._vehicle, self._relieved = scout, vehicle, False

    @property
    def pose(self) -> Pose:
        return self._vehicle.pose if self._relieved else self._scout.pose

    @property
    def clock(self) -> float:
        """Goes on from the scout's."""
        return self._scout.clock + self._vehicle.clock

    def follow(self, plan: Plan) -> Iterator[Measurement]:
        if self._relieved:
            offset = self._scout.clock
            for measurement in self._vehicle.follow(plan):
                yield Measurement(measurement.time + offset, measurement.position, measurement.value)
        else:
            try:
                yield from self._scout.follow(plan)
            finally:  # also when the leg is broken off
                begin = {**state_of(self._vehicle), "position": list(self._scout.pose.position)}
                restore(self._vehicle, begin)
                self._relieved = True

    def offer(self, wanted: type[T]) -> T | None:
        """A state, if both have one."""
        both = [capability(vehicle, Restorable) for vehicle in (self._scout, self._vehicle)]
        return cast(T, _RelayState(self)) if wanted is Restorable and None not in both else None


class _RelayState:
    """Where both vehicles of a relay are, and which of them is under way."""

    def __init__(self, relay: Relay) -> None:
        self._relay = relay

    @property
    def state(self) -> dict[str, Any]:
        relay = self._relay
        return {"relieved": relay._relieved, "scout": state_of(relay._scout), "vehicle": state_of(relay._vehicle)}

    def restore(self, state: dict[str, Any]) -> None:
        self._relay._relieved = state["relieved"]
        restore(self._relay._scout, state["scout"])
        restore(self._relay._vehicle, state["vehicle"])
