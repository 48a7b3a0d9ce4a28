"""Files to take home from the page: those that the survey wrote, else the same made anew beside the run folder."""

import asyncio
import re
import stat
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from akrig.format_parts import EXPORTS, ExportPart
from akrig.live import exports
from akrig.live.feed import LARGEST_MODEL, REST, Feed
from akrig.live.model_client import Unavailable

LARGEST_WRITTEN = 1_000_000_000  # bytes of a file that the survey wrote
SHORTEST_REST = 10.0  # seconds until a file is made anew, however often it is asked for
MOST_WAITING = 8  # clients, for a file that is being made
CHUNK = 256_000  # bytes that are read and sent at once


@dataclass(frozen=True)
class Download:
    """Args:
    name: in the address, and at the end of the file's name.
    title: for a person.
    make: does it, in the model's process, from what `sources` are.
    sources: attributes of the run folder; `checkpoint` is the newest model.
    """

    name: str
    title: str
    kind: str
    make: Callable[..., bytes]
    sources: tuple[str, ...]

    def written(self, feed: Feed) -> Path:
        """Where a survey leaves it."""
        folder = feed.view.folder
        return folder.report if self.name == "report.html" else folder.results / self.name


def _exported(part: ExportPart) -> Download:
    sources = ("path", "checkpoint" if "model" in part.needs else "nothing")
    return Download(part.file, part.label, part.media, partial(exports.export, part.name), sources)


OF_SURVEYS = tuple(_exported(part) for part in EXPORTS.values() if part.on_page)
REPORT = Download("report.html", "Report (HTML)", "text/html", exports.export_report, ("path", "journal"))


class Downloads:
    """What can be taken home of one run. A client names one of a few files that are listed here, never a path."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._kept: dict[str, tuple[bytes, float]] = {}  # made already: the same for everybody, until then
        self._one, self._waiting = asyncio.Lock(), 0

    @property
    def offered(self) -> dict[str, Download]:
        info = self._feed.view.info
        files = (*OF_SURVEYS, REPORT) if info.is_survey else (REPORT,)
        return {file.name: file for file in files}

    def file_name(self, file: Download) -> str:
        """Plain letters only: a folder's name may be anything."""
        run = re.sub(r"[^A-Za-z0-9_-]+", "-", self._feed.view.folder.path.resolve().name)[:60].strip("-")
        return f"{run or 'run'}-{file.name}"

    async def opened(self, file: Download, *, is_operator: bool) -> tuple[int, AsyncIterator[bytes]]:
        """How many bytes, and they themselves. `Unavailable` if it cannot be had now, with a sentence.

        Args:
            is_operator: the report that the survey wrote names folders of this computer, and is for its people only.
        """
        written = self._written(file) if is_operator or file is not REPORT else None
        if written is not None:
            return written.stat().st_size, _read(written)
        data = await self._made(file)
        return len(data), _parts(data)

    def _written(self, file: Download) -> Path | None:
        """A survey that goes on has none yet, or has old ones."""
        view, path = self._feed.view, file.written(self._feed)
        if not view.is_over or view.folder.leads_out(path):
            return None
        try:
            found = path.stat()
        except OSError:
            return None
        if not stat.S_ISREG(found.st_mode) or not 0 < found.st_size <= LARGEST_WRITTEN:
            return None
        return path

    async def _made(self, file: Download) -> bytes:
        """One at a time, and at most a tenth of the time: asking more often gives the same again."""
        if self._waiting >= MOST_WAITING:
            raise Unavailable("Too many are waiting for files already; try again in a minute.")
        self._waiting += 1
        try:
            async with self._one:
                data, until = self._kept.get(file.name, (b"", 0.0))
                begin = time.monotonic()
                if begin > until:
                    data = await self._feed.model_client.ask(file.make, *self._sources(file))
                    took = time.monotonic() - begin
                    self._kept[file.name] = (data, time.monotonic() + max(REST * took, SHORTEST_REST))
                return data
        finally:
            self._waiting -= 1

    def _sources(self, file: Download) -> list[Any]:
        view = self._feed.view
        view.folder.check_links()
        sources: list[Any] = []
        for name in file.sources:
            if name != "checkpoint":
                sources.append(None if name == "nothing" else getattr(view.folder, name))
                continue
            epoch = view.newest_checkpoint
            if epoch is None:
                raise Unavailable("There is no map yet: it comes after the pilot pass.")
            if not view.info.can_predict or view.readings_after(epoch) > LARGEST_MODEL:
                raise Unavailable("This model cannot be asked while it is viewed; the file is written at the end.")
            sources.append(view.folder.checkpoint(epoch))
        return sources


async def _read(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while data := await asyncio.to_thread(file.read, CHUNK):
            yield data


async def _parts(data: bytes) -> AsyncIterator[bytes]:
    for begin in range(0, len(data), CHUNK):
        yield data[begin : begin + CHUNK]
