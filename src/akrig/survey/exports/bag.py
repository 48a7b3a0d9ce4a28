"""The map as a Bathymetric Attributed Grid (BAG 1.6), written by GDAL: elevation and uncertainty, in metres."""

from pathlib import Path
from typing import Any

import numpy as np

from akrig import __version__
from akrig.errors import RunFolderError
from akrig.runs.geotiff import write_made
from akrig.survey.exports.data import SurveyData

NO_DATA = 1_000_000.0  # as the format wants it
UPWARDS = 'VERT_CS["unknown",VERT_DATUM["unknown",2005],UNIT["metre",1],AXIS["Up",UP]]'
ABSTRACT = "Predicted by a Gaussian process from single-beam soundings. The uncertainty is one standard deviation."


def export(path: Path, data: SurveyData) -> None:
    """Elevations are depths with a minus; which uncertainty this is, the format has no word for: "unknown"."""
    import rasterio
    from rasterio.io import MemoryFile

    depths = data.depths
    grid = depths.grid
    if "BAG" not in _writing_drivers():
        raise RunFolderError("This build of GDAL cannot write BAG; the GeoTIFF holds the same map.")
    bands = np.nan_to_num(np.stack([-depths.mean, depths.std]), nan=NO_DATA).astype(np.float32)
    about: dict[str, Any] = {
        **{"driver": "BAG", "width": grid.cols, "height": grid.rows, "count": 2, "dtype": "float32"},
        **{"crs": grid.wkt, "transform": rasterio.Affine(grid.cell, 0, grid.west, 0, -grid.cell, grid.north)},
        **{"nodata": NO_DATA, "VAR_ABSTRACT": ABSTRACT, "VAR_VERT_WKT": UPWARDS},
        **{"VAR_PROCESS_STEP_DESCRIPTION": f"Mapped by akrig {__version__}"},
    }
    with MemoryFile() as memory:  # HDF5 does not get over a full disk
        with memory.open(**about) as file:
            file.write(bands)
        write_made(path, memory.getbuffer(), synced=True)


def _writing_drivers() -> set[str]:
    from rasterio.env import Env

    with Env() as env:
        return set(env.drivers())
