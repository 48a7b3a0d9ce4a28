"""Real terrain that every installation has: matplotlib's sample data, read without importing matplotlib."""

import importlib.util
from pathlib import Path

import numpy as np

from akrig.errors import UnknownField
from akrig.fields.grid import GridField, Interpolation, Raster
from akrig.fields.raster import Bounds, place_degrees
from akrig.types import Values


def jacksboro(*, interpolation: Interpolation = "bilinear") -> GridField:
    """The Jacksboro fault in Tennessee, 30 by 32 kilometres: a straight scarp, smooth valleys, rough hills."""
    data = _load("jacksboro_fault_dem.npz")
    # The file's ymin and ymax are swapped; its first row is the north edge.
    west, east = sorted((float(data["xmin"]), float(data["xmax"])))
    south, north = sorted((float(data["ymin"]), float(data["ymax"])))
    return _field("jacksboro", data["elevation"][::-1], (west, south, east, north), interpolation)


def topobathy(*, interpolation: Interpolation = "bilinear") -> GridField:
    """Vancouver Island, the coast beside it and the sea floor, 290 by 220 kilometres: straits, fjords, mountains."""
    data = _load("topobathy.npz")
    longitude, latitude = (data[key].astype(np.float64) for key in ("longitude", "latitude"))
    west, east = _edges(longitude)
    south, north = _edges(latitude)
    # The rows are even on a Mercator map, not in latitude; left so, the middle would be a kilometre off.
    step = (north - south) / len(latitude)
    even = south + step * (np.arange(len(latitude)) + 0.5)
    heights = np.stack([np.interp(even, latitude, column) for column in data["topo"].astype(np.float64).T], axis=1)
    return _field("topobathy", heights, (west, south, east, north), interpolation)


def sample_file(name: str) -> Path | None:
    """A file of matplotlib's sample data, if this installation has it."""
    spec = importlib.util.find_spec("matplotlib")
    folders = spec.submodule_search_locations if spec is not None else None
    paths = (Path(folder) / "mpl-data" / "sample_data" / name for folder in folders or ())
    return next((path for path in paths if path.is_file()), None)


def _load(name: str) -> dict[str, np.ndarray]:
    path = sample_file(name)
    if path is None:
        raise UnknownField(f"matplotlib's sample file {name} is not on this machine; run: pip install matplotlib")
    with np.load(path, allow_pickle=False) as data:
        return dict(data)


def _field(name: str, heights: np.ndarray, bounds: Bounds, interpolation: Interpolation) -> GridField:
    place = place_degrees(bounds, name)
    values: Raster = heights.astype(np.float64)
    return GridField(
        values,
        place.extent,
        interpolation=interpolation,
        name=name,
        units="m",
        quantity="elevation",
        crs=place.crs,
        origin=place.origin,
    )


def _edges(centres: Values) -> tuple[float, float]:
    """Half a step beyond the first and the last centre."""
    return float(1.5 * centres[0] - 0.5 * centres[1]), float(1.5 * centres[-1] - 0.5 * centres[-2])
