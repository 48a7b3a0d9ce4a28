"""Rasters from files: GeoTIFF, BAG, SRTM tiles, ESRI ASCII grids, NumPy arrays and images.

A georeferenced raster is placed in metres with its south-west corner at (0, 0), and keeps that corner's longitude and
latitude. Degrees become metres by the scale of the WGS84 ellipsoid at the raster's centre: exact along the two lines
through it, while at the north and south edges widths are off by a share of (height in radians / 2) tan(latitude): 0.1 %
for ten kilometres at 50 degrees, 1 % for a whole one-degree tile.
"""

import importlib
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import cos, hypot, isfinite, isqrt, radians, sin, sqrt
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from akrig.errors import InvalidField
from akrig.fields.grid import Georeference, GridField, Interpolation, Raster, check_raster, window
from akrig.files import LARGEST, check_file, read_text, reason, without_chatter
from akrig.geometry import Box, wrapped_degrees

WGS84 = "EPSG:4326"
SHORTEST, LONGEST = 1e-6, 1e9  # metres, of a side
Bounds = tuple[float, float, float, float]  # west, south, east, north


@dataclass(frozen=True)
class Place:
    """Where a raster lies: in metres, and on the earth if that is known."""

    extent: Box
    crs: str | None = None
    origin: tuple[float, float] | None = None
    georeference: Georeference | None = None


@dataclass(frozen=True, eq=False)
class Source:
    """A raster that was opened but perhaps not read; rows count from the south."""

    shape: tuple[int, int]
    place: Place
    read: Callable[[slice, slice], Raster]
    units: str = ""
    quantity: str = ""


def read_raster(
    path: str | Path,
    *,
    interpolation: Interpolation = "bilinear",
    crop: Box | None = None,
    downsample: int = 1,
    units: str | None = None,
    needs_crs: bool = False,
    extent: Box | None = None,
) -> GridField:
    """A field from a file with one of the suffixes of `READERS`.

    Args:
        crop: what to keep, in the resulting metres; of a GeoTIFF nothing else is read.
        downsample: side of the blocks of cells to average, after cropping.
        units: of the values, where the file does not say or is wrong.
        needs_crs: refuse a raster that is not tied to the earth.
        extent: place the raster here, whatever the file says. Without it, arrays and images have one metre per cell.
    """
    path = Path(path)
    if path.suffix.lower() not in READERS:
        raise InvalidField(f"{path} has no suffix of a raster; akrig reads {', '.join(READERS)}.")
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    check_file(path)
    with _explained(path):
        source = READERS[path.suffix.lower()](path)
    if needs_crs and source.place.crs is None:
        raise InvalidField(f"{path} has no coordinate reference system; save it as a GeoTIFF that has one.")
    place = source.place if extent is None else Place(extent)
    if not all(SHORTEST <= side <= LONGEST for side in place.extent.size):
        raise InvalidField(f"{path} spans {place.extent} metres; check its georeference.")
    rows, cols, part = slice(0, source.shape[0]), slice(0, source.shape[1]), place.extent
    if crop is not None:
        rows, cols, part = window(crop, place.extent, source.shape, path.name)
    with _explained(path):
        values = source.read(rows, cols)
    about: dict[str, Any] = {"name": path.stem, "quantity": source.quantity, "crs": place.crs, "origin": place.origin}
    about |= {"georeference": place.georeference, "units": source.units if units is None else units}
    field = GridField(values, part, interpolation=interpolation, **about)
    return field if downsample == 1 else field.downsampled(downsample)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except InvalidField:
        raise
    except Exception as error:  # what a broken file makes its parser raise, nobody knows
        raise InvalidField(f"{path} cannot be read ({reason(error)}); check that the file is whole.") from error


def place_degrees(bounds: Bounds, name: str) -> Place:
    """Bounds in degrees of longitude and latitude become metres, by the scale at their centre."""
    west, south, east, north = bounds
    if not -90.5 <= south < north <= 90.5 or east - west > 361:
        raise InvalidField(
            f"{name} spans {west:g} to {east:g} degrees east and {south:g} to {north:g} degrees north, which is not "
            "on the earth; check its georeference."
        )
    per_east, per_north = _metres_per_degree((south + north) / 2)
    extent = Box((0, 0), ((east - west) * per_east, (north - south) * per_north))
    reference = Georeference(WGS84, west, south, (per_east, per_north))
    return Place(extent, WGS84, (wrapped_degrees(west), south), reference)


