"""Cloud-optimised GeoTIFFs: in tiles, with overviews, so that a viewer reads no more of a map than it shows."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from akrig.files import reason, written_beside

TILE = 256  # cells


@contextmanager
def cloud_optimised(
    path: Path, *, crs: str | None, corner: tuple[float, float], cell: tuple[float, float], shape: tuple[int, int, int],
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
    from rasterio import Affine
    from rasterio.io import MemoryFile

    count, rows, cols = shape
    about: dict[str, Any] = {
        **{"driver": "COG", "width": cols, "height": rows, "count": count, "dtype": "float32", "crs": crs},
        **{"transform": Affine(cell[0], 0, corner[0], 0, -cell[1], corner[1]), "nodata": math.nan},
        **{"compress": "deflate", "predictor": "floating_point", "blocksize": TILE, "overview_resampling": "nearest"},
    }
    with MemoryFile() as whole:  # GDAL closes a file on a full disk without a word
        with whole.open(**about) as file:
            yield file
            file.update_tags(AREA_OR_POINT="Area", TIFFTAG_SOFTWARE="akrig")
        write_made(path, whole.getbuffer(), synced=synced)


def write_made(path: Path, content: Any, *, synced: bool = False) -> None:
    """What GDAL has made in memory, as a buffer of bytes."""
    try:
        with written_beside(path, synced=synced) as beside:
            beside.write_bytes(content)
    except OSError as error:
        raise OSError(f"{path} could not be written ({reason(error)}); make room on the disk.") from error
