"""Fields by name: made on the spot, shipped with matplotlib, or the paper's data when they are on this machine."""

import difflib
import hashlib
import http.client
import os
import shutil
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal
from urllib.error import HTTPError, URLError
from uuid import uuid4

from akrig.fields.errors import DownloadFailed, InvalidField, UnknownField
from akrig.fields.grid import GridField, Interpolation, span
from akrig.fields.raster import READERS, read_raster
from akrig.fields.samples import SAMPLES, sample_file
from akrig.fields.terrain import KILOMETRE, TERRAINS
from akrig.files import open_file
from akrig.geometry import Box

PAPER = "https://raw.githubusercontent.com/Weizhe-Chen/attentive_kernels/1ccb7255e1a09d215af39da3bb1efe6305cf4dea/data"
LARGEST_FIELD = 1_000_000_000  # bytes of a file: those of the catalogue have thousands
AUTHORS_MARGIN = 1e-4  # with it, and only with it, the values of helens_y_train.csv are those of helens.npy


@dataclass(frozen=True)
class Entry:
    """One field of the catalogue.

    Args:
        kind: `procedural` needs a seed only, `bundled` a file of matplotlib, `data` a file in AKRIG_DATA or the cache.
        cells: rows and columns.
        extent: where it is placed; `None` where its own georeference puts it.
        file: its name in a folder of data.
        url: where the file comes from.
        sha256: of the file.
        cell_margin: see `GridField`; used with nearest-cell reading only.
    """

    name: str
    description: str
    kind: Literal["procedural", "bundled", "data"]
    cells: tuple[int, int]
    extent: Box | None = None
    units: str = "m"
    quantity: str = "elevation"
    file: str | None = None
    url: str | None = None
    sha256: str | None = None
    interpolation: Interpolation = "bilinear"
    cell_margin: float = 0.0


TILES = {
    "N17E073": ("a83da6ecf20d48346cbff8dc031c396b155e6b41cc81cb1d50bc142ac72756b4", "Western Ghats, India"),
    "N43W080": ("94c1161c8a5cca7b72d22ab50f7fdd94bf332d5a8022c8370addff32e1603b9d", "Toronto and Lake Ontario"),
    "N45W123": ("214bd67ffe43f40c41c5e273259bce2b3f5e2e9c0dd257f8d42a6477b26dc009", "Portland, Oregon"),
    "N47W124": ("81f19ee4ecddaae1e86e229aefc420cc4dc04853d1bd9f4e58962509eac567e5", "Olympic Mountains, Washington"),
}


def _of_paper(name: str, folder: str, sha256: str) -> dict[str, Any]:
    place = {"file": f"{name}.npy", "url": f"{PAPER}/{folder}/preprocessed/{name}.npy", "sha256": sha256}
    return {"name": name, "kind": "data", "interpolation": "nearest", "cell_margin": AUTHORS_MARGIN, **place}


_ENTRIES = (
    *(
        Entry(name, (terrain.__doc__ or name).splitlines()[0].rstrip("."), "procedural", (256, 256), KILOMETRE)
        for name, terrain in TERRAINS.items()
    ),
    Entry("jacksboro", "Jacksboro fault, Tennessee", "bundled", (344, 403), file="jacksboro_fault_dem.npz"),
    Entry("topobathy", "Vancouver Island and its sea floor", "bundled", (91, 120), file="topobathy.npz"),
    *(
        Entry(
            **_of_paper(name, "srtm", sha256),
            description=f"{place}: the paper's benchmark",
            cells=(360, 360),
            extent=Box((-11, -11), (11, 11)),
            units="",
            quantity="grey level",
        )
        for name, (sha256, place) in TILES.items()
    ),
    Entry(
        **_of_paper("helens", "volcano", "d252e96a57705fa1f7217047f777950cafafff4272356210ad6771423198cd26"),
        description="Mount St. Helens after the eruption: the paper's first figure",
        cells=(100, 100),
        extent=Box((0, 0), (1, 1)),
        units="ft",
    ),
)
CATALOGUE: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}


def load_field(
    name_or_path: str,
    *,
    download: bool = False,
    seed: int = 0,
    interpolation: Interpolation | None = None,
    crop: Box | None = None,
    downsample: int = 1,
    extent: Box | None = None,
) -> GridField:
    """A field of the catalogue, or one from a raster file.

    Args:
        download: fetch the paper's data if they are not on this machine.
        seed: of a procedural terrain.
        interpolation: `None` is the entry's own; for a file, bilinear.
        crop: what to keep, after placing, in metres.
        downsample: side of the blocks of cells to average, after cropping.
        extent: where to place it; `None` is the entry's own place.
    """
    path_like = Path(name_or_path).suffix.lower() in READERS or {"/", os.sep} & set(name_or_path)
    if path_like and name_or_path not in CATALOGUE:
        return read_raster(
            name_or_path, interpolation=interpolation or "bilinear", crop=crop, downsample=downsample, extent=extent
        )
    field = _of_entry(find_entry(name_or_path), seed, download)
    if interpolation is not None:
        margin = field.cell_margin if interpolation == "nearest" else 0.0
        field = replace(field, interpolation=interpolation, cell_margin=margin)
    field = field if extent is None else field.placed(extent)
    field = field if crop is None else field.cropped(crop)
    return field if downsample == 1 else field.downsampled(downsample)