def _metres_per_degree(latitude: float) -> tuple[float, float]:
    """Along the parallel and along the meridian of the WGS84 ellipsoid."""
    equator, eccentricity2 = 6378137.0, 6.69437999014e-3
    bulge = 1 - eccentricity2 * sin(radians(latitude)) ** 2
    parallel = equator / sqrt(bulge) * cos(radians(latitude))
    meridian = equator * (1 - eccentricity2) / bulge**1.5
    return radians(1) * parallel, radians(1) * meridian


def _place(bounds: Bounds, crs_text: str | None, name: str) -> Place:
    """In metres, with the south-west corner at (0, 0)."""
    west, south, east, north = bounds
    if crs_text is None:
        return Place(Box((0, 0), (east - west, north - south)))  # metres, for want of better knowledge
    pyproj = _need("pyproj")
    try:
        crs = pyproj.CRS.from_user_input(crs_text)
        longitude, latitude = pyproj.Transformer.from_crs(crs, WGS84, always_xy=True).transform(west, south)
    except pyproj.exceptions.ProjError as error:
        raise InvalidField(f"{name} has a coordinate reference system that PROJ cannot use ({error}).") from error
    label = ":".join(crs.to_authority() or (crs.name,))
    if not isfinite(longitude) or not isfinite(latitude):
        raise InvalidField(f"The corner ({west:g}, {south:g}) of {name} is nowhere in {label}; check its georeference.")
    metre = crs.axis_info[0].unit_conversion_factor  # feet in some countries
    flat = Box((0, 0), ((east - west) * metre, (north - south) * metre))
    extent = place_degrees(bounds, name).extent if crs.is_geographic else flat
    scales = (extent.size[0] / (east - west), extent.size[1] / (north - south))
    reference = Georeference(crs.to_wkt(), west, south, scales)
    return Place(extent, label, (wrapped_degrees(longitude), latitude), reference)


