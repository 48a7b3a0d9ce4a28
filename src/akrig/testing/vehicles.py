"""Does a vehicle go where it is sent, measure on the way, and start again from a recorded state? And its sensor?"""

import json
from collections.abc import Callable

import numpy as np

from akrig.geometry import Box
from akrig.protocols import Restorable, Sensor, Vehicle, capability
from akrig.types import Measurement, Plan, Points, Values

MOST_TOURS = 20  # a waypoint where readings keep dropping out is given up after so many
REPEATS = 150
NUM_ALONE = 6
ROUNDING = 1e-6  # fields may compute one point and many by different instructions, and in float32


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


def check_sensor(sensor: Sensor, *, workspace: Box) -> None:
    """One reading per point, whatever the other points; NaN for none, never infinite; all randomness from `rng`.

    Args:
        workspace: where it can read, at least somewhere.
    """
    assert isinstance(sensor, Sensor), "A sensor has a method measure(X, rng)."
    X = np.random.default_rng(0).uniform(workspace.lower, workspace.upper, (64, workspace.dim))
    before = X.copy()
    y = sensor.measure(X, np.random.default_rng(1))
    assert np.array_equal(X, before), "measure must not change the points."
    assert isinstance(y, np.ndarray), "measure must give an array."
    assert y.shape == (64,), f"measure must give one reading per point, (64,); got {y.shape}."
    assert y.dtype == np.float64, f"Readings must be float64; got {y.dtype}."
    assert not np.isinf(y).any(), "A reading must be finite, or NaN if none came back."
    again = sensor.measure(X, np.random.default_rng(1))
    assert np.array_equal(y, again, equal_nan=True), "The same generator must give the same readings."
    assert sensor.measure(X[:0], np.random.default_rng(1)).shape == (0,), "No points, no readings."
    _check_points_do_not_matter_to_each_other(sensor, X)


def _check_points_do_not_matter_to_each_other(sensor: Sensor, X: Points) -> None:
    """Read alone, a place gives the same distribution of readings as among others."""
    among = np.array([_read(sensor, X, seed=[2, j]) for j in range(REPEATS)])
    read = np.isfinite(among).any(axis=0)
    assert read.any(), "At least one reading must come back from somewhere in the workspace."
    for i in np.flatnonzero(read)[:NUM_ALONE].tolist():
        place = X[i : i + 1]
        alone = np.concatenate([_read(sensor, place, seed=[3, i, j]) for j in range(REPEATS)])
        share = _share_below(among[:, i], alone, rounding=ROUNDING * float(np.nanmax(np.abs(among))))
        # If they are alike, the share is 1/2 with a standard deviation of 1 / sqrt(6 REPEATS) or less: 1/30.
        assert abs(share - 0.5) < 0.2, (
            f"A reading at {place[0].tolist()} differs when other points are measured with it: each must depend on "
            "its own place only."
        )


def _read(sensor: Sensor, X: Points, *, seed: list[int]) -> Values:
    y = sensor.measure(X, np.random.default_rng(seed))
    assert y.shape == (len(X),), f"measure must give one reading per point, ({len(X)},); got {y.shape}."
    assert not np.isinf(y).any(), "A reading must be finite, or NaN if none came back."
    return y


def _share_below(a: Values, b: Values, *, rounding: float) -> float:
    """How often a reading of `a` lies below one of `b`, ties halved (Mann and Whitney); none at all lies lowest.

    Ranks, since readings may have outliers, drop out, or be whole numbers.
    """
    lowest = np.nanmin([*a, *b, 0.0]) - 1 - 2 * rounding
    a, b = np.nan_to_num(a, nan=lowest), np.nan_to_num(b, nan=lowest)
    difference = b - a[:, None]
    return float(np.mean(difference > rounding) + np.mean(np.abs(difference) <= rounding) / 2)