def find_entry(name: str) -> Entry:
    """By its name; an unknown one is answered with the nearest."""
    if name in CATALOGUE:
        return CATALOGUE[name]
    lowered = {known.lower(): known for known in CATALOGUE}
    near = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.5)
    guess = f" (did you mean {lowered[near[0]]}?)" if near else ""
    raise UnknownField(f"There is no field {name}{guess}: see `akrig fields`, or give the path of a raster.")


def describe() -> list[dict[str, Any]]:
    """One row per field, for a table: cells are rows x columns."""
    rows = []
    for entry in CATALOGUE.values():
        available = is_available(entry)
        extent = SAMPLES[entry.name]().extent if entry.kind == "bundled" and available else entry.extent
        cells, place = " x ".join(map(str, entry.cells)), span(extent) if extent else ""
        about = {"units": entry.units or entry.quantity, "available": available, "description": entry.description}
        rows.append({"name": entry.name, "kind": entry.kind, "cells": cells, "extent": place, **about})
    return rows


def is_available(entry: Entry) -> bool:
    """Whether it can be loaded without a download."""
    if entry.file is None:
        return True
    return (sample_file(entry.file) if entry.kind == "bundled" else find_file(entry)) is not None


def find_file(entry: Entry) -> Path | None:
    """In `$AKRIG_DATA/fields`, else in the cache."""
    data = os.environ.get("AKRIG_DATA")
    folders = [Path(data) / "fields"] if data else []
    paths = (folder / (entry.file or entry.name) for folder in (*folders, cache_folder()))
    return next((path for path in paths if path.is_file()), None)


def cache_folder() -> Path:
    """Where downloads go: `$XDG_CACHE_HOME/akrig/fields`, else under `~/.cache`, else among temporary files."""
    given = os.environ.get("XDG_CACHE_HOME")
    try:
        folder = Path(given) if given else Path.home() / ".cache"
    except RuntimeError:  # a user without a home folder, as in some containers
        folder = Path(tempfile.gettempdir())
    return folder / "akrig" / "fields"


def fetch(entry: Entry, *, base_url: str | None = None, timeout: float = 30) -> Path:
    """Downloads the entry's file into the cache, whole and checked or not at all.

    Args:
        base_url: folder to take it from instead of the entry's own; else the environment variable AKRIG_MIRROR, if set.
        timeout: seconds without an answer.
    """
    if entry.url is None or entry.file is None:
        raise InvalidField(f"{entry.name} is {entry.kind}: there is nothing to fetch.")
    mirror = base_url or os.environ.get("AKRIG_MIRROR")
    url = f"{mirror.rstrip('/')}/{entry.file}" if mirror else entry.url
    target = cache_folder() / entry.file
    part = target.with_name(f"{entry.file}.{uuid4().hex}.part")
    try:
        with _explained(entry.name, url):
            target.parent.mkdir(parents=True, exist_ok=True)
            _download(url, part, timeout)
        if _sha256(part) != entry.sha256:
            raise DownloadFailed(f"{url} is not {entry.name} as published (its SHA-256 differs); try another mirror.")
        os.replace(part, target)
    finally:
        with suppress(OSError):
            part.unlink()
    return target


def _download(url: str, part: Path, timeout: float) -> None:
    with urllib.request.urlopen(url, timeout=timeout) as answer, part.open("xb") as file:
        shutil.copyfileobj(answer, file)
        promised = answer.headers.get("Content-Length")
        if promised is not None and file.tell() != int(promised):
            raise http.client.IncompleteRead(b"", int(promised) - file.tell())
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _explained(name: str, url: str) -> Iterator[None]:
    def failed(why: str) -> DownloadFailed:
        advice = "try again, or name a mirror's folder in AKRIG_MIRROR"
        return DownloadFailed(f"{name} could not be fetched from {url}: {why}; {advice}.")

    try:
        yield
    except HTTPError as error:
        error.close()
        raise failed(f"the server answered {error.code} {error.reason}") from error
    except URLError as error:
        raise failed(f"{error.reason}") from error
    except http.client.IncompleteRead as error:
        raise failed(f"the connection was cut {error.expected} bytes before the end") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise failed(str(error) or type(error).__name__) from error


def _of_entry(entry: Entry, seed: int, download: bool) -> GridField:
    if entry.kind == "procedural":
        return _terrain(entry.name, seed)
    if entry.kind == "bundled":
        return SAMPLES[entry.name]()
    path = find_file(entry)
    if path is None and download:
        path = fetch(entry)
    if path is None:
        how = f"set AKRIG_DATA, or fetch it with `akrig fields --fetch {entry.name}`"
        raise UnknownField(f"{entry.name} is not on this machine: {how}.")
    if _sha256(path) != entry.sha256:
        raise InvalidField(f"{path} is damaged: its SHA-256 is not that of {entry.name}; delete it and fetch it again.")
    field = read_raster(path, interpolation=entry.interpolation, units=entry.units, extent=entry.extent)
    return replace(field, name=entry.name, quantity=entry.quantity, cell_margin=entry.cell_margin)


@lru_cache(maxsize=8)
def _terrain(name: str, seed: int) -> GridField:
    """Kept, since a mission asks three times, and a study of it once more for each run; nobody can change it."""
    return TERRAINS[name](seed)


def _sha256(path: Path) -> str:
    with open_file(path, most=LARGEST_FIELD) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
