"""Recorded readings, leg by leg: from run folders, and from tables."""

import csv
import io
from itertools import pairwise
from pathlib import Path

from akrig.errors import AkrigError
from akrig.journal.events import read_journal
from akrig.journal.folder import RunFolder
from akrig.journal.record import recorded_epochs
from akrig.types import Measurement

PILOT_READINGS, READINGS_PER_LEG = 50, 10  # of a table, which knows no legs


class UnreadableLog(AkrigError, ValueError):
    """A log without readings, or with a line that is none."""


def read_legs(log: Path) -> list[list[Measurement]]:
    """Of a run folder's finished epochs, or of a CSV file with columns x, y, value and perhaps time."""
    if log.is_dir():
        epochs = recorded_epochs(read_journal(RunFolder.open(log).journal).events)
        legs = [epoch.measurements for epoch in epochs]
    else:
        readings = _read_csv(log)
        cuts = [0, *range(PILOT_READINGS, len(readings), READINGS_PER_LEG), len(readings)]
        legs = [readings[begin:end] for begin, end in pairwise(cuts) if end > begin]
    if not any(legs):
        raise UnreadableLog(f"{log} holds no readings to replay.")
    return legs


def _read_csv(path: Path) -> list[Measurement]:
    try:
        text = path.read_text(encoding="utf-8-sig")  # as spreadsheets save it
    except UnicodeDecodeError:
        raise UnreadableLog(f"{path} is not a text file in UTF-8; save it as CSV (UTF-8).") from None
    with io.StringIO(text, newline="") as file:
        rows = csv.DictReader(file)
        missing = [name for name in ("x", "y", "value") if name not in (rows.fieldnames or [])]
        if missing:
            raise UnreadableLog(
                f"{path} has no column {' or '.join(missing)}; its first line must name x, y, value and may name time."
            )
        return [_measurement(path, rows.line_num, row, count) for count, row in enumerate(rows)]


def _measurement(path: Path, line: int, row: dict[str, str], count: int) -> Measurement:
    try:
        time = float(row["time"]) if row.get("time") else float(count)
        return Measurement(time, (float(row["x"]), float(row["y"])), float(row["value"]))
    except (TypeError, ValueError):
        raise UnreadableLog(f"{path}, line {line} is not a reading; it needs finite numbers x, y, value.") from None
