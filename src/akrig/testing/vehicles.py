"""Does a vehicle go where it is sent, measure on the way, and start again from a recorded state?"""

import json
from collections.abc import Callable

import numpy as np

from akrig.geometry import Box
from akrig.protocols import Restorable, Vehicle, capability
from akrig.types import Measurement, Plan, Points

MOST_TOURS = 20  # a waypoint where readings keep dropping out is given up after so many


def check_vehicle(make_vehicle: Callable[[], Vehicle], *, workspace: Box, arrives_within: float) -> None:
    """Passes every waypoint, with readings as they come, a clock that runs forwards, and no randomness of its own.

    Readings may drop out, and the way may lead outside the workspace by half its size.

    Args:
        make_vehicle: a new vehicle each time, all alike.
        workspace: where it can go and read; large enough for many readings on the way across.
        arrives_within: how far from a plan's last waypoint it may stop.
    """
    vehicle, twin = make_vehicle(), make_vehicle()
    assert isinstance(vehicle, Vehicle), "A vehicle has pose, clock and follow(plan)."
    grounds = _grounds(workspace, vehicle.pose.position)

    def go(plan: Plan) -> list[Measurement]:
        readings = _follow(vehicle, plan, grounds=grounds, arrives_within=arrives_within)
        assert readings == list(twin.follow(plan)), (
            "Two vehicles made alike and sent alike must take the same readings: draw noise from noise(leg) only."
        )
        return readings

    plans = _plans(workspace)
    num_readings = sum([len(go(plan)) for plan in plans])
    tour = _tour(workspace)
    near = max(arrives_within, float(np.linalg.norm(tour.waypoints[0] - tour.waypoints[-1])) / 3)
    passed = np.zeros(len(tour) - 1, dtype=bool)
    for _ in range(MOST_TOURS):
        readings = go(tour)
        num_readings += len(readings)
        passed |= _passed(tour.waypoints[:-1], readings, near)
        if passed.all():
            break
    assert num_readings, "The vehicle took no reading."
    missed = tour.waypoints[int(np.argmin(passed))].tolist()
    assert passed.all(), f"The vehicle took no reading near waypoint {missed}: a plan's waypoints must all be visited."
    if capability(vehicle, Restorable) is not None:
        _check_restoring(make_vehicle, plans)


def _follow(vehicle: Vehicle, plan: Plan, *, grounds: Box, arrives_within: float) -> list[Measurement]:
    begin = clock = vehicle.clock
    readings = []
    for measurement in vehicle.follow(plan):
        assert isinstance(measurement, Measurement), "follow must yield Measurements."
        assert len(measurement.position) == grounds.dim, "A reading's place has the workspace's dimensions."
        assert grounds.contains(np.array([measurement.position]))[0], (
            f"A reading at {measurement.position} lies far outside the workspace."
        )
        assert measurement.time >= clock, "A reading cannot be older than the one before it."
        clock = measurement.time
        readings.append(measurement)
    assert vehicle.clock >= clock, "The clock must not lag behind the readings."
    assert vehicle.clock > begin or not readings, "The clock must move on while readings are taken."
    away = float(np.linalg.norm(np.array(vehicle.pose.position) - plan.waypoints[-1]))
    assert away <= arrives_within, f"The vehicle stopped {away:.3g} away from the last waypoint."
    return readings


def _passed(waypoints: Points, readings: list[Measurement], near: float) -> np.ndarray:
    """Which waypoints a reading came near to; in their order, as far as they left a trace."""
    if not readings:
        return np.zeros(len(waypoints), dtype=bool)
    places = np.array([m.position for m in readings])
    traces = np.linalg.norm(waypoints[:, None] - places, axis=-1) <= near
    passed = traces.any(axis=1)
    last_time = len(readings) - 1 - traces[:, ::-1].argmax(axis=1)
    for earlier, first_time in enumerate(traces.argmax(axis=1)):
        for later in range(earlier + 1, len(waypoints)):
            in_order = not (passed[earlier] and passed[later]) or last_time[later] >= first_time
            assert in_order, "Waypoints must be visited in the plan's order."
    return passed


def _check_restoring(make_vehicle: Callable[[], Vehicle], plans: list[Plan]) -> None:
    first, second = make_vehicle(), make_vehicle()
    saved, restored = capability(first, Restorable), capability(second, Restorable)
    assert saved is not None
    assert restored is not None
    for plan in plans[:2]:
        list(first.follow(plan))
    restored.restore(json.loads(json.dumps(saved.state)))
    assert second.pose == first.pose, "restore must bring back the pose."
    assert second.clock == first.clock, "restore must bring back the clock."
    for plan in plans[2:]:
        assert list(first.follow(plan)) == list(second.follow(plan)), (
            "A restored vehicle must take the same readings: keep all that matters in state, and draw noise from "
            "noise(leg)."
        )


def _plans(workspace: Box) -> list[Plan]:
    """Here and there; the last ends in the middle."""
    rng = np.random.default_rng(0)
    plans = [Plan(rng.uniform(workspace.lower, workspace.upper, (num, workspace.dim))) for num in (1, 1, 3, 1)]
    return [*plans, Plan(_tour(workspace).waypoints[-1:])]


def _tour(workspace: Box) -> Plan:
    """From the middle to one corner, to the opposite one, and back: who skips a corner comes nowhere near it."""
    inner = workspace.scaled(0.8)
    return Plan(np.array([inner.upper, inner.lower, np.mean([inner.lower, inner.upper], axis=0)]))


def _grounds(workspace: Box, start: tuple[float, ...]) -> Box:
    """Half the workspace's size around it, and around the way from the vehicle's first place."""
    lower, upper, half = np.array(workspace.lower), np.array(workspace.upper), np.array(workspace.size) / 2
    return Box(tuple(np.minimum(lower, start) - half), tuple(np.maximum(upper, start) + half))
