"""The map that a mission ends with, as a dataset anyone can open."""

from pathlib import Path

import numpy as np
import xarray as xr

from akrig.config import Parts, Settings
from akrig.errors import RunFolderError
from akrig.gp.attention import attention_at
from akrig.types import Values

AXES = ("x", "y", "z")


def final_map(parts: Parts, settings: Settings) -> xr.Dataset:
    """Mean and uncertainty on a grid over the workspace; truth and error if known; what the kernel has learnt."""
    workspace, counts = parts.mission.workspace, tuple(settings.scoring.map_grid)
    points = workspace.grid(*counts)
    dims = AXES[: workspace.dim]
    coordinates = {
        name: np.linspace(a, b, n) for name, a, b, n in zip(dims, workspace.lower, workspace.upper, counts, strict=True)
    }

    def layer(values: Values, **attributes: str) -> xr.DataArray:
        shown = values if outside is None else np.where(outside, np.nan, values)
        grid = xr.DataArray(shown.reshape(counts), dims=dims, coords=coordinates, attrs=attributes)
        return grid.transpose(*reversed(dims))

    units = getattr(parts.field, "units", "") if settings.survey is None else "m"
    outside = None if parts.scoring.inside is None else ~parts.scoring.inside(points)
    reading = parts.model.predict(points)
    noise_variance = parts.model.noise_variance
    layers = {
        "mean": layer(reading.mean, long_name="predicted value", units=units),
        "std": layer(reading.std, long_name="standard deviation of a reading", units=units),
        "latent_std": layer(
            np.sqrt(np.maximum(reading.variance - noise_variance, 0.0)),
            long_name="standard deviation of the field",
            units=units,
        ),
    }
    if parts.field is not None:
        truth = parts.field(points)
        layers["truth"] = layer(truth, long_name="truth", units=units)
        layers["error"] = layer(np.abs(reading.mean - truth), long_name="absolute error", units=units)
    attention = attention_at(parts.model, points)
    if attention is not None:
        layers["lengthscale"] = layer(attention.lengthscale, long_name="effective lengthscale", units="m")
        if attention.weights is not None:
            stack = [layer(column) for column in attention.weights.T]
            layers["weights"] = xr.concat(stack, xr.Variable("base", attention.base_lengthscales))
        if attention.memberships is not None:
            layers["memberships"] = xr.concat([layer(column) for column in attention.memberships.T], "member")
    return xr.Dataset(layers, attrs={"title": f"{settings.field.name} mapped by akrig", "kernel": settings.kernel.name})


def write_map(path: Path, parts: Parts, settings: Settings) -> None:
    """netCDF, written beside and renamed."""
    content = final_map(parts, settings)
    beside = path.with_name(f".{path.name}.part")
    try:
        content.to_netcdf(beside, engine="netcdf4")
        beside.replace(path)
    except (OSError, RuntimeError) as error:  # netCDF's own errors are RuntimeErrors without a cause
        beside.unlink(missing_ok=True)
        raise RunFolderError(
            f"{path} could not be written ({error}); make room on the disk, then `akrig resume {path.parent}`."
        ) from error
