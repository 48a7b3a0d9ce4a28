"""Files of one JSON object per line, read as a stream: a day of telemetry need not fit into memory."""

import json
from collections.abc import Iterator
from pathlib import Path

from akrig.errors import BrokenJournal
from akrig.journal.events import Event, from_line


def stream_events(path: Path) -> Iterator[Event]:
    """A journal's events; a torn last line is left out, as by `read_journal`."""
    torn = ""
    for number, line in enumerate(_lines(path), start=1):
        if torn:
            raise BrokenJournal(f"{path}, {torn} though lines follow it; restore the file from a copy.")
        try:
            event = from_line(line.decode())
        except ValueError as error:
            torn = f"line {number} is damaged ({error})"
            continue
        yield event


def stream_lines(path: Path) -> Iterator[Event]:
    """Objects without checksum; lines that are none, as a crash leaves them, are left out."""
    for line in _lines(path):
        try:
            content = json.loads(line)
        except ValueError:
            continue
        if isinstance(content, dict):
            yield content


def _lines(path: Path) -> Iterator[bytes]:
    if path.exists():
        with path.open("rb") as file:
            yield from file
