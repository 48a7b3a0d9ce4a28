"""Depth contours as GeoJSON lines."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import shapely
from jaxtyping import Float

from akrig.geometry import raster_points
from akrig.survey.area import Area
from akrig.survey.exports.geojson import line_feature, pieces, write_features
from akrig.survey.exports.geotiff import MOST_CELLS, Predict, predicted

ABOUT_LINES = 10  # levels, if no interval is given
STEPS = (1.0, 2.0, 5.0, 10.0)
Lines = list[Float[np.ndarray, "_ 2"]]


@dataclass(frozen=True, eq=False)
class Contours:
    """Lines of equal mean depth, in metres of the area's frame.

    Args:
        interval: between depths, metres; None if the bed is flat, when there are no lines.
        lines: of each, its depth and its corners.
    """

    interval: float | None
    lines: list[tuple[float, np.ndarray]]


def depth_contours(*, predict: Predict, area: Area, cell: float, interval: float | None = None) -> Contours:
    """Clipped to the area.

    Args:
        predict: at places in metres of the area's frame; mostly `model.latent`.
        cell: side of the cells that the lines are drawn through, metres.
        interval: between depths, metres; `None` chooses 1, 2 or 5 times a power of ten, for about ten levels.
    """
    if interval is not None and not 0 < interval < math.inf:
        raise ValueError(f"Contours need an interval larger than 0 metres; got {interval}.")
    x, y, depth = _depths(predict, area, cell)
    inside = area.allows(raster_points(x, y)).reshape(depth.shape)
    known = depth[inside] if inside.any() else depth[np.isfinite(depth)]
    interval = interval or sensible_interval(float(known.min()), float(known.max()))
    levels = [] if interval is None else whole_levels(depth, interval)
    found = [(level, line) for level in levels for line in clipped(lines_at(x, y, depth, level), area)]
    return Contours(interval, found)


def write_contours(
    path: Path, *, predict: Predict, area: Area, cell: float, interval: float | None = None
) -> float | None:
    """As GeoJSON lines with the property `depth_m`; see `depth_contours`. Returns the interval."""
    contours = depth_contours(predict=predict, area=area, cell=cell, interval=interval)
    write_contour_lines(path, contours, area)
    return contours.interval


def write_contour_lines(path: Path, contours: Contours, area: Area) -> None:
    features = [
        line_feature(part[:, :2], {"depth_m": level})
        for level, line in contours.lines
        for part in pieces(area.frame, line)
    ]
    write_features(Path(path), features)


def sensible_interval(shallowest: float, deepest: float) -> float | None:
    """1, 2 or 5 times a power of ten, for about ten levels; None if the bed is flat to a millimetre."""
    if not deepest - shallowest > 1e-3:
        return None
    rough = (deepest - shallowest) / ABOUT_LINES
    power = 10.0 ** math.floor(math.log10(rough))
    step = min(STEPS, key=lambda step: abs(math.log(step * power / rough)))
    return round(step * power, 9)


def clipped(lines: Lines, area: Area) -> Lines:
    """What of the lines lies in the water."""
    found = []
    for line in lines:
        inside = shapely.intersection(shapely.LineString(line), area.water)
        parts = shapely.get_parts(shapely.line_merge(inside) if inside.geom_type == "MultiLineString" else inside)
        found += [np.asarray(part.coords) for part in parts.tolist() if part.geom_type == "LineString" and part.length]
    return found


def _depths(predict: Predict, area: Area, cell: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean depths on a grid over the area, and a little beyond its borders, so that lines reach them."""
    if not 0 < cell < math.inf:
        raise ValueError(f"Contours need cells larger than 0 metres; got {cell}.")
    (west, south), (width, height) = area.extent.lower, area.extent.size
    cols, rows = math.ceil(width / cell) + 2, math.ceil(height / cell) + 2
    if rows * cols > MOST_CELLS:
        raise ValueError(f"Cells of {cell:g} m make a grid of {cols} x {rows}, too many; take larger ones.")
    x, y = west + (np.arange(cols) - 0.5) * cell, south + (np.arange(rows) - 0.5) * cell
    X = raster_points(x, y)
    near = area.clearance(X) > -2 * cell  # a cell with a corner in the water has all corners here
    depth = np.full(len(X), np.nan)
    depth[near] = predicted(predict, X[near])[0]
    return x, y, depth.reshape(rows, cols)


def whole_levels(depth: np.ndarray, interval: float) -> list[float]:
    """Whole numbers of intervals."""
    first, last = math.ceil(np.nanmin(depth) / interval), math.floor(np.nanmax(depth) / interval)
    return [round(number * interval, 9) for number in range(first, last + 1)]


def lines_at(x: np.ndarray, y: np.ndarray, depth: np.ndarray, level: float) -> Lines:
    """Through the middles of cells."""
    from contourpy import contour_generator

    found = contour_generator(x, y, np.ma.masked_invalid(depth)).lines(level)
    return [np.asarray(line, dtype=np.float64) for line in found if len(line) > 1]
