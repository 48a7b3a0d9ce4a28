"""A plan as it is written down, and read again."""

from typing import Any

import numpy as np

from akrig.types import ForeseenWay, Foresight, Plan

Event = dict[str, Any]


def plan_event(plan: Plan) -> Event:
    """What a planner foresaw is written where it did: journals of others are as they always were."""
    event: Event = {"event": "plan", "waypoints": plan.waypoints.tolist()}
    if plan.foresight is not None:
        lawnmower = plan.foresight.lawnmower
        event["foresight"] = {
            "is_share": plan.foresight.is_share,
            "route": _written(plan.foresight.route),
            "lawnmower": None if lawnmower is None else _written(lawnmower),
        }
    return event


def plan_of(event: Event) -> Plan:
    """The plan of an event that has been checked."""
    return Plan(np.array(event["waypoints"]), foresight_of(event))


def foresight_of(event: Event) -> Foresight | None:
    """Of an event that has been checked; `None` where the planner looked no farther than its plan."""
    told = event.get("foresight")
    if told is None:
        return None
    lawnmower = told.get("lawnmower")
    return Foresight(_read(told["route"]), None if lawnmower is None else _read(lawnmower), told["is_share"])


def _written(way: ForeseenWay) -> Event:
    return {"error": way.error, "way": way.places.tolist()}


def _read(way: Event) -> ForeseenWay:
    return ForeseenWay(np.array(way["way"], dtype=np.float64), float(way["error"]))
