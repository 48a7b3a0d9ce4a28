"""A route as a QGroundControl plan: waypoints for an ArduPilot boat, with fence, keep-outs and home."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from akrig.errors import RunFolderError
from akrig.files import write_text
from akrig.journal.plans import plan_of
from akrig.survey.area import Area
from akrig.survey.exports.data import SurveyData
from akrig.survey.exports.geojson import DECIMALS
from akrig.types import Points

# As MAVLink counts: ArduPilot, a boat on the surface, metres above home, "go to the waypoint".
ARDUPILOT, SURFACE_BOAT, RELATIVE_TO_HOME, WAYPOINT = 3, 11, 3, 16


def export(path: Path, data: SurveyData) -> None:
    """The waypoints planned last."""
    planned = [event for event in data.events if event["event"] == "plan"]
    if not planned:
        raise RunFolderError(f"{data.folder.path} has no plan yet.")
    waypoints = plan_of(planned[-1]).waypoints
    write_plan(path, area=data.area, waypoints=waypoints, speed=data.settings.vehicle.speed)


def write_plan(path: Path, *, area: Area, waypoints: Points, speed: float) -> None:
    """Args:
    waypoints: in metres of the area's frame.
    speed: metres per second.
    """
    home = waypoints[0] if area.home is None else np.array(area.home)
    places = _latlon(area, waypoints)
    plan = {
        "fileType": "Plan",
        "version": 1,
        "groundStation": "akrig",
        "mission": {
            "version": 2,
            "firmwareType": ARDUPILOT,
            "vehicleType": SURFACE_BOAT,
            "globalPlanAltitudeMode": 1,
            "cruiseSpeed": speed,
            "hoverSpeed": speed,
            "plannedHomePosition": [*_latlon(area, home[None])[0], 0],
            "items": [_item(number, place) for number, place in enumerate(places, start=1)],
        },
        "geoFence": {
            "version": 2,
            "circles": [],
            "polygons": [
                _polygon(area, ring, inclusion=k == 0) for k, ring in enumerate((area.fence, *area.keep_outs))
            ],
        },
        "rallyPoints": {"version": 2, "points": []},
    }
    write_text(path, json.dumps(plan, indent=1, allow_nan=False) + "\n")


def _item(number: int, latlon: list[float]) -> dict[str, Any]:
    return {
        "type": "SimpleItem",
        "AMSLAltAboveTerrain": None,
        "Altitude": 0,
        "AltitudeMode": 1,
        "autoContinue": True,
        "command": WAYPOINT,
        "doJumpId": number,
        "frame": RELATIVE_TO_HOME,
        "params": [0, 0, 0, None, *latlon, 0],
    }


def _polygon(area: Area, ring: np.ndarray, *, inclusion: bool) -> dict[str, Any]:
    """Clockwise, as QGroundControl has them."""
    after = np.roll(ring, -1, axis=0)
    is_counterclockwise = np.sum(ring[:, 0] * after[:, 1] - after[:, 0] * ring[:, 1]) > 0
    corners = _latlon(area, ring[::-1] if is_counterclockwise else ring)
    return {"version": 1, "inclusion": inclusion, "polygon": corners}


def _latlon(area: Area, X: np.ndarray) -> list[list[float]]:
    return np.round(area.frame.to_degrees(X)[:, ::-1], DECIMALS).tolist()
