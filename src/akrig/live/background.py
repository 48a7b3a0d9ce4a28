"""A chart under the maps: a GeoTIFF that the operator names, as a picture in the metres of the run."""

import io
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from akrig.errors import PageError
from akrig.geometry import Box

LONGEST_SIDE = 2000  # pixels
AROUND = 0.6  # of the area's longer side, kept on every side of it


@dataclass(frozen=True)
class Background:
    """Args:
    extent: of the picture, in metres of the run.
    """

    extent: Box
    png: bytes

    @property
    def for_page(self) -> dict[str, Any]:
        return {"lower": list(self.extent.lower), "upper": list(self.extent.upper)}


def read_background(path: Path, workspace: Box, origin: tuple[float, float] | None) -> Background:
    """`PageError` with one sentence if it is no GeoTIFF that shows something of the place.

    Args:
        origin: longitude and latitude of (0, 0), degrees.
    """
    from PIL import Image

    if origin is None:
        raise PageError("This run is not tied to the earth, so that no chart can lie under its maps.")
    if not path.is_file():
        raise PageError(f"There is no file {path} to lie under the maps.")
    margin = AROUND * max(workspace.size)
    extent = Box(tuple(v - margin for v in workspace.lower), tuple(v + margin for v in workspace.upper))
    try:
        colours = _warped(path, extent, origin)
    except PageError:
        raise
    except Exception as error:  # what a broken file makes its parser raise, nobody knows
        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise PageError(f"{path} cannot be read ({reason}); a background is a whole GeoTIFF.") from error
    if not colours[..., 3].any():
        raise PageError(f"{path} shows nothing of this run's area; take a chart of the place.")
    buffer = io.BytesIO()
    Image.fromarray(colours).save(buffer, "PNG")
    return Background(extent, buffer.getvalue())


def _warped(path: Path, extent: Box, origin: tuple[float, float]) -> np.ndarray:
    """Red, green, blue and how opaque, (rows, columns, 4), row 0 north."""
    import rasterio
    from rasterio.enums import ColorInterp, Resampling
    from rasterio.vrt import WarpedVRT

    from akrig.frame import LocalFrame

    # No other driver: some would follow what the file names to other files and servers.
    with warnings.catch_warnings(action="ignore"), rasterio.open(path, driver="GTiff") as data:
        if data.crs is None or data.transform.is_identity:
            raise PageError(f"{path} does not say where it lies; save it with a coordinate reference system.")
        palette = data.colormap(1) if data.colorinterp[0] == ColorInterp.palette else None
        cell = max(extent.size) / LONGEST_SIDE
        columns, rows = (max(1, round(side / cell)) for side in extent.size)
        place = rasterio.Affine(cell, 0, extent.lower[0], 0, -cell, extent.upper[1])
        how = {
            "crs": LocalFrame(*origin).crs.to_wkt(),
            "transform": place,
            "width": columns,
            "height": rows,
            "resampling": Resampling.nearest if palette else Resampling.bilinear,
            "add_alpha": ColorInterp.alpha not in data.colorinterp and data.nodata is None,  # else nodata says it
        }
        with WarpedVRT(data, **how) as warped:
            opaque = warped.dataset_mask()
            bands = warped.read([1, 2, 3] if data.count >= 3 else [1])
    if palette:
        table = np.array([palette.get(k, (0, 0, 0, 0)) for k in range(256)], np.uint8)
        shown = table[np.clip(bands[0], 0, 255).astype(np.uint8)]
        return np.dstack([shown[..., :3], np.minimum(shown[..., 3], opaque)])
    levels = [_levels(band, opaque > 0) for band in bands]
    return np.dstack([*(levels * 3)[:3], opaque]) if len(levels) == 1 else np.dstack([*levels, opaque])


def _levels(band: np.ndarray, known: np.ndarray) -> np.ndarray:
    """0 to 255; what is not stored so is stretched between its 2nd and 98th percentile."""
    if band.dtype == np.uint8:
        return band
    values = np.where(known & np.isfinite(band), band, np.nan).astype(np.float64)
    if not np.isfinite(values).any():
        return np.zeros(band.shape, np.uint8)
    low, high = np.nanpercentile(values, [2, 98])
    share = np.clip((values - low) / (high - low or 1.0), 0, 1)
    return np.nan_to_num(255 * share).astype(np.uint8)
