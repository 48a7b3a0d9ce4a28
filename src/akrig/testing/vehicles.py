"""Does a vehicle go where it is sent, measure on the way, and start again from a recorded state?"""

import json
from collections.abc import Callable

import numpy as np

from akrig.geometry import Box
from akrig.protocols import Restorable, Vehicle
from akrig.types import Measurement, Plan


def check_vehicle(make_vehicle: Callable[[], Vehicle], *, workspace: Box, arrives_within: float) -> None:
    """Follows plans to their end, with readings as they come and a clock that never runs backwards.

    Args:
        make_vehicle: a new vehicle each time, all alike.
        workspace: where it can go.
        arrives_within: how far from a plan's last waypoint it may stop.
    """
    vehicle = make_vehicle()
    assert isinstance(vehicle, Vehicle), "A vehicle has pose, clock and follow(plan)."
    plans = _plans(workspace)
    clock = vehicle.clock
    for plan in plans:
        for measurement in vehicle.follow(plan):
            assert isinstance(measurement, Measurement), "follow must yield Measurements."
            assert len(measurement.position) == workspace.dim, "A reading's place has the workspace's dimensions."
            assert measurement.time >= clock, "A reading cannot be older than the one before it."
            clock = measurement.time
        assert vehicle.clock >= clock, "The clock must not lag behind the readings."
        clock = vehicle.clock
        away = float(np.linalg.norm(np.array(vehicle.pose.position) - plan.waypoints[-1]))
        assert away <= arrives_within, f"The vehicle stopped {away:.3g} away from the last waypoint."
    if isinstance(vehicle, Restorable) and vehicle.state:
        _check_restoring(make_vehicle, plans)


def _check_restoring(make_vehicle: Callable[[], Vehicle], plans: list[Plan]) -> None:
    first, second = make_vehicle(), make_vehicle()
    assert isinstance(first, Restorable)
    assert isinstance(second, Restorable)
    for plan in plans[:2]:
        list(first.follow(plan))
    second.restore(json.loads(json.dumps(first.state)))
    assert second.pose == first.pose, "restore must bring back the pose."
    assert second.clock == first.clock, "restore must bring back the clock."
    for plan in plans[2:]:
        assert list(first.follow(plan)) == list(second.follow(plan)), (
            "A restored vehicle must take the same readings: keep all that matters in state, and draw noise from "
            "noise(leg)."
        )


def _plans(workspace: Box) -> list[Plan]:
    rng = np.random.default_rng(0)
    return [Plan(rng.uniform(workspace.lower, workspace.upper, (num, workspace.dim))) for num in (1, 1, 3, 1)]
