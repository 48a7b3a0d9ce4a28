"""The folder of a map: what is to be made, what is done of it, and what a person takes home."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout
from jaxtyping import Float

from akrig.charts.grids import Tile
from akrig.errors import ChartError
from akrig.files import UnreadableFile, content_of, read_bytes, read_text, write_text, written_beside

FORMAT = 1


class ChartFolder:
    """Names its files: what is for a person is at the top, what is half done is in `work`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.order = path / "order.json"  # what the map is to be of, as it was called
        self.geotiff = path / "map.tif"
        self.contours = path / "contours.geojson"
        self.picture = path / "map.png"
        self.report = path / "report.html"
        self.summary = path / "summary.json"
        self.model = path / "model.pt"
        self.work = path / "work"
        self.soundings = self.work / "soundings.npz"
        self.plan = self.work / "plan.json"
        self.judgement = self.work / "judgement.json"
        self.tiles = self.work / "tiles"

    @property
    def results(self) -> tuple[Path, ...]:
        """What akrig writes at the top, the last one last."""
        return self.order, self.model, self.geotiff, self.contours, self.picture, self.report, self.summary

    @property
    def is_done(self) -> bool:
        return self.summary.exists()

    def begin(self, order: Mapping[str, Any], *, force: bool) -> None:
        """Makes the folder, or goes on in it if it is of the same order; else `ChartError`, unless forced."""
        text = json.dumps(order, indent=2, sort_keys=True) + "\n"
        if self.path.exists() and not self.path.is_dir():
            raise ChartError(f"{self.path} exists and is not a folder; choose another --out.")
        if not self.order.exists():
            there = sorted(each.name for each in self.path.iterdir()) if self.path.is_dir() else []
            if [name for name in there if name != ".lock"] and not force:
                raise ChartError(
                    f"{self.path} exists and was not made by akrig map; choose another --out, or give --force."
                )
        elif self._told() != text:
            if not force:
                raise ChartError(
                    f"{self.path} holds another map{self._difference(order)}; choose another --out, or give --force to "
                    "replace it."
                )
            self._clear()
        elif force and self.is_done:
            self._clear()
        self.path.mkdir(parents=True, exist_ok=True)
        self.tiles.mkdir(parents=True, exist_ok=True)
        write_text(self.order, text)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One process at a time may write; the lock ends with its process, however that ends."""
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self.path / ".lock", timeout=0):
                yield
        except Timeout:
            raise ChartError(f"{self.path} is being made by another akrig; wait for it, or stop it first.") from None

    def tile(self, tile: Tile) -> Path:
        return self.tiles / f"{tile.name}.npy"

    def write_tile(self, tile: Tile, bands: Float[np.ndarray, "2 rows cols"]) -> None:
        with written_beside(self.tile(tile), synced=True) as beside, beside.open("wb") as file:
            np.save(file, bands)

    def read_tile(self, tile: Tile, shape: tuple[int, int]) -> Float[np.ndarray, "2 rows cols"] | None:
        """`None` if it is not there, or damaged: then it is to be computed again."""
        with suppress(OSError, ValueError, EOFError):
            bands = np.load(self.tile(tile), allow_pickle=False)
            if bands.shape == (2, *shape) and bands.dtype == np.float32:
                return bands
        return None

    def write_json(self, path: Path, content: Mapping[str, Any]) -> None:
        write_text(path, json.dumps(content, indent=2) + "\n")

    def read_json(self, path: Path) -> dict[str, Any]:
        with content_of(path, advice="delete the folder, and call the same command again", error=UnreadableFile):
            return json.loads(read_bytes(path))

    def tidy(self) -> None:
        """What was half done is done."""
        shutil.rmtree(self.work, ignore_errors=True)

    def _clear(self) -> None:
        self.summary.unlink(missing_ok=True)  # first: without it nothing is taken for done
        shutil.rmtree(self.work, ignore_errors=True)
        for path in self.results:
            path.unlink(missing_ok=True)

    def _told(self) -> str:
        try:
            return read_text(self.order)
        except (OSError, UnicodeDecodeError):
            return ""

    def _difference(self, order: Mapping[str, Any]) -> str:
        """In a few words, what of the order is not as it was."""
        try:
            before = json.loads(self._told())
            names = [name for name in order if name not in before or before[name] != order[name]]
        except (ValueError, TypeError):
            return ""
        return f" (its {', '.join(names)} differ)" if names else ""
