"""Files that grow by lines, read while they are being written: whole lines only, each of them once."""

import os
from pathlib import Path
from typing import Any

from akrig.errors import BrokenJournal
from akrig.files import json_objects, open_file
from akrig.journal.events import Event, check_version, from_line
from akrig.journal.soundings import SoundingReferences

MOST_AT_ONCE = 8_000_000  # bytes in one look, so that a long file does not keep others waiting


class Tail:
    """The lines that were added since the last look.

    A file that was replaced, or cut and written anew, is read again from its beginning: `rewound` counts how often.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset, self._last, self._inode = 0, b"", -1
        self.rewound = 0

    def read(self) -> list[bytes]:
        """Without their line ends. A last line without one is being written, and waits for the next look."""
        try:
            with open_file(self._path) as file:
                return self._read(file)
        except FileNotFoundError:
            if self._offset:
                self._rewind()
            return []

    def _read(self, file) -> list[bytes]:
        inode = os.fstat(file.fileno()).st_ino
        begin = self._offset - len(self._last)
        file.seek(begin)
        data = file.read(MOST_AT_ONCE + len(self._last))
        if self._offset and (inode != self._inode or not data.startswith(self._last)):
            self._rewind()
            file.seek(0)
            data = file.read(MOST_AT_ONCE)
        self._inode = inode
        new = data[len(self._last) :]
        end = new.rfind(b"\n") + 1
        if not end:
            return []
        lines = new[: end - 1].split(b"\n")
        self._offset += end
        self._last = lines[-1] + b"\n"
        return lines

    def _rewind(self) -> None:
        self._offset, self._last = 0, b""
        self.rewound += 1


class JournalTail:
    """The journal's new events; raises `BrokenJournal` at a line that cannot be trusted."""

    def __init__(self, path: Path) -> None:
        self._path, self._tail, self._number = path, Tail(path), 0
        self._rewound, self._soundings = 0, SoundingReferences()

    def read(self) -> tuple[list[Event], bool]:
        """New events, and whether they are the first of a journal that was written anew."""
        lines = self._tail.read()
        anew = self._tail.rewound != self._rewound
        if anew:
            self._rewound, self._number, self._soundings = self._tail.rewound, 0, SoundingReferences()
        return [self._event(line) for line in lines], anew

    def _event(self, line: bytes) -> Event:
        self._number += 1
        try:
            event = self._soundings.resolved(from_line(line + b"\n"))
            if "event" not in event:
                raise ValueError("it is no event")
        except ValueError as error:
            raise BrokenJournal(
                f"{self._path}, line {self._number} is damaged ({error}): the file was changed or the disk is failing. "
                "Restore it from a copy."
            ) from None
        if self._number == 1:
            check_version(self._path, event)
        return event


def telemetry_states(lines: list[bytes]) -> list[dict[str, Any]]:
    """Those that can be read: a crash may have cost a line, and nothing hangs on it."""
    return [state for state in json_objects(lines) if isinstance(state.get("time"), int | float)]
