"""Files of one JSON object per line, read as a stream: a day of telemetry need not fit into memory."""

import json
from collections.abc import Iterator
from pathlib import Path

from akrig.errors import BrokenJournal
from akrig.files import UnreadableFile, open_file
from akrig.journal.events import Event, check_content, from_line

LONGEST = 100_000_000  # bytes of a line: a plan of a million waypoints has half of that


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
        check_content(path, event, number=number)
        yield event


def stream_lines(path: Path) -> Iterator[Event]:
    """Objects without checksum; lines that are none, as a crash leaves them, are left out."""
    for line in _lines(path):
        try:
            content = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(content, dict):
            yield content


def _lines(path: Path) -> Iterator[bytes]:
    if path.exists():
        with open_file(path) as file:
            while line := file.readline(LONGEST + 1):
                if len(line) > LONGEST:
                    raise UnreadableFile(f"{path} has a line of more than {LONGEST} bytes; restore it from a copy.")
                yield line
