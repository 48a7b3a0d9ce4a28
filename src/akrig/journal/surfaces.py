"""The maps in a run folder, as they read: the one it ended with, and those on the way."""

import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import xarray as xr

from akrig.errors import RunFolderError
from akrig.files import LARGEST as LARGEST_FILE
from akrig.files import content_of, open_file
from akrig.journal.event_schema import LARGEST
from akrig.journal.folder import RunFolder
from akrig.journal.hdf5_references import check_self_contained

LOCAL = {"x": "local_x", "y": "local_y"}  # beside the coordinates of the map's reference system
MAPPING = "crs"  # the variable that says which reference system that is


def in_mission_metres(content: xr.Dataset) -> xr.Dataset:
    """As it is if it has no other coordinates."""
    for axis, name in LOCAL.items():
        if name in content.coords:
            content = content.assign_coords({axis: (axis, content[name].to_numpy())}).drop_vars(name)
    return content.drop_vars(MAPPING, errors="ignore")


AXES = ("x", "y", "z")  # of places; a map has its last axis first, as pictures do
STACKED = {"weights": "base", "memberships": "member"}
LAYERS = ("mean", "std", "latent_std", "truth", "error", "lengthscale")
# What reading a file raises that was cut off, emptied or overwritten.
DAMAGED = (OSError, EOFError, ValueError, KeyError, TypeError, RuntimeError, MemoryError, BadZipFile, zlib.error)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The map after so many readings, (rows, columns) over the workspace, row 0 south."""

    readings: int
    mean: np.ndarray
    std: np.ndarray


def read_snapshots(folder: RunFolder) -> list[Snapshot]:
    """Those that can be read: they are for looking only, and a film with a frame less is still a film."""
    snapshots: list[Snapshot] = []
    for readings, file in folder.list_snapshots():
        with suppress(*DAMAGED):
            found = _read_snapshot(readings, file)
            if not snapshots or found.mean.shape == snapshots[0].mean.shape:
                snapshots.append(found)
    return snapshots


def _read_snapshot(readings: int, file: Path) -> Snapshot:
    with open_file(file, most=LARGEST_FILE) as opened, np.load(opened) as arrays:  # numpy leaves a bad file open
        mean, std = arrays["mean"], arrays["std"]
    if not isinstance(mean, np.ndarray) or not isinstance(std, np.ndarray):  # numpy hands out other files as bytes
        raise ValueError(f"{file} holds no arrays.")
    if mean.shape != std.shape or min(mean.shape, default=0) < 2:
        raise ValueError(f"{file} holds no map.")
    check_surface("mean", mean)
    check_surface("std", std)
    return Snapshot(readings, mean, std)


def read_map(folder: RunFolder, *, dim: int) -> xr.Dataset | None:
    """`None` if the mission has not ended."""
    if not folder.map.exists():
        return None
    advice = f"`akrig resume {folder.path}` writes it anew, or delete it to do without"
    with content_of(folder.map, advice=advice, error=RunFolderError):
        check_self_contained(folder.map)
        content = in_mission_metres(xr.load_dataset(folder.map, engine="netcdf4"))
        _check_map(content, AXES[:dim])
        return content


def _check_map(content: xr.Dataset, axes: tuple[str, ...]) -> None:
    """`ValueError` if it is not what `runs.map` writes."""
    grid = tuple(reversed(axes))
    for axis in axes:
        places = content[axis].to_numpy()
        if places.ndim != 1 or len(places) < 2 or not np.all(np.diff(places) > 0) or not np.isfinite(places).all():
            raise ValueError(f"its {axis} does not grow")
    for name in ("mean", "std", *(name for name in (*LAYERS[2:], *STACKED) if name in content)):
        expected = (STACKED[name], *grid) if name in STACKED else grid
        if content[name].dims != expected:
            raise ValueError(f"its {name} lies over {', '.join(map(str, content[name].dims)) or 'nothing'}")
        check_surface(name, content[name].to_numpy())
    if "weights" in content and not np.isfinite(content["base"].to_numpy()).all():
        raise ValueError("its base lengthscales are no numbers")


def check_surface(name: str, values: np.ndarray) -> None:
    """`ValueError` if they are not numbers that can be drawn; NaN is where there is nothing."""
    if values.dtype.kind not in "fiu":
        raise ValueError(f"its {name} are no numbers")
    known = values[np.isfinite(values)]
    if not known.size or np.isinf(values).any() or np.abs(known).max() > LARGEST:
        raise ValueError(f"its {name} are nothing, or too large")
