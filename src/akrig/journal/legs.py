"""Recorded readings, leg by leg: from run folders, and from tables."""

import csv
import io
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from akrig.errors import AkrigError
from akrig.files import LARGEST, UnreadableFile, read_text, write_text
from akrig.journal.events import read_journal
from akrig.journal.folder import RunFolder
from akrig.journal.record import recorded_epochs
from akrig.types import Measurement
from akrig.vehicles.replay import Replay

PILOT_READINGS, READINGS_PER_LEG = 50, 10  # of a table, which knows no legs
COLUMNS = ("x", "y", "value", "time")


class UnreadableLog(AkrigError, ValueError):
    """A log without readings, or with a line that is none."""


def read_legs(log: Path) -> list[list[Measurement]]:
    """Of a run folder's finished epochs, or of a CSV file with columns x, y, value and perhaps time."""
    if log.is_dir():
        epochs = recorded_epochs(read_journal(RunFolder.open(log).journal).events)
        legs = [epoch.measurements for epoch in epochs]
    else:
        readings = read_table(log)
        cuts = [0, *range(PILOT_READINGS, len(readings), READINGS_PER_LEG), len(readings)]
        legs = [readings[begin:end] for begin, end in pairwise(cuts) if end > begin]
    if not any(legs):
        raise UnreadableLog(f"{log} holds no readings to replay.")
    return legs


def replay_of(log: str) -> Replay:
    """A vehicle that brings what was recorded."""
    return Replay(read_legs(Path(log)))


def read_table(path: Path) -> list[Measurement]:
    """A CSV file with columns x, y, value and perhaps time."""
    rows = csv.DictReader(io.StringIO(read_utf8(path), newline=""))
    try:
        missing = [name for name in ("x", "y", "value") if name not in (rows.fieldnames or [])]
        if missing:
            raise UnreadableLog(
                f"{path} has no column {' or '.join(missing)}; its first line must name x, y, value in metres and may "
                "name time. `akrig replay` also takes latitude, longitude, depth, and the raw log of a Deeper sonar."
            )
        return [_measurement(path, rows.line_num, row, count) for count, row in enumerate(rows)]
    except csv.Error as error:
        raise UnreadableLog(f"{path} is not a CSV file ({error}); save it as CSV (UTF-8).") from None


def write_table(path: Path, readings: Sequence[Measurement]) -> None:
    """In the plane; every number reads back as it was."""
    lines = [",".join(map(repr, (*reading.position, reading.value, reading.time))) for reading in readings]
    write_text(path, "\n".join([",".join(COLUMNS), *lines, ""]))


def read_utf8(path: Path) -> str:
    try:
        return read_text(path, most=LARGEST)
    except UnicodeDecodeError:
        raise UnreadableLog(f"{path} is not a text file in UTF-8; save it as CSV (UTF-8).") from None
    except UnreadableFile:
        raise
    except OSError as error:
        raise UnreadableLog(f"{path} cannot be read ({error.strerror}); replay the original log anew.") from None


def _measurement(path: Path, line: int, row: dict[str, str], count: int) -> Measurement:
    try:
        time = float(row["time"]) if row.get("time") else float(count)
        return Measurement(time, (float(row["x"]), float(row["y"])), float(row["value"]))
    except (TypeError, ValueError):
        raise UnreadableLog(f"{path}, line {line} is not a reading; it needs finite numbers x, y, value.") from None
