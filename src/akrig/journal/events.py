"""The journal is the truth: append-only, one event per line; what cannot be repeated is on disk before it is acted on.

A line is JSON with a checksum as its last key. Floats are written so that they read back bit for bit. A mission of the
same settings writes the same journal, so that nothing in it depends on the wall clock or on having been interrupted.
"""

import json
import os
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from akrig.errors import BrokenJournal, JournalNotWritten
from akrig.files import read_lines, sync_folder
from akrig.journal.event_schema import check_event
from akrig.journal.plans import plan_event
from akrig.journal.soundings import SoundingReferences
from akrig.types import Measurement, Plan

FORMAT = 1
SECONDS_BETWEEN_SYNCS = 1.0

Event = dict[str, Any]


def to_line(event: Event) -> str:
    text = json.dumps(event, separators=(",", ":"), allow_nan=True)
    return f'{text[:-1]},"crc":"{zlib.crc32(text.encode()):08x}"}}\n'


def from_line(line: bytes) -> Event:
    """`ValueError` if the line is damaged, or has no end."""
    body, mark, rest = line.rpartition(b',"crc":"')
    if not mark or len(rest) != 11 or rest[8:] != b'"}\n':
        raise ValueError("it has no checksum")
    if int(rest[:8], 16) != zlib.crc32(b"}", zlib.crc32(body)):
        raise ValueError("its checksum is wrong")
    try:
        event = json.loads(body + b"}")
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(event, dict):
        raise ValueError("it is no event")
    return event


@dataclass(frozen=True)
class Content:
    """What a journal holds.

    Args:
        events: all that can be trusted.
        lines: the same, as written.
        torn: bytes of a last line that was cut off while being written.
    """

    events: list[Event]
    lines: list[str]
    torn: int

    @property
    def num_settled(self) -> int:
        """Lines up to the end of the last epoch that was finished."""
        ends = [i for i, event in enumerate(self.events) if event["event"] not in ("plan", "measurement")]
        return ends[-1] + 1 if ends else 0


def read_journal(path: Path) -> Content:
    """All events of a journal, also of one that is being written; a torn last line is left out."""
    events, lines, torn = [], [], 0
    for event, line in _trusted_lines(path):
        if event is None:
            torn = len(line)
        else:
            events.append(event)
            lines.append(line.decode())
    _check_dimensions(path, events)
    return Content(events, lines, torn)


def stream_events(path: Path) -> Iterator[Event]:
    """The same one by one, for journals that need not fit into memory."""
    return (event for event, _ in _trusted_lines(path) if event is not None)


def _trusted_lines(path: Path) -> Iterator[tuple[Event | None, bytes]]:
    """With their events; only the last line can have been cut off by a crash, and then it has none."""
    torn, soundings = "", SoundingReferences()
    for number, line in enumerate(read_lines(path), start=1):
        if torn:
            raise BrokenJournal(
                f"{path}, {torn} though lines follow it: the file was changed or the disk is failing. Restore it from "
                "a copy."
            )
        try:
            event = from_line(line)
        except ValueError as error:
            torn = f"line {number} is damaged ({error})"
            yield None, line
        else:
            yield _checked(path, event, soundings, number=number), line


def _checked(path: Path, event: Event, soundings: SoundingReferences, *, number: int) -> Event:
    """`BrokenJournal` if line `number` is whole but does not make sense, or is of a journal that cannot be read."""
    if number == 1:
        check_version(path, event)
    try:
        event = soundings.resolved(event)
        check_event(event)
    except ValueError as error:
        raise BrokenJournal(
            f"{path}, line {number} does not make sense ({error}); was the file changed? Restore it from a copy."
        ) from None
    return event


def _check_dimensions(path: Path, events: list[Event]) -> None:
    places = [event["position"] for event in events if event["event"] in ("measurement", "epoch")]
    places += [event["waypoints"][0] for event in events if event["event"] == "plan"]
    dims = sorted({len(place) for place in places})
    if len(dims) > 1:
        raise BrokenJournal(f"{path} has places of {dims[0]} and of {dims[1]} coordinates; restore it from a copy.")


def check_version(path: Path, event: Event) -> None:
    if event.get("event") != "mission":
        raise BrokenJournal(f"{path} does not begin like a journal of akrig; name the folder of a run.")
    written = event.get("format")
    if not isinstance(written, int):
        raise BrokenJournal(f"{path} does not say in which format it was written; restore it from a copy.")
    if written > FORMAT:
        raise BrokenJournal(
            f"{path} was written by akrig {event.get('akrig', '?')} in format {written}, this akrig reads up "
            f"to {FORMAT}; install the newer akrig."
        )


