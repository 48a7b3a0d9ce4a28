"""The waters of the comparison: a bay that was sounded, a lake and a two-sided bed that come with akrig."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from akrig.fields.grid import GridField
from akrig.fields.soundings import read_soundings, soundings_field
from akrig.fields.terrain import halves
from akrig.geometry import Box
from akrig.protocols import Field
from akrig.survey.area import Area, area_from, read_area
from akrig.survey.boat.beds import load_bed

LAKE = Path(__file__).parents[2] / "examples" / "lake.geojson"
# 300 m x 200 m of the bay: deep mud in the west, shallow rock in the east; nearly every 4 m cell has a sounding.
BAY = ((139.606073, 35.162072), (139.609366, 35.162072), (139.609366, 35.163874), (139.606073, 35.163874))
CELL = 4.0  # metres
HOMES = ((0.03, 0.95), (0.03, 0.05), (0.97, 0.95), (0.5, 0.95), (0.03, 0.5))  # shares of the extent, one per seed
SHALLOWEST, DEEPEST = 1.0, 18.0  # metres, of the two-sided bed


@dataclass(frozen=True)
class World:
    """Where a survey goes, and what it finds."""

    area: Area
    bed: Field


def bay(seed: int) -> World:
    """Soundings of Aburatsubo; the seed says where home is."""
    area, bed = _bay()
    share = np.array(HOMES[seed % len(HOMES)])
    x, y = np.array(area.extent.lower) + share * np.array(area.extent.size)
    return World(replace(area, home=(float(x), float(y))), bed)


def lake(seed: int) -> World:
    """The lake of `examples/lake.toml`; the seed says which bed."""
    area = read_area(LAKE)
    return World(area, load_bed("lake", frame=area.frame, extent=area.extent, seed=seed))


def two_sides(seed: int) -> World:
    """The same polygon over a bed that is flat in the west and rugged in the east, with a scarp between."""
    area = read_area(LAKE)
    (west, south), (east, north) = area.extent.lower, area.extent.upper
    extent = Box((west - 20, south - 20), (east + 20, north + 20))
    heights = halves(seed, extent=extent).values
    share = (heights.max() - heights) / np.ptp(heights)
    return World(area, GridField(SHALLOWEST + (DEEPEST - SHALLOWEST) * share, extent, units="m", quantity="depth"))


WORLDS: dict[str, Callable[[int], World]] = {"bay": bay, "lake": lake, "two sides": two_sides}


@cache
def _bay() -> tuple[Area, Field]:
    area = area_from("Aburatsubo", np.array(BAY), [], None)
    soundings = read_soundings(Path(os.environ["AKRIG_DATA"]) / "soundings" / "aburatsubo.csv")
    (west, south), (east, north) = area.extent.lower, area.extent.upper
    around = 8 * CELL  # cells at the border lie between soundings too
    extent = Box((west - around, south - around), (east + around, north + around))
    return area, soundings_field(soundings, area.frame, extent, cell=CELL, name="aburatsubo")
