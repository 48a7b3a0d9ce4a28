"""The map as a GeoTIFF: mean depth, standard deviation and the order of survey met, where the boat may go."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pyproj
from jaxtyping import Float

from akrig.frame import LocalFrame
from akrig.geometry import raster_points
from akrig.runs.geotiff import cloud_optimised
from akrig.s44 import EDITION, ORDERS, best_orders
from akrig.survey.area import Area
from akrig.survey.exports.uncertainty import Uncertainty
from akrig.types import Points, Prediction

Predict = Callable[[Points], Prediction]
Rows = Float[np.ndarray, "rows cols"]
CHUNK = 20_000  # places predicted at once
MOST_CELLS = 50_000_000
UTM_LATITUDES = (-80.0, 84.0)
ALL = slice(None)
STD = "standard deviation"
NO_TAGS: Mapping[int, Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True)
class MapGrid:
    """Square cells in a map's own coordinate system; row 0 is the north edge, column 0 the west edge.

    Args:
        crs: `None` where nobody knows what place on Earth this is: the cells are in the metres of the soundings.
        frame: whose metres models know.
        west: edge of the first column.
        north: edge of the first row.
    """

    crs: pyproj.CRS | None
    frame: LocalFrame | None
    cell: float
    west: float
    north: float
    rows: int
    cols: int

    @property
    def wkt(self) -> str | None:
        """The coordinate system, in words that GDAL reads."""
        return None if self.crs is None else self.crs.to_wkt()

    def centres(self, rows: slice = ALL, cols: slice = ALL) -> Points:
        """Of cells, row by row, in metres of the frame."""
        x = self.west + (np.arange(self.cols)[cols] + 0.5) * self.cell
        y = self.north - (np.arange(self.rows)[rows] + 0.5) * self.cell
        places = raster_points(x, y)
        if self.crs is None or self.frame is None:
            return places
        return self.frame.to_metres(on_degrees(places, self.crs))


def write_depth_geotiff(
    path: Path, *, predict: Predict, area: Area, cell: float, uncertainty: Uncertainty = lambda depth, std: std
) -> None:
    """Mean depth and standard deviation in metres; NaN is no data, outside the fence and in keep-outs.

    A third band has the strictest order of survey whose vertical uncertainty a cell meets, by its code in `akrig.s44`;
    NaN where it meets none. The grid is that of the UTM zone the area's middle lies in (beyond UTM's latitudes, of the
    area's own transverse Mercator map), and every cell holds what is predicted at its very centre: nothing is
    resampled.

    Args:
        predict: at places in metres of the area's frame; mostly `model.latent`.
        cell: side of a cell, metres.
        uncertainty: of a depth, all told: one standard deviation, given what is predicted.
    """
    grid = map_grid(area, cell)
    X = grid.centres()
    inside = area.allows(X)
    bands = np.full((3, len(X)), np.nan, dtype=np.float32)
    depth, std = predicted(predict, X[inside])
    bands[:, inside] = depth, std, best_orders(depth, uncertainty(depth, std))
    names, units = ("mean depth", STD, "order of survey"), ("m", "m", "")
    legend = {3: {"STANDARD": EDITION, **{f"ORDER_{order.code}": order.label for order in ORDERS}}}
    write_bands(Path(path), bands.reshape(3, grid.rows, grid.cols), grid, names=names, units=units, tags=legend)


def map_grid(area: Area, cell: float) -> MapGrid:
    """Over the fence, with edges at whole numbers of cells, so that maps of the same cell fit on each other."""
    if not 0 < cell < math.inf:
        raise ValueError(f"A map needs cells larger than 0 metres; got {cell}.")
    crs = map_crs(area.frame)
    x, y = on_map(area.fence, area.frame, crs).T
    west, south = math.floor(min(x) / cell) * cell, math.floor(min(y) / cell) * cell
    cols, rows = math.ceil((max(x) - west) / cell), math.ceil((max(y) - south) / cell)
    if rows * cols > MOST_CELLS:
        raise ValueError(f"Cells of {cell:g} m make a map of {cols} x {rows}, too many; take larger ones.")
    return MapGrid(crs, area.frame, cell, west, south + rows * cell, max(rows, 1), max(cols, 1))


def on_map(X: Points, frame: LocalFrame, crs: pyproj.CRS) -> Points:
    """Places in metres of the frame, in the map's own coordinates."""
    lonlat = frame.to_degrees(X)
    return np.column_stack(_to_degrees(crs).transform(lonlat[:, 0], lonlat[:, 1], direction="INVERSE"))


def on_degrees(places: Points, crs: pyproj.CRS) -> Points:
    """Longitude and latitude of places in the map's own coordinates."""
    return np.column_stack(_to_degrees(crs).transform(*places.T))


def map_crs(frame: LocalFrame) -> pyproj.CRS:
    """UTM on WGS84 where there is such a thing, else the frame's own map."""
    if not UTM_LATITUDES[0] <= frame.latitude < UTM_LATITUDES[1]:
        return frame.crs
    zone = int((frame.longitude + 180) // 6) % 60 + 1
    return pyproj.CRS.from_epsg((32600 if frame.latitude >= 0 else 32700) + zone)


def predicted(predict: Predict, X: Points) -> Float[np.ndarray, "2 n"]:
    """Mean and standard deviation, chunk by chunk."""
    parts = [predict(X[begin : begin + CHUNK]) for begin in range(0, len(X), CHUNK)]
    return np.hstack([np.empty((2, 0)), *([part.mean, part.std] for part in parts)])


def _to_degrees(crs: pyproj.CRS) -> pyproj.Transformer:
    return pyproj.Transformer.from_crs(crs, pyproj.CRS.from_epsg(4326), always_xy=True)


def write_bands(
    path: Path,
    bands: np.ndarray,
    grid: MapGrid,
    *,
    names: tuple[str, ...],
    units: tuple[str, ...],
    tags: Mapping[int, Mapping[str, str]] = NO_TAGS,
) -> None:
    """Of single precision, NaN where there is none; beside, then renamed.

    Args:
        tags: of a band, by its number.
    """
    corner, cell = (grid.west, grid.north), (grid.cell, grid.cell)
    with cloud_optimised(path, crs=grid.wkt, corner=corner, cell=cell, shape=bands.shape, synced=True) as file:
        file.write(bands)
        file.descriptions, file.units = names, units
        for band, told in tags.items():
            file.update_tags(band, **told)
