"""Areas from plans of QGroundControl: what its GeoFence includes is the fence, what it excludes keep-outs."""

import json
import math
from typing import Any

import numpy as np

from akrig.files import reason
from akrig.frame import LocalFrame
from akrig.survey.area.area import InvalidArea
from akrig.survey.area.shapes import Role, Shape

PLAN_ADVICE = "make all but one of them exclusions"
OFF = 0.05  # metres that a polygon for a circle may lie beside it
FEWEST = 16  # of its corners
LARGEST = 20_000.0  # metres, of a radius
ROLES: dict[bool, Role] = {True: "fence", False: "keep-out"}


def plan_shapes(text: str) -> list[Shape]:
    """Home is the rally point, if there is just one, else the planned home position."""
    try:
        top = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidArea(f"This is no plan of QGroundControl ({reason(error)}); save it again.") from error
    if not isinstance(top, dict) or top.get("fileType") != "Plan":
        raise InvalidArea('This is JSON but no plan of QGroundControl: its fileType is not "Plan"; save it again.')
    fence = _section(top, "geoFence")
    polygons, circles = (_listed(fence, name) for name in ("polygons", "circles"))
    old = fence.get("polygon")  # of version 1, which had one, for inclusion
    if old:
        polygons = [{"polygon": old, "inclusion": True}, *polygons]
    shapes = [_polygon(each, f"polygon {number}") for number, each in enumerate(polygons, start=1)]
    shapes += [_circle(each, f"circle {number}") for number, each in enumerate(circles, start=1)]
    if not any(shape.role == "fence" for shape in shapes):
        raise InvalidArea(
            "This plan has no GeoFence that includes the water; in QGroundControl's Plan view, under Fence, add a "
            "polygon with Inclusion ticked, and save it again."
        )
    return [*shapes, *_home(top)]


def _polygon(given: Any, label: str) -> Shape:
    role = _role(given, label)
    ring = [_lonlat(place, label) for place in _listed(given, "polygon")]
    return Shape(f"GeoFence {label}", "Polygon", role, polygons=[[ring]])


def _circle(given: Any, label: str) -> Shape:
    """A polygon: within it if it is to be stayed in, around it if it is to be kept out of."""
    role = _role(given, label)
    circle = _section(given, "circle")
    centre, radius = _lonlat(circle.get("center"), label), circle.get("radius")
    if not isinstance(radius, int | float) or not 0 < radius <= LARGEST:
        raise InvalidArea(f"The radius of GeoFence {label} is {radius!r}; it needs metres, up to {LARGEST:g}.")
    corners = max(FEWEST, math.ceil(math.pi / math.acos(1 - min(0.1, OFF / radius))))
    reach = radius if role == "fence" else radius / math.cos(math.pi / corners)
    angle = np.arange(corners) / corners * 2 * math.pi
    X = reach * np.column_stack([np.cos(angle), np.sin(angle)])
    _check_degrees(centre, label)
    ring = LocalFrame(*centre).to_degrees(X).tolist()
    return Shape(f"GeoFence {label}", "Polygon", role, polygons=[[ring]])


def _home(top: dict[str, Any]) -> list[Shape]:
    rally = _listed(_section(top, "rallyPoints"), "points")
    planned = _section(top, "mission").get("plannedHomePosition")
    if len(rally) == 1:
        return [Shape("rally point", "Point", "home", points=[_lonlat(rally[0], "the rally point")])]
    if planned is None:
        return []
    return [Shape("planned home position", "Point", "home", points=[_lonlat(planned, "the planned home position")])]


def _role(given: Any, label: str) -> Role:
    inclusion = given.get("inclusion", True) if isinstance(given, dict) else None
    if not isinstance(inclusion, bool):
        raise InvalidArea(f"GeoFence {label} does not say whether it is an inclusion; save the plan again.")
    return ROLES[inclusion]


def _section(given: Any, name: str) -> dict[str, Any]:
    """Nothing, where there is none."""
    section = given.get(name) or {}
    if not isinstance(section, dict):
        raise InvalidArea(f"The {name} of this plan is not as QGroundControl writes it; save the plan again.")
    return section


def _listed(given: Any, name: str) -> list[Any]:
    listed = given.get(name) or []
    if not isinstance(listed, list):
        raise InvalidArea(f"The {name} of this plan are not as QGroundControl writes them; save the plan again.")
    return listed


def _lonlat(place: Any, label: str) -> list[float]:
    """Plans have latitude first."""
    numbers = place[:2] if isinstance(place, list) else []
    if len(numbers) < 2 or not all(isinstance(value, int | float) for value in numbers):
        raise InvalidArea(f"In {label} of this plan, {place!r} is no latitude and longitude; save the plan again.")
    return [float(numbers[1]), float(numbers[0])]


def _check_degrees(lonlat: list[float], label: str) -> None:
    longitude, latitude = lonlat
    if not (abs(longitude) <= 180 and abs(latitude) <= 90):
        raise InvalidArea(f"The middle of GeoFence {label}, {latitude:g} {longitude:g}, is no place on Earth.")
