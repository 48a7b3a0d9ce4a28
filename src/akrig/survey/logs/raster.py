"""A raster as soundings: every cell with a value is one, at its middle."""

import warnings
from pathlib import Path

import numpy as np

from akrig.fields.raster import WGS84
from akrig.files import check_file, content_of, open_file
from akrig.frame import LocalFrame
from akrig.journal.legs import UnreadableLog
from akrig.survey.logs.pings import frame_about
from akrig.survey.logs.placing import PlacedSoundings
from akrig.words import plural

MARKS = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")  # of TIFF and of BigTIFF


def is_raster(path: Path) -> bool:
    """By what is in it."""
    with open_file(path) as file:
        return file.read(4) in MARKS


def read_raster_points(path: Path) -> PlacedSoundings:
    """Of a GeoTIFF's first band; in metres about the middle if it says where on Earth it is, else in its own units."""
    check_file(path)
    with content_of(path, advice="check that the file is whole", error=UnreadableLog):
        X, y, frame = _cells(path)
    note = f"{path.name}: {plural(len(y), 'cell')} with a value"
    return PlacedSoundings(X, y, None, frame, (note,), is_table=True)


def _cells(path: Path) -> tuple[np.ndarray, np.ndarray, LocalFrame | None]:
    import pyproj
    import rasterio
    from rasterio.errors import NotGeoreferencedWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        # No other driver: some would follow what the file names to other files and servers.
        with rasterio.open(path, driver="GTiff") as data:
            if "complex" in data.dtypes[0]:
                raise UnreadableLog(f"{path} holds complex numbers; a map has one number per cell.")
            values = data.read(1, masked=True).astype(np.float64).filled(np.nan)
            values = values * data.scales[0] + data.offsets[0]
            crs, to_map = data.crs, data.transform
    rows, cols = np.nonzero(np.isfinite(values))
    if not len(rows):
        raise UnreadableLog(f"{path} has no cell with a value; check its nodata value.")
    to, row, col = to_map, rows + 0.5, cols + 0.5
    x, y = to.a * col + to.b * row + to.c, to.d * col + to.e * row + to.f
    found = values[rows, cols]
    if crs is None:
        return np.column_stack([x, y]).astype(np.float64), found, None
    lonlat = np.column_stack(pyproj.Transformer.from_crs(crs.to_wkt(), WGS84, always_xy=True).transform(x, y))
    if not np.isfinite(lonlat).all():
        raise UnreadableLog(f"{path} has cells that are nowhere on Earth; check its georeference.")
    frame = frame_about(lonlat)
    return frame.to_metres(lonlat), found, frame