class Journal:
    """Appends events, in the order they happen.

    When a mission is repeated from the end of its last epoch, lines that are there already are not written again, but
    must come out the same: what was measured stays.

    Args:
        sync: "reading" puts every line on disk before `append` returns. "epoch" writes when an epoch ends, so that a
            kill loses nothing, and puts it on disk once a second: what a power cut takes can be repeated exactly.
        content: what the file holds already.
    """

    def __init__(self, path: Path, *, sync: Literal["reading", "epoch"] = "epoch", content: Content) -> None:
        self.path, self._sync = path, sync
        self._expected = list(reversed(content.lines[content.num_settled :]))
        self._length = sum(len(line.encode()) for line in content.lines)
        self._waiting: list[str] = []
        self._lock = threading.RLock()  # a boat's link writes down soundings while the mission writes its own
        self._synced_at, self._is_synced = time.monotonic(), True
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
        sync_folder(path.parent)  # so that the file itself is not forgotten
        self._cut()  # a torn line goes

    def close(self) -> None:
        """What waits is written first, whatever the reason for closing."""
        try:
            with suppress(JournalNotWritten):
                self.commit()
                self.sync()
        finally:
            os.close(self._file)

    def keep_every_reading(self) -> None:
        """From now on; for vehicles whose legs cannot be repeated: what was read once counts."""
        self._sync = "reading"
        self._expected.clear()

    def begin(self, version: str) -> None:
        self.settle({"event": "mission", "format": FORMAT, "akrig": version})

    def plan(self, plan: Plan) -> None:
        self._append(plan_event(plan))

    def measurement(self, measurement: Measurement) -> None:
        if measurement.id is not None:  # it stands there already, as a sounding
            self._append({"event": "measurement", "sounding": measurement.id})
            return
        self._append(
            {
                "event": "measurement",
                "time": measurement.time,
                "position": list(measurement.position),
                "value": measurement.value,
            }
        )

    def settle(self, event: Event) -> None:
        """An event that ends an epoch or the mission, or reports a fault."""
        with self._lock:
            self._append(event)
            self.commit()
            if event["event"] != "epoch":
                self.sync()

    def note(self, event: Event) -> None:
        """An event beside the mission's course, from any thread: written at once, on disk within a second."""
        with self._lock:
            self._waiting.append(to_line(event))
            self.commit(at_once=False)

    def commit(self, *, at_once: bool = True) -> None:
        """What waits is written, and on disk if it is time, or readings are kept `at_once`."""
        with self._lock:
            if self._waiting:
                self._write(at_once)

    def _write(self, at_once: bool) -> None:
        data = "".join(self._waiting).encode()
        self._waiting.clear()
        keeps = at_once and self._sync == "reading"
        due = keeps or time.monotonic() - self._synced_at >= SECONDS_BETWEEN_SYNCS
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self._file, view) :]
            self._is_synced = False
            if due:
                self._put_on_disk()
        except OSError as error:
            with suppress(OSError):  # the next reader drops the torn line
                self._cut()
            raise self._not_written(error) from error
        self._length += len(data)

    def sync(self) -> None:
        """Everything that was written is on disk when this returns."""
        with self._lock:
            if self._is_synced:
                return
            try:
                self._put_on_disk()
            except OSError as error:
                raise self._not_written(error) from error

    def _put_on_disk(self) -> None:
        os.fsync(self._file)
        self._synced_at, self._is_synced = time.monotonic(), True

    def _not_written(self, error: OSError) -> JournalNotWritten:
        return JournalNotWritten(
            f"{self.path} could not be written ({error.strerror}); all that was written before is safe. "
            f"Make room on the disk, then go on with `akrig resume {self.path.parent}`."
        )

    def _append(self, event: Event) -> None:
        line = to_line(event)
        if self._expected:
            if self._expected[-1] == line:
                self._expected.pop()
                return
            raise BrokenJournal(
                f"{self.path}: the interrupted leg comes out differently when repeated, so its readings cannot be "
                "trusted to belong to these settings; resume with the versions of akrig, numpy and torch it began with."
            )
        with self._lock:
            self._waiting.append(line)
            if self._sync == "reading":
                self.commit()

    def _cut(self) -> None:
        """To its whole lines: one that is half written would look torn; better none."""
        os.ftruncate(self._file, self._length)
        os.lseek(self._file, self._length, os.SEEK_SET)
