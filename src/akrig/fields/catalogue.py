"""Fields by name: made on the spot, shipped with matplotlib, or the paper's data when they are on this machine."""

import difflib
import http.client
import os
import shutil
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from uuid import uuid4

from akrig.errors import DownloadFailed, InvalidField, UnknownField
from akrig.fields.grid import GridField, Interpolation
from akrig.fields.raster import READERS, read_raster
from akrig.fields.samples import sample_file
from akrig.files import sha256_of
from akrig.geometry import Box
from akrig.parts import FIELDS, FieldPart

LARGEST_FIELD = 1_000_000_000  # bytes of a file: those of the catalogue have thousands
CATALOGUE = FIELDS
TERRAINS = {name: entry.maker for name, entry in FIELDS.items() if entry.kind == "procedural"}


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


def find_entry(name: str) -> FieldPart:
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
        extent = entry.maker().extent if entry.kind == "bundled" and available else _box(entry)
        cells, place = " x ".join(map(str, entry.cells)), str(extent or "")
        about = {"units": entry.units or entry.quantity, "available": available, "description": entry.sentence}
        rows.append({"name": entry.name, "kind": entry.kind, "cells": cells, "extent": place, **about})
    return rows


def is_available(entry: FieldPart) -> bool:
    """Whether it can be loaded without a download."""
    if entry.file is None:
        return True
    return (sample_file(entry.file) if entry.kind == "bundled" else find_file(entry)) is not None


def find_file(entry: FieldPart) -> Path | None:
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


def fetch(entry: FieldPart, *, base_url: str | None = None, timeout: float = 30) -> Path:
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
        if sha256_of(part, most=LARGEST_FIELD) != entry.sha256:
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


def _of_entry(entry: FieldPart, seed: int, download: bool) -> GridField:
    if entry.kind == "procedural":
        return _terrain(entry, seed)
    if entry.kind == "bundled":
        return entry.maker()
    path = find_file(entry)
    if path is None and download:
        path = fetch(entry)
    if path is None:
        how = f"set AKRIG_DATA, or fetch it with `akrig fields --fetch {entry.name}`"
        raise UnknownField(f"{entry.name} is not on this machine: {how}.")
    if sha256_of(path, most=LARGEST_FIELD) != entry.sha256:
        raise InvalidField(f"{path} is damaged: its SHA-256 is not that of {entry.name}; delete it and fetch it again.")
    field = entry.maker(path, interpolation=entry.interpolation, units=entry.units, extent=_box(entry))
    return replace(field, name=entry.name, quantity=entry.quantity, cell_margin=entry.cell_margin)


@lru_cache(maxsize=8)
def _terrain(entry: FieldPart, seed: int) -> GridField:
    """Kept, since a mission asks three times, and a study of it once more for each run; nobody can change it."""
    return entry.maker(seed)


def _box(entry: FieldPart) -> Box | None:
    return None if entry.extent is None else Box(*entry.extent)
