"""A run folder: where everything about one mission lies, and who may write there."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from akrig.errors import RunFolderError
from akrig.files import sync_folder, write_text


class RunFolder:
    """Names the files of a run; see DESIGN's run folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.toml"
        self.journal = path / "journal.jsonl"
        self.scores = path / "scores.csv"
        self.timings = path / "timings.csv"
        self.checkpoints = path / "checkpoint"
        self.snapshots = path / "snapshots"
        self.map = path / "map.nc"
        self.figures = path / "figures"
        self.report = path / "report.html"
        self.telemetry = path / "telemetry.jsonl"
        self.orders = path / "orders"
        self.results = path / "results"

    @property
    def sources(self) -> tuple[Path, ...]:
        """What a report is made from."""
        files = self.config, self.journal, self.scores, self.timings, self.map, self.telemetry
        return (*files, self.checkpoints, self.snapshots, self.orders)

    @classmethod
    def create(cls, path: Path, config: str) -> "RunFolder":
        """Appears with its config inside, or not at all."""
        if path.exists():
            raise RunFolderError(
                f"{path} exists already; choose another --out"
                + (f", or go on with `akrig resume {path}`." if (path / "config.toml").exists() else ".")
            )
        beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            beside.mkdir()
            write_text(beside / "config.toml", config)
            beside.rename(path)
            sync_folder(path.parent)
        except OSError as error:
            shutil.rmtree(beside, ignore_errors=True)
            raise RunFolderError(
                f"{path} cannot be made ({error.strerror}); choose another folder with --out."
            ) from error
        return cls(path)

    @classmethod
    def open(cls, path: Path) -> "RunFolder":
        """`RunFolderError` if it is none, or if what akrig reads and writes there would be elsewhere."""
        folder = cls(path)
        if not path.is_dir():
            raise RunFolderError(f"{path} is not a folder; name the folder of a run, as given with --out.")
        folder.check_links()
        if not folder.config.exists():
            raise RunFolderError(f"{path} is not a run folder: it has no config.toml.")
        return folder

    def check_links(self) -> None:
        """A folder from elsewhere must not make akrig read, or write, what its owner has no business with."""
        known = {value.name for value in vars(self).values() if value != self.path}
        links = [link for link in _links(self.path) if link.name in known or link.name.startswith(".")]
        for below in (self.checkpoints, self.snapshots, self.figures, self.orders, self.results):
            links += _links(below) if below.is_dir() and not self.leads_out(below) else []
        for link in links:
            if self.leads_out(link):
                raise RunFolderError(
                    f"{link} is a link that leads out of the run folder, or nowhere; akrig does not follow it. "
                    "Put the file itself there."
                )

    def leads_out(self, path: Path) -> bool:
        """Is what lies there, in the end, outside this folder?"""
        try:
            return not path.resolve().is_relative_to(self.path.resolve()) or (path.is_symlink() and not path.exists())
        except (OSError, RuntimeError):  # a loop
            return True

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One process at a time may write; the lock ends with its process, however that ends."""
        lock = FileLock(self.path / ".lock", timeout=0)
        try:
            with lock:
                yield
        except Timeout:
            raise RunFolderError(f"{self.path} is in use by another mission; wait for it, or stop it first.") from None
        except PermissionError as error:
            raise RunFolderError(f"{self.path} is not writable ({error.strerror}).") from error

    def checkpoint(self, epoch: int) -> Path:
        return self.checkpoints / f"{epoch:06d}.pt"

    def list_checkpoints(self) -> list[tuple[int, Path]]:
        """The newest first."""
        return self._numbered(self.checkpoints, ".pt")[::-1]

    def snapshot(self, readings: int) -> Path:
        return self.snapshots / f"{readings:06d}.npz"

    def list_snapshots(self) -> list[tuple[int, Path]]:
        return self._numbered(self.snapshots, ".npz")

    def _numbered(self, folder: Path, suffix: str) -> list[tuple[int, Path]]:
        files = sorted(folder.glob(f"*{suffix}")) if folder.is_dir() else []
        numbers = [(int(file.stem), file) for file in files if file.stem.isdecimal() and file.stem.isascii()]
        return [(number, file) for number, file in numbers if not file.is_symlink() or not self.leads_out(file)]


def _links(folder: Path) -> list[Path]:
    with os.scandir(folder) as entries:
        return [folder / entry.name for entry in entries if entry.is_symlink()]
