"""Cloud-optimised GeoTIFFs: in tiles, with overviews, so that a viewer reads no more of a map than it shows."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from akrig.errors import AkrigError
from akrig.files import reason, written_beside

TILE = 256  # cells


@contextmanager
def cloud_optimised(
    path: Path, *, crs: str, corner: tuple[float, float], cell: tuple[float, float], shape: tuple[int, int, int],
    synced: bool = False,
) -> Iterator[Any]:  # fmt: skip
    """A file of rasterio's to write float32 bands into, row 0 in the north, NaN for no data; beside, then renamed.

    The cells of its overviews are cells of the map, every second, every fourth, ...: a code stays a code.

    Args:
        corner: west and north edge.
        cell: width and height of a cell.
        shape: bands, rows, columns.
        synced: see `written_beside`.
    """
    import rasterio

    count, rows, cols = shape
    about: dict[str, Any] = {
        **{"driver": "COG", "width": cols, "height": rows, "count": count, "dtype": "float32", "crs": crs},
        **{"transform": rasterio.Affine(cell[0], 0, corner[0], 0, -cell[1], corner[1]), "nodata": math.nan},
        **{"compress": "deflate", "predictor": "floating_point", "blocksize": TILE, "overview_resampling": "nearest"},
    }
    with written_beside(path, synced=synced) as beside, gdal_faults(path):
        with rasterio.open(beside, "w", **about) as file:
            yield file
            file.update_tags(AREA_OR_POINT="Area", TIFFTAG_SOFTWARE="akrig")
        check_written(beside, driver="GTiff")


@contextmanager
def gdal_faults(path: Path) -> Iterator[None]:
    """What goes wrong while a raster is written, as an `OSError` of one sentence."""
    try:
        yield
    except AkrigError:
        raise
    except Exception as error:  # GDAL's own have no public class; mostly, the disk is full
        raise OSError(f"{path} could not be written ({reason(error)}); make room on the disk.") from error


def check_written(path: Path, *, driver: str) -> None:
    """By reading it: what fails when a file is closed, on a full disk for instance, GDAL only tells the terminal."""
    import rasterio

    with rasterio.open(path, driver=driver) as file:
        for band in file.indexes:
            file.read(band)
