"""Lake beds to sound: procedural, from soundings, from a raster."""

from pathlib import Path

import numpy as np

from akrig.errors import AkrigError
from akrig.fields.grid import GridField
from akrig.fields.terrain import lake
from akrig.frame import LocalFrame
from akrig.geometry import Box
from akrig.protocols import Field
from akrig.types import Points, Values

MARGIN = 50.0  # metres, and at least
MARGIN_SHARE = 0.25  # of the extent: a boat that drifts still finds a bed below it
LAKE_SHARE = 0.5  # of the extent: the shore then runs through its corners, and three quarters of it are open water
FLAT_DEPTH = 5.0


class NoBed(AkrigError, ValueError):
    """A name or file that gives no lake bed."""


class Everywhere:
    """A field that goes on beyond its extent, with the value of its nearest edge."""

    def __init__(self, field: Field) -> None:
        self._field, self.extent = field, field.extent

    def __call__(self, X: Points) -> Values:
        return self._field(np.clip(X, self.extent.lower, self.extent.upper))


class Flat:
    """The same depth all over."""

    def __init__(self, depth: float, extent: Box) -> None:
        self.depth, self.extent = depth, extent

    def __call__(self, X: Points) -> Values:
        return np.full(len(X), float(self.depth))


def load_bed(name: str, *, frame: LocalFrame, extent: Box, seed: int = 0) -> Field:
    """Depths over the extent and a margin around it; beyond, the depth of the nearest edge.

    Args:
        name: `lake` or `flat`, a CSV file of soundings, or a georeferenced raster of depths or heights.
        seed: of a procedural bed.
    """
    grown = _grown(extent, MARGIN_SHARE)
    if name == "flat":
        return Flat(FLAT_DEPTH, grown)
    if name == "lake":
        return Everywhere(_lake(_grown(extent, LAKE_SHARE), seed))
    path = Path(name)
    if not path.exists():
        raise NoBed(f"There is no lake bed called {name}; try lake, flat, or the path of soundings or of a raster.")
    if path.suffix.lower() in (".csv", ".txt"):
        from akrig.fields.soundings import read_soundings, soundings_field

        return Everywhere(soundings_field(read_soundings(path), frame, grown))
    return Everywhere(_raster(path, frame, grown))


def _grown(extent: Box, share: float) -> Box:
    margins = [max(MARGIN, share * side) for side in extent.size]
    return Box(tuple(np.subtract(extent.lower, margins)), tuple(np.add(extent.upper, margins)))


def _lake(extent: Box, seed: int) -> GridField:
    """The lake terrain as depths; its land becomes shallows, for the polygon, not the terrain, says where water is."""
    heights = lake(seed, extent=extent)
    depths = np.where(heights.values < -0.5, -heights.values, 0.5 + 0.02 * np.maximum(heights.values, 0.0))
    return GridField(np.clip(depths, 0.5, None), extent, name="lake", units="m", quantity="depth")


def _raster(path: Path, frame: LocalFrame, extent: Box) -> GridField:
    """Heights below zero are depths; a raster of positive numbers holds depths already."""
    from akrig.fields.raster import read_raster

    field = read_raster(path, needs_crs=True)
    if field.origin is None:
        raise NoBed(f"{path} does not say where on Earth it lies; try a raster with a coordinate reference system.")
    source = LocalFrame(*field.origin)
    across = max(extent.size) / 400
    counts = [max(2, min(600, round(side / across))) for side in extent.size]
    half = np.divide(extent.size, counts) / 2
    inner = Box(tuple(extent.lower + half), tuple(extent.upper - half))
    places = source.to_metres(frame.to_degrees(inner.grid(*counts)))
    inside = field.extent.contains(places)
    values = np.full(len(places), np.nan)
    values[inside] = field(places[inside])
    if not np.isfinite(values).any():
        raise NoBed(f"{path} holds no depth in the area; try the raster of this lake.")
    depths = -values if np.nanmedian(values) < 0 else values
    table = depths.reshape(*counts).T
    return GridField(np.where(table > 0, table, np.nan), extent, name=path.stem, units="m", quantity="depth")
