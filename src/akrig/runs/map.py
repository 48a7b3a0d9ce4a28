"""The map that a mission ends with, as a dataset anyone can open; with its coordinates if it lies on Earth."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from akrig.config import Parts, Settings
from akrig.config.settings import NO_FIELD
from akrig.errors import RunFolderError
from akrig.fields.grid import Georeference, GridField
from akrig.files import written_beside
from akrig.geometry import Box
from akrig.gp.attention import attention_at
from akrig.journal.surfaces import AXES, LOCAL, MAPPING
from akrig.protocols import Field, KnowsNoise, Model, capability
from akrig.runs.geotiff import cloud_optimised
from akrig.types import Attention, Points, Prediction, Values

GEOTIFF = "map.tif"
CONVENTIONS = "CF-1.8"
NAMES = {
    False: {"x": ("projection_x_coordinate", None), "y": ("projection_y_coordinate", None)},
    True: {"x": ("longitude", "degrees_east"), "y": ("latitude", "degrees_north")},
}


def final_map(parts: Parts, settings: Settings) -> xr.Dataset:
    """Mean and uncertainty on a grid over the workspace; truth and error if known; what the kernel has learnt."""
    workspace, counts = parts.mission.workspace, tuple(settings.scoring.map_grid)
    points = workspace.grid(*counts)

    def layer(values: Values, **attributes: str) -> xr.DataArray:
        shown = values if outside is None else np.where(outside, np.nan, values)
        return map_layer(shown, workspace, counts, **attributes)

    units = getattr(parts.field, "units", "") if settings.survey is None else "m"
    outside = None if parts.scoring.inside is None else ~parts.scoring.inside(points)
    reading = parts.model.predict(points)
    layers = {
        "mean": layer(reading.mean, long_name="predicted value", units=units),
        "std": layer(reading.std, long_name="standard deviation of a reading", units=units),
        "latent_std": layer(
            _latent_std(parts.model, points, reading), long_name="standard deviation of the field", units=units
        ),
    }
    if parts.field is not None:
        truth = parts.field(points)
        layers["truth"] = layer(truth, long_name="truth", units=units)
        layers["error"] = layer(np.abs(reading.mean - truth), long_name="absolute error", units=units)
    attention = attention_at(parts.model, points)
    if attention is not None:
        layers |= attention_layers(attention, layer, about={"long_name": "effective lengthscale", "units": "m"})
    about = {"title": f"{_called(settings)} mapped by akrig", "kernel": settings.kernel.name}
    return xr.Dataset(layers, attrs=about)


def _latent_std(model: Model, points: Points, reading: Prediction) -> Values:
    """Without asking the model twice, if it knows its noise."""
    noisy = capability(model, KnowsNoise)
    if noisy is None:
        return model.latent(points).std
    return np.sqrt(np.maximum(reading.variance - noisy.noise_variance, 0.0))


def map_layer(values: Values, workspace: Box, counts: tuple[int, ...], **attributes: str) -> xr.DataArray:
    """Values at the points of `workspace.grid(*counts)`, as maps hold them."""
    axes = dict(zip(AXES, workspace.axes(*counts), strict=False))
    return xr.DataArray(values.reshape(counts), axes, list(axes), attrs=attributes).transpose(*reversed(list(axes)))


def attention_layers(
    learnt: Attention, layer: Callable[..., xr.DataArray], *, about: dict[str, str], base: dict[str, str] | None = None
) -> dict[str, xr.DataArray]:
    """What a kernel has learnt at the points of a map.

    Args:
        layer: makes one of values and attributes.
        about: attributes of the lengthscale.
        base: attributes of the base kernels' lengthscales.
    """
    layers = {"lengthscale": layer(learnt.lengthscale, **about)}
    if learnt.weights is not None:
        stack = [layer(column) for column in learnt.weights.T]
        layers["weights"] = xr.concat(stack, xr.Variable("base", learnt.base_lengthscales, base))
    if learnt.memberships is not None:
        layers["memberships"] = xr.concat([layer(column) for column in learnt.memberships.T], "member")
    return layers


def _called(settings: Settings) -> str:
    """What was mapped, as people call it."""
    if settings.survey is not None:
        return settings.survey.area.name or "survey"
    named = settings.vehicle.log if settings.field.name == NO_FIELD else settings.field.name
    return Path(named or "").name if ":" not in (named or "") else settings.field.part.label


def write_map(path: Path, parts: Parts, settings: Settings) -> None:
    """netCDF, written beside and renamed; of a field from a georeferenced file a GeoTIFF, too."""
    content = final_map(parts, settings)
    reference = reference_of(parts.field, settings) if parts.mission.workspace.dim == 2 else None
    if reference is not None:
        content = on_earth(content, reference)
    # Surveys, and replays of them, end with one on a finer grid, within their fence or about their readings.
    has_own = settings.survey is not None or (settings.vehicle.part.replays and settings.frame is not None)
    try:
        with written_beside(path) as beside:
            content.to_netcdf(beside, engine="netcdf4")
        if reference is not None and not has_own and find_spec("rasterio") is not None:
            write_geotiff(path.with_name(GEOTIFF), content)
    except (OSError, RuntimeError) as error:  # netCDF's own errors are RuntimeErrors without a cause
        raise RunFolderError(
            f"{path} could not be written ({error}); make room on the disk, then `akrig resume {path.parent}`."
        ) from error


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
    # CF has names for the usual projections only; the text in `crs_wkt` says all, and `spatial_ref` is for GDAL.
    mapping = {name: value for name, value in crs.to_cf().items() if value is not None}
    mapped[MAPPING] = xr.DataArray(np.int32(0), attrs={**mapping, "spatial_ref": mapping["crs_wkt"]})
    for name in mapped.data_vars:
        if {"x", "y"} <= set(mapped[name].dims):
            mapped[name].attrs["grid_mapping"] = MAPPING
    return mapped.assign_attrs(Conventions=CONVENTIONS)


def write_geotiff(path: Path, content: xr.Dataset) -> None:
    """Prediction and standard deviation of a map that is `on_earth`, cell by cell as in it; NaN is no data."""
    x, y = (content[axis].to_numpy() for axis in ("x", "y"))
    width, height = ((values[-1] - values[0]) / (len(values) - 1) for values in (x, y))
    crs, corner = content[MAPPING].attrs["crs_wkt"], (x[0] - width / 2, y[-1] + height / 2)
    with cloud_optimised(path, crs=crs, corner=corner, cell=(width, height), shape=(2, len(y), len(x))) as file:
        for band, name in enumerate(("mean", "latent_std"), start=1):
            file.write(content[name].transpose("y", "x").to_numpy()[::-1].astype(np.float32), band)
        file.descriptions = ("prediction", "standard deviation")
        file.units = (content["mean"].attrs.get("units", ""),) * 2
