"""The folder of a study: finished runs, and who is at work on which."""

import json
import os
import platform
import re
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from akrig.errors import StudyFolderError
from akrig.files import read_text, sha256_of, sync_file, sync_folder, write_text
from akrig.study.results import Result, Results
from akrig.study.specification import FORMAT, Specification, family_of

LARGEST_RESULT = 1_000_000_000  # bytes of result.nc: read whole at every call, to be compared with its checksum
_RUN = re.compile("[0-9a-f]{16}")
# A run's folder while it is computed, and what a mission makes beside it for a moment.
_SCRATCH = re.compile(r"(?P<beside>\.)?(?P<name>[0-9a-f]{16})-[0-9a-f]{8}(?(beside)\.[0-9a-f]{8}\.part)")
_CLAIM = re.compile(r"([0-9a-f]{16}|study)\.(lock|log)")
_CALL = ("began", "host", "pid")  # which call it is


@dataclass(frozen=True)
class FinishedRun:
    """A finished run as its done.json tells."""

    name: str
    content: dict[str, Any]

    @property
    def family(self) -> str:
        return family_of(self.content["kind"], self.content["settings"])

    @property
    def seconds(self) -> float:
        return float(self.content["seconds"])


class StudyFolder:
    """Names the files of a study; many processes and machines may work in it at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.definition = path / "study.toml"
        self.history = path / "study.json"
        self.runs = path / "runs"
        self.scratch = path / "scratch"
        self.claims = path / "claims"
        self.failures = path / "failures"
        self.tables = path / "tables"
        self.figures = path / "figures"
        self.report = path / "report.html"

    def create(self) -> None:
        try:
            for folder in (self.path, self.runs, self.scratch, self.claims, self.failures):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StudyFolderError(
                f"{self.path} cannot be made ({error.strerror}); choose another folder with --out."
            ) from error

    def run(self, name: str) -> Path:
        return self.runs / name

    def is_stored(self, name: str) -> bool:
        """A run's folder appears when it is finished, with everything inside."""
        return (self.run(name) / "done.json").exists()

    def done(self, name: str) -> FinishedRun | None:
        """What is known of a finished run; `None` if there is none or it is damaged."""
        try:
            content = json.loads(read_text(self.run(name) / "done.json"))
            done = FinishedRun(name, content)
            fits = isinstance(content["format"], int) and done.seconds >= 0 and isinstance(content["akrig"], str)
            if content["format"] == FORMAT:
                fits = fits and isinstance(content["labels"], dict)
                fits = fits and Specification(content["kind"], content["settings"], {}).name == name
                result = self.run(name) / "result.nc"
                fits = fits and content["sha256"] == sha256_of(result, most=LARGEST_RESULT)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        return done if fits else None

    def stored(self) -> list[str]:
        """Names of runs; folders with other names are somebody else's."""
        if not self.runs.is_dir():
            return []
        return sorted(path.name for path in self.runs.iterdir() if path.is_dir() and _RUN.fullmatch(path.name))

    @property
    def is_foreign(self) -> bool:
        """Does it hold what no study leaves, and no study's definition?

        Without one, it may be that of a call that was killed or has just begun, or that its damaged one was deleted.
        """
        if self.definition.exists() or not self.path.is_dir():
            return False
        folders = {self.runs: _RUN, self.scratch: _SCRATCH, self.claims: _CLAIM, self.failures: _RUN}
        known = {self.path / ".study.toml.part"}
        if self.history.exists():
            known |= {self.history, self.tables, self.figures, self.report, self.path / "slurm"}
        strange = any(
            path not in known
            and not (path in folders and path.is_dir() and all(folders[path].fullmatch(p.name) for p in path.iterdir()))
            for path in self.path.iterdir()
        )
        return strange and not self.definition.exists()  # somebody may have written it just now

    def define(self, definition: str) -> None:
        """Written by the first of those who begin at once."""
        with FileLock(self.claims / "study.lock", timeout=30):
            if not self.definition.exists():
                write_text(self.definition, definition)

    def load(self, specifications: Iterable[Specification]) -> Results:
        """What there is, and is whole."""
        import xarray as xr

        results = []
        for specification in specifications:
            path = self.run(specification.name)
            if self.done(specification.name) is not None:
                data = xr.load_dataset(path / "result.nc", engine="netcdf4")
                results.append(Result(specification.labels, data, path))
        return Results(results)

    @contextmanager
    def claim(self, name: str) -> Iterator[bool]:
        """Whether this run is ours to compute; the operating system frees a claim whose process dies."""
        lock = FileLock(self.claims / f"{name}.lock", timeout=0)
        try:
            lock.acquire()
        except Timeout:
            yield False
            return
        try:
            yield True
        finally:
            lock.release()

    def note(self, name: str, event: str) -> None:
        """One line per beginning and end, so that it can be told afterwards who computed what."""
        line = {"event": event, "time": time.time(), "host": platform.node(), "pid": os.getpid()}
        with (self.claims / f"{name}.log").open("a") as file:
            file.write(json.dumps(line) + "\n")

    def new_scratch(self, name: str) -> Path:
        """An empty folder for whoever holds the claim; what a dead process left there goes."""
        self.sweep(name)
        path = self.scratch / f"{name}-{secrets.token_hex(4)}"
        path.mkdir()
        return path

    def sweep(self, name: str) -> None:
        """The claim is needed."""
        for left in self._left().get(name, ()):
            shutil.rmtree(left, ignore_errors=True)

    def sweep_all(self) -> None:
        """Leftovers of processes that died."""
        for name in self._left():
            with self.claim(name) as ours:
                if ours:
                    self.sweep(name)

    def _left(self) -> dict[str, list[Path]]:
        """All in scratch, by the name of its run."""
        found: dict[str, list[Path]] = {}
        for path in self.scratch.iterdir() if self.scratch.is_dir() else ():
            if is_ours := _SCRATCH.fullmatch(path.name):
                found.setdefault(is_ours["name"], []).append(path)
        return found

    def finish(self, specification: Specification, scratch: Path) -> bool:
        """Everything in the scratch folder is put on disk, then it takes its place among the runs.

        False if somebody else's result was there first, which then stays.
        """
        for path in scratch.iterdir():
            if path.is_file():
                sync_file(path)
        sync_folder(scratch)
        try:
            scratch.rename(self.run(specification.name))
        except OSError:
            if not self.is_stored(specification.name):
                raise
            shutil.rmtree(scratch, ignore_errors=True)
            return False
        sync_folder(self.runs)
        shutil.rmtree(self.failures / specification.name, ignore_errors=True)
        return True

    def discard(self, name: str) -> bool:
        """Takes a damaged run away, unless somebody is at work on it."""
        with self.claim(name) as ours:
            if not ours or self.done(name) is not None:
                return False
            aside = self.scratch / f"{name}-{secrets.token_hex(4)}"
            with suppress(FileNotFoundError):
                self.run(name).rename(aside)
            shutil.rmtree(aside, ignore_errors=True)
            return True

    def keep_failure(self, specification: Specification, traceback: str) -> Path:
        folder = self.failures / specification.name
        folder.mkdir(parents=True, exist_ok=True)
        content = {"kind": specification.kind, "settings": specification.settings, "labels": specification.labels}
        write_text(folder / "spec.json", json.dumps(content, indent=2))
        write_text(folder / "traceback.txt", traceback)
        return folder / "traceback.txt"

    def calls(self) -> list[dict[str, Any]]:
        """Every call of `akrig study` for this folder: began, seconds, workers, computed, versions, cpu."""
        try:
            content = json.loads(read_text(self.history))
        except (OSError, ValueError, RecursionError):
            return []
        return [call for call in content if isinstance(call, dict)] if isinstance(content, list) else []

    def record_call(self, call: dict[str, Any]) -> None:
        """Again and again while it lasts: of a call that is killed, all but the last run is on record."""
        with FileLock(self.claims / "study.lock", timeout=30):
            others = [other for other in self.calls() if any(other.get(key) != call[key] for key in _CALL)]
            write_text(self.history, json.dumps([*others, call], indent=1) + "\n")


def write_done(scratch: Path, specification: Specification, *, seconds: float, version: str) -> None:
    """Beside result.nc, which it vouches for."""
    content = {
        "format": FORMAT,
        "akrig": version,
        "kind": specification.kind,
        "settings": specification.settings,
        "labels": specification.labels,
        "seconds": round(seconds, 3),
        "sha256": sha256_of(scratch / "result.nc", most=LARGEST_RESULT),
        "host": platform.node(),
    }
    (scratch / "done.json").write_text(json.dumps(content, indent=1) + "\n")
