"""Maps of fields that lie on Earth: with their coordinates in netCDF (CF conventions), and as GeoTIFF."""

import math
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from akrig.config import Settings
from akrig.fields.grid import Georeference, GridField
from akrig.files import written_beside
from akrig.journal.surfaces import LOCAL, MAPPING
from akrig.protocols import Field

CONVENTIONS = "CF-1.8"
NAMES = {
    False: {"x": ("projection_x_coordinate", None), "y": ("projection_y_coordinate", None)},
    True: {"x": ("longitude", "degrees_east"), "y": ("latitude", "degrees_north")},
}


def reference_of(field: Field | None, settings: Settings) -> Georeference | None:
    """Where the map's point (0, 0) is, if that is known and pyproj is there to say it; a survey's frame is a map."""
    if find_spec("pyproj") is None:
        return None
    if settings.frame is not None:
        from akrig.frame import LocalFrame

        frame = LocalFrame(settings.frame.longitude, settings.frame.latitude)
        return Georeference(frame.crs.to_wkt(), 0.0, 0.0, (1.0, 1.0))
    return field.georeference if isinstance(field, GridField) else None


def on_earth(content: xr.Dataset, reference: Georeference) -> xr.Dataset:
    """The same map in the coordinates of its reference system; the mission's own metres are kept beside them."""
    import pyproj

    crs = pyproj.CRS.from_user_input(reference.crs)
    names = NAMES[crs.is_geographic]
    coordinates: dict[str, Any] = {}
    for axis, place in (("x", reference.x), ("y", reference.y)):
        metres = content[axis].to_numpy()
        standard, unit = names[axis]
        units = unit or crs.axis_info[0].unit_name
        coordinates[axis] = (axis, place(metres), {"standard_name": standard, "units": units, "axis": axis.upper()})
        about = {"long_name": f"{axis} as the mission knows it", "units": "m"}
        coordinates[LOCAL[axis]] = (axis, metres, about)
    mapped = content.assign_coords(coordinates)
    mapped[MAPPING] = xr.DataArray(np.int32(0), attrs=_mapping(crs))
    for name in mapped.data_vars:
        if {"x", "y"} <= set(mapped[name].dims):
            mapped[name].attrs["grid_mapping"] = MAPPING
    return mapped.assign_attrs(Conventions=CONVENTIONS)


def _mapping(crs: Any) -> dict[str, Any]:
    """CF has names for the usual projections only; the text in `crs_wkt` says all, and `spatial_ref` is for GDAL."""
    attributes = {name: value for name, value in crs.to_cf().items() if value is not None}
    return {**attributes, "spatial_ref": attributes["crs_wkt"]}


def write_geotiff(path: Path, content: xr.Dataset) -> None:
    """Prediction and standard deviation of a map that is `on_earth`, cell by cell as in it; NaN is no data."""
    import rasterio

    x, y = (content[axis].to_numpy() for axis in ("x", "y"))
    width, height = ((values[-1] - values[0]) / (len(values) - 1) for values in (x, y))
    corner = rasterio.Affine(width, 0, x[0] - width / 2, 0, -height, y[-1] + height / 2)
    about: dict[str, Any] = {
        **{"driver": "GTiff", "width": len(x), "height": len(y), "count": 2, "dtype": "float32"},
        **{"crs": content[MAPPING].attrs["crs_wkt"], "transform": corner},
        **{"nodata": math.nan, "compress": "deflate", "predictor": 3},
    }
    with written_beside(path) as beside, rasterio.open(beside, "w", **about) as file:
        for band, name in enumerate(("mean", "latent_std"), start=1):
            file.write(content[name].transpose("y", "x").to_numpy()[::-1].astype(np.float32), band)
        file.descriptions = ("prediction", "standard deviation")
        file.units = (content["mean"].attrs.get("units", ""),) * 2
        file.update_tags(AREA_OR_POINT="Area", TIFFTAG_SOFTWARE="akrig")
