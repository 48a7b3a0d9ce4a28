"""A run folder as the page sees it: looked at again and again, and never written to but for orders."""

import math
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from akrig.errors import AkrigError
from akrig.journal.folder import RunFolder
from akrig.journal.tables import read_columns
from akrig.live.history import MissionHistory
from akrig.live.maps import DAMAGED, Map, read_snapshot
from akrig.live.orders import Orders
from akrig.live.run_info import read_run_info
from akrig.live.streams import Stream, Streams
from akrig.live.tail import JournalTail, Tail, telemetry_states

MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)  # what odd content raises
QUIET = 20.0  # seconds without news after which a mission does not seem to run, where locks cannot be seen
SNAPSHOTS_AT_ONCE = 20
EXACT = ("n", "t", "epoch")
LOCKS = Path("/proc/locks")


class RunView:
    """Attributes:
    streams: all that grows.
    trouble: a sentence, if the folder cannot be read any further.
    model: the newest map by the model itself, and the epoch it was saved after.
    """

    def __init__(self, folder: RunFolder) -> None:
        self.folder, self.info = folder, read_run_info(folder)
        self._history = MissionHistory(self.info.budget)
        self._journal, self._telemetry = JournalTail(folder.journal), Tail(folder.telemetry)
        self._snapshots: dict[int, tuple[Path, int]] = {}
        self._tables = {folder.scores: 0, folder.timings: 0}
        self.orders = Orders(folder, clock=lambda: self.time)
        self.trouble: str | None = None
        self.model: tuple[int, Map] | None = None
        self._scores = ("samples", "time", *(metric.name for metric in self.info.metrics))
        own = {
            "frames": Stream("readings", "rows", "columns", "top"),
            "scores": Stream("n", "t", *self._scores[2:]),
            "timings": Stream("epoch", "plan", "follow", "fit", "look"),
            "orders": self.orders.stream,
        }
        self.streams = Streams(**self._history.streams.by_name, **own)

    @property
    def time(self) -> float:
        """Seconds of the mission so far."""
        last = [stream["t"][-1] or 0.0 for stream in (self.streams.readings, self.streams.boat) if len(stream)]
        return max(last, default=0.0)

    def check(self) -> None:
        """Everything that is there, once, with errors raised; for before the page is opened."""
        while self._poll():
            pass

    def poll(self) -> None:
        """At what is new."""
        try:
            self._poll()
            self.trouble = None
        except (AkrigError, OSError) as error:
            self.trouble = str(error)

    def _poll(self) -> int:
        self.folder.check_links()
        events, anew = self._journal.read()
        if anew:
            self._history.start_over()
        for event in events:
            with suppress(*MALFORMED):  # a good checksum, but not as we know it: of a later akrig, and passed over
                self._history.add_event(event)
        states = telemetry_states(self._telemetry.read())
        for state in states:
            with suppress(*MALFORMED):
                self._history.add_telemetry(state)
        self._poll_tables()
        self.orders.poll()
        return len(events) + len(states) + self._poll_snapshots()

    def _poll_tables(self) -> None:
        for (path, seen), stream in zip(
            list(self._tables.items()), (self.streams.scores, self.streams.timings), strict=True
        ):
            changed = _changed(path)
            if changed == seen:
                continue
            self._tables[path] = changed
            with suppress(*DAMAGED):
                columns = read_columns(path)
                names = self._scores if path == self.folder.scores else ("epoch", "plan", "follow", "fit", "look")
                _replace(stream, [columns.get(name) for name in names], len(next(iter(columns.values()), ())))

    def _poll_snapshots(self) -> int:
        """Names first; a snapshot is opened once, and again if it was written anew."""
        found = 0
        for readings, path in self.folder.list_snapshots():
            changed = _changed(path)
            if readings in self._snapshots and self._snapshots[readings][1] == changed:
                continue
            self._snapshots[readings] = (path, changed)
            with suppress(*DAMAGED):
                snapshot = self.snapshot(readings)
                self._add_frame(snapshot)
                found += 1
            if found >= SNAPSHOTS_AT_ONCE:
                break
        return found

    def _add_frame(self, snapshot: Map) -> None:
        frames, (rows, columns) = self.streams.frames, snapshot.shape
        later = [k for k, n in enumerate(frames["readings"]) if n >= snapshot.readings]
        rest = [[frames[name][k] for name in ("readings", "rows", "columns", "top")] for k in later]
        frames.cut(later[0] if later else len(frames))
        frames.append(snapshot.readings, rows, columns, {"std": snapshot.top("std")})
        for row in rest:
            if row[0] != snapshot.readings:
                frames.append(*row)

    def snapshot(self, readings: int) -> Map:
        """`ValueError` or `OSError` if there is none that can be read; nothing outside the folder is opened."""
        if readings not in self._snapshots:
            raise ValueError(f"There is no map after {readings} readings.")
        path = self._snapshots[readings][0]
        if self.folder.leads_out(path):
            raise ValueError(f"{path} leads out of the run folder.")
        return read_snapshot(readings, path)

    @property
    def newest_checkpoint(self) -> int | None:
        """The epoch after which the newest model was saved; the journal knows that epoch already."""
        known = len(self.streams.epochs)
        saved = [epoch for epoch, _ in self.folder.list_checkpoints() if epoch < known]
        return saved[0] if saved else None

    @property
    def final_map(self) -> Path | None:
        """The file that the mission ended with."""
        path = self.folder.map
        return path if self.is_over and path.exists() and not self.folder.leads_out(path) else None

    def readings_after(self, epoch: int) -> int:
        return self.streams.epochs["n"][epoch]

    @property
    def is_over(self) -> bool:
        return self._history.ended is not None

    @property
    def status(self) -> dict[str, Any]:
        """What does not grow but changes."""
        news = max(_changed(path) for path in (self.folder.journal, self.folder.telemetry, self.folder.config)) / 1e9
        return {
            "state": self._state(news),
            "ended": self._history.ended,
            "trouble": self.trouble,
            "soundings": self._history.soundings,
            "home": self._history.home,
            "news": round(news),
            "model": None if self.model is None else self._model_status(*self.model),
        }

    @staticmethod
    def _model_status(epoch: int, map: Map) -> dict[str, Any]:
        return {"epoch": epoch, "readings": map.readings, "top": {"std": map.top("std")}, "layers": list(map.layers)}

    def _state(self, news: float) -> str:
        held = _is_locked(self.folder.path / ".lock")
        runs = time.time() - news < QUIET if held is None else held
        if runs and not self.is_over:
            return "running"
        if self.is_over:
            return "finishing" if held else "over"
        return "stopped" if len(self.streams.log) else "waiting"


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _replace(stream: Stream, columns: list[Any], rows: int) -> None:
    """Only what differs counts as new: tables grow, and are rarely taken back."""
    names = stream.names
    table = [
        [None] * rows if column is None else [_shown(v, name) for v in column.tolist()]
        for name, column in zip(names, columns, strict=True)
    ]
    same = 0
    while same < min(rows, len(stream)) and all(
        stream[name][same] == column[same] for name, column in zip(names, table, strict=True)
    ):
        same += 1
    stream.cut(same)
    stream.extend({name: column[same:] for name, column in zip(names, table, strict=True)})


def _shown(value: float, column: str) -> float | None:
    """Times as exact as those of the readings: by them a page finds out what had happened at a moment."""
    if not math.isfinite(value):
        return None
    return round(value, 2) if column in EXACT else float(f"{value:.6g}")


def _is_locked(path: Path) -> bool | None:
    """Does a mission hold the folder's lock? Taking it, to find out, could make a mission fail. `None`: cannot tell."""
    try:
        inode = os.stat(path).st_ino
        lines = LOCKS.read_text().splitlines()
    except OSError:
        return None
    return any(f":{inode} " in line for line in lines)
