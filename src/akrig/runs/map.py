"""The map that a mission ends with, as a dataset anyone can open."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import xarray as xr

from akrig.config import Parts, Settings
from akrig.config.settings import NO_FIELD
from akrig.errors import RunFolderError
from akrig.files import written_beside
from akrig.geometry import Box
from akrig.gp.attention import attention_at
from akrig.journal.surfaces import AXES
from akrig.protocols import KnowsNoise, Model, capability
from akrig.runs.georeferenced import on_earth, reference_of, write_geotiff
from akrig.types import Attention, Points, Prediction, Values

GEOTIFF = "map.tif"


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


def _has_own_geotiff(settings: Settings) -> bool:
    """Surveys, and replays of them, end with one on a finer grid, within their fence or about their readings."""
    return settings.survey is not None or (settings.vehicle.part.replays and settings.frame is not None)


def write_map(path: Path, parts: Parts, settings: Settings) -> None:
    """netCDF, written beside and renamed; of a field from a georeferenced file a GeoTIFF, too."""
    content = final_map(parts, settings)
    reference = reference_of(parts.field, settings) if parts.mission.workspace.dim == 2 else None
    if reference is not None:
        content = on_earth(content, reference)
    try:
        with written_beside(path) as beside:
            content.to_netcdf(beside, engine="netcdf4")
        if reference is not None and not _has_own_geotiff(settings) and find_spec("rasterio") is not None:
            write_geotiff(path.with_name(GEOTIFF), content)
    except (OSError, RuntimeError) as error:  # netCDF's own errors are RuntimeErrors without a cause
        raise RunFolderError(
            f"{path} could not be written ({error}); make room on the disk, then `akrig resume {path.parent}`."
        ) from error