def _need(module: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InvalidField(f"This raster needs {module}, which is not installed; run: pip install {module}") from error


def _in_memory(
    values: np.ndarray, path: Path, place: Place | None = None, *, units: str = "", quantity: str = ""
) -> Source:
    if values.dtype.kind not in "biuf":
        raise InvalidField(f"{path} holds {values.dtype} values; akrig maps real numbers.")
    with np.errstate(invalid="ignore"):  # of numbers that are none
        values = values.astype(np.float64)
    check_raster(values, path.name)
    rows, cols = values.shape
    place = place or Place(Box((0, 0), (cols, rows)))
    return Source((rows, cols), place, lambda r, c: values[r, c], units, quantity)


@contextmanager
def _opened(path: Path, driver: str) -> Iterator[Any]:
    rasterio = _need("rasterio")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
        # No other driver: some would follow what the file names to other files and servers.
        with without_chatter(), rasterio.open(path, driver=driver) as data:  # HDF5's, of a damaged BAG
            yield data


def _read_gdal(path: Path, *, driver: str = "GTiff", quantity: str = "") -> Source:
    with _opened(path, driver) as data:
        grid, (height, width), crs, unit = data.transform, data.shape, data.crs, data.units[0]
        if "complex" in data.dtypes[0]:
            raise InvalidField(f"{path} holds complex numbers; a map has one number per cell.")
    if hypot(grid.b, grid.d) > 1e-9 * hypot(grid.a, grid.e):
        raise InvalidField(f"{path} is rotated against its coordinate system; make it north-up first, with gdalwarp.")
    xs, ys = sorted((grid.c, grid.c + grid.a * width)), sorted((grid.f, grid.f + grid.e * height))
    bounds, referenced = (xs[0], ys[0], xs[1], ys[1]), not grid.is_identity
    place = _place(bounds, crs.to_wkt() if crs and referenced else None, path.name)
    from_south, from_east = grid.e > 0 and referenced, grid.a < 0

    def read(rows: slice, cols: slice) -> Raster:
        top = rows.start if from_south else height - rows.stop
        left = width - cols.stop if from_east else cols.start
        window = (top, top + rows.stop - rows.start), (left, left + cols.stop - cols.start)
        with _opened(path, driver) as data, np.errstate(invalid="ignore"):  # of numbers that are none
            values = data.read(1, window=window, masked=True).astype(np.float64).filled(np.nan)
            values = values * data.scales[0] + data.offsets[0]
        return values[:: 1 if from_south else -1, :: -1 if from_east else 1]

    return Source((height, width), place, read, unit or "", quantity)


def _read_hgt(path: Path) -> Source:
    """An SRTM tile: values on the degree lines, so that cells reach half a step beyond them."""
    named = re.fullmatch(r"([NS])(\d{2})([EW])(\d{3})", path.stem.upper().split(".")[0])
    if named is None:
        raise InvalidField(f"{path} is not named after its south-west corner, as in N17E073.hgt; rename it.")
    latitude = int(named[2]) * (1 if named[1] == "N" else -1)
    longitude = int(named[4]) * (1 if named[3] == "E" else -1)
    size = isqrt(path.stat().st_size // 2)
    if size not in (1201, 3601) or path.stat().st_size != 2 * size**2:
        raise InvalidField(
            f"{path} has {path.stat().st_size} bytes; an SRTM tile has 2 * 1201 * 1201 or 2 * 3601 * 3601."
        )
    heights = np.fromfile(path, dtype=">i2").reshape(size, size)[::-1].astype(np.float64)
    heights[heights == -32768] = np.nan
    half = 0.5 / (size - 1)
    bounds = longitude - half, latitude - half, longitude + 1 + half, latitude + 1 + half
    return _in_memory(heights, path, place_degrees(bounds, path.name), units="m", quantity="elevation")


def _read_asc(path: Path) -> Source:
    """An ESRI ASCII grid; its coordinate system is in a .prj file beside it, if anywhere."""
    text = read_text(path, most=LARGEST)
    lines = re.findall(r"(?im)^\s*(ncols|nrows|[xy]llcorner|[xy]llcenter|cellsize|nodata_value)\s+(\S+)", text)
    header = {key.lower(): float(value) for key, value in lines}
    for keys in (("ncols",), ("nrows",), ("cellsize",), ("xllcorner", "xllcenter"), ("yllcorner", "yllcenter")):
        if not any(key in header for key in keys):
            raise InvalidField(f"{path} is not an ESRI ASCII grid: its header lacks {' or '.join(keys)}.")
    rows, cols, cell = int(header["nrows"]), int(header["ncols"]), header["cellsize"]
    cells = text.split()[2 * len(lines) :]
    if len(cells) != rows * cols or min(rows, cols) < 1 or not cell > 0:
        raise InvalidField(
            f"{path} promises {rows} x {cols} cells of size {cell:g} but holds {len(cells)} values; it may be cut."
        )
    values = np.array(cells, dtype=np.float64).reshape(rows, cols)[::-1]
    values = np.where(values == header.get("nodata_value", -9999.0), np.nan, values)
    west = header["xllcorner"] if "xllcorner" in header else header["xllcenter"] - cell / 2
    south = header["yllcorner"] if "yllcorner" in header else header["yllcenter"] - cell / 2
    beside = path.with_suffix(".prj")
    crs = read_text(beside) if beside.is_file() else None
    return _in_memory(values, path, _place((west, south, west + cols * cell, south + rows * cell), crs, path.name))


def _read_image(path: Path) -> Source:
    """Grey levels 0 to 255; images of 16 or 32 bits per pixel keep their numbers."""
    from PIL import Image

    with Image.open(path, formats=("PNG", "JPEG")) as image:
        deep = image.mode == "F" or image.mode.startswith("I")
        levels = np.asarray(image if deep else image.convert("L"))
    return _in_memory(levels[::-1], path, quantity="grey level")


READERS: dict[str, Callable[[Path], Source]] = {
    **dict.fromkeys((".tif", ".tiff"), _read_gdal),
    **{".hgt": _read_hgt, ".asc": _read_asc, ".npy": lambda path: _in_memory(np.load(path, allow_pickle=False), path)},
    **dict.fromkeys((".png", ".jpg", ".jpeg"), _read_image),
    ".bag": partial(_read_gdal, driver="BAG", quantity="elevation"),
}
