"""Tables that grow by rows, as CSV."""

import csv
import io
import math
import os
from pathlib import Path

import numpy as np

from akrig.errors import RunFolderError
from akrig.files import LARGEST, content_of, read_text, write_text


class Table:
    """A CSV that grows by rows; rows after epoch so-and-so can be taken back."""

    def __init__(self, path: Path, *, keep_through: int) -> None:
        """Keeps rows whose first column, the epoch, is at most `keep_through`."""
        self._path = path
        with content_of(path, advice="restore it from a copy, or delete it to do without", error=RunFolderError):
            header, rows = read_rows(path)
            kept = [row for row in rows if int(row[0]) <= keep_through]
        self._header = header if kept else []
        write_text(path, "".join(_csv_line(row) for row in [self._header, *kept] if row))

    def append(self, row: dict[str, float | int]) -> None:
        """In the columns that the table began with: what an akrig of another day does not know, or no more, is left."""
        with self._path.open("a", newline="") as file:
            if not self._header:
                self._header = list(row)
                file.write(_csv_line(self._header))
            values = [row.get(name, math.nan) for name in self._header]
            file.write(_csv_line([repr(value) if isinstance(value, float) else str(value) for value in values]))

    def rows(self) -> list[dict[str, str]]:
        header, rows = read_rows(self._path)
        return [dict(zip(header, row, strict=True)) for row in rows]

    def sync(self) -> None:
        with self._path.open("a") as file:
            os.fsync(file.fileno())


def read_rows(path: Path) -> tuple[list[str], list[list[str]]]:
    """Header and whole rows; a row without its line end is being written, or was cut off."""
    if not path.exists():
        return [], []
    text = read_text(path, most=LARGEST)
    whole = text[: text.rfind("\n") + 1]
    rows = list(csv.reader(io.StringIO(whole)))
    return (rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]) if rows else ([], [])


def read_columns(path: Path) -> dict[str, np.ndarray]:
    """`RunFolderError` if it is not a table of numbers."""
    with content_of(path, advice="restore it from a copy, or delete it to do without", error=RunFolderError):
        header, rows = read_rows(path)
        table = np.array(rows, dtype=np.float64).reshape(len(rows), len(header))
        if len(set(header)) < len(header):
            raise ValueError("two columns have the same name")
        return {name: table[:, k] for k, name in enumerate(header)}


def _csv_line(row: list[str]) -> str:
    return ",".join(row) + "\n"
