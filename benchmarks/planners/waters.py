"""Where planners are compared: the waters of the field survey, and land that is laid under water of the same size."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial

import numpy as np

from akrig.fields import load_field
from akrig.fields.grid import GridField
from akrig.frame import LocalFrame
from akrig.geometry import Box
from akrig.survey.area import Area, area_from
from benchmarks.field_survey.worlds import DEEPEST, HOMES, SHALLOWEST, WORLDS, World

LAND = ("jacksboro", "N17E073", "N43W080", "N45W123", "N47W124")
LONGER = 260.0  # metres, of the longer side: about as much water as in the bay
AROUND = 20.0  # metres of bed beyond the border


def laid_under_water(name: str, seed: int) -> World:
    """A field of the paper as the bed of a rectangle, lowest where it is deepest; the seed says where home is."""
    area, bed = _bed(name)
    share = np.array(HOMES[seed % len(HOMES)])
    x, y = np.array(area.extent.lower) + share * np.array(area.extent.size)
    return World(replace(area, home=(float(x), float(y))), bed)


WATERS: Mapping[str, Callable[[int], World]] = {**WORLDS, **{name: partial(laid_under_water, name) for name in LAND}}


@cache
def _bed(name: str) -> tuple[Area, GridField]:
    field = load_field(name)
    assert isinstance(field, GridField)
    sides = LONGER * np.array(field.extent.size) / max(field.extent.size)
    ring = Box((0.0, 0.0), (float(sides[0]), float(sides[1]))).grid(2, 2)[[0, 1, 3, 2]]
    area = area_from(name, LocalFrame(0.0, 0.0).to_degrees(ring), [], None)
    lower, upper = np.array(area.extent.lower) - AROUND, np.array(area.extent.upper) + AROUND
    share = (np.nanmax(field.values) - field.values) / np.ptp(field.values)
    depths = SHALLOWEST + (DEEPEST - SHALLOWEST) * share
    return area, GridField(depths, Box(tuple(lower), tuple(upper)), units="m", quantity="depth")
