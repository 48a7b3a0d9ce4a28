"""Where the cells of a map lie, and which tiles they are computed in."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyproj

from akrig.charts.soundings import ChartData
from akrig.errors import ChartError
from akrig.frame import LocalFrame
from akrig.survey.area import Area, area_from
from akrig.survey.exports.geotiff import MOST_CELLS, MapGrid, map_crs, map_grid, on_map
from akrig.survey.logs.replay import extent_of
from akrig.types import Points

ABOUT_CELLS = 250_000  # if nobody says how many
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
TILE = 128  # cells along its side


@dataclass(frozen=True)
class Tile:
    """Rows from the north and columns from the west, by their numbers."""

    row: int
    col: int

    @property
    def name(self) -> str:
        return f"{self.row:04d}-{self.col:04d}"

    @property
    def rows(self) -> slice:
        return slice(self.row * TILE, (self.row + 1) * TILE)

    @property
    def cols(self) -> slice:
        return slice(self.col * TILE, (self.col + 1) * TILE)

    def shape(self, grid: MapGrid) -> tuple[int, int]:
        return min(TILE, grid.rows - self.row * TILE), min(TILE, grid.cols - self.col * TILE)


def tiles_of(grid: MapGrid) -> list[Tile]:
    return [Tile(row, col) for row in range(math.ceil(grid.rows / TILE)) for col in range(math.ceil(grid.cols / TILE))]


def chart_grid(
    data: ChartData, area: Area | None, *, cell: float | None = None, size: tuple[int, int] | None = None
) -> MapGrid:
    """Over the area, or over all soundings.

    Args:
        cell: side of a cell, in metres; `None` takes a handy one.
        size: columns and rows, around the middle; cells stay square.
    """
    if area is not None and size is None:
        extent = area.extent.size
        return map_grid(area, cell or handy_cell(extent[0] * extent[1]))
    crs = None if data.frame is None else map_crs(data.frame)
    lower, upper = _extent(data, area, crs)
    if size is not None:
        cols, rows = size
        side = float(max((upper[0] - lower[0]) / cols, (upper[1] - lower[1]) / rows))
        west, north = (lower[0] + upper[0] - cols * side) / 2, (lower[1] + upper[1] + rows * side) / 2
    else:
        side = cell or handy_cell(float(np.prod(upper - lower)))
        west, south = (math.floor(value / side) * side for value in lower)
        cols, rows = (max(1, math.ceil((high - low) / side)) for low, high in zip((west, south), upper, strict=True))
        north = south + rows * side
    if rows * cols > MOST_CELLS:
        raise ChartError(f"Cells of {side:g} m make a map of {cols} x {rows}, too many; take larger ones.")
    return MapGrid(crs, data.frame, side, float(west), float(north), int(rows), int(cols))


def _extent(data: ChartData, area: Area | None, crs: pyproj.CRS | None) -> tuple[np.ndarray, np.ndarray]:
    X, margin = (data.X, data.margin) if area is None else (area.fence, 0.0)
    places: Points = X if crs is None or data.frame is None else on_map(X, data.frame, crs)
    found = extent_of(places, margin)
    return np.array(found["lower"]), np.array(found["upper"])


def handy_cell(size: float) -> float:
    """The smallest side that people would choose and that makes no more cells than are wanted of so much area."""
    wanted = math.sqrt(size / ABOUT_CELLS)
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(step * power for step in STEPS if step * power >= wanted)


def grid_numbers(grid: MapGrid) -> dict[str, Any]:
    """As JSON knows it."""
    frame = None if grid.frame is None else [grid.frame.longitude, grid.frame.latitude]
    return {"frame": frame, **{name: getattr(grid, name) for name in ("cell", "west", "north", "rows", "cols")}}


def grid_from(numbers: dict[str, Any]) -> MapGrid:
    frame = None if numbers["frame"] is None else LocalFrame(*numbers["frame"])
    crs = None if frame is None else map_crs(frame)
    return MapGrid(crs, frame, **{name: numbers[name] for name in ("cell", "west", "north", "rows", "cols")})


def area_inside(drawn: dict[str, Any] | None, frame: LocalFrame | None) -> Area | None:
    """The area as it was drawn, in degrees; in metres of its own frame, which must be the map's."""
    if drawn is None:
        return None
    area = area_from(**drawn)
    assert area.frame == frame, "soundings are read in the area's frame"
    return area
