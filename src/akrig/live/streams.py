"""Streams that grow by rows, and what of them a reader has not had yet."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Stream:
    """Rows in columns; the last ones can be taken back. A reader's place in it is a `Cursor`.

    Args:
        columns: their names, in the order of a row.
    """

    def __init__(self, *columns: str) -> None:
        self.names = columns
        self._columns: list[list[Any]] = [[] for _ in columns]
        self._cuts: list[int] = []  # lengths it was cut to, in the order that happened

    def __len__(self) -> int:
        return len(self._columns[0])

    def __getitem__(self, name: str) -> list[Any]:
        return self._columns[self.names.index(name)]

    def append(self, *row: Any) -> None:
        for column, value in zip(self._columns, row, strict=True):
            column.append(value)

    def extend(self, columns: Mapping[str, Sequence[Any]]) -> None:
        for name, column in zip(self.names, self._columns, strict=True):
            column.extend(columns[name])

    def change(self, index: int, **values: Any) -> None:
        """Rows from `index` on count as new for all readers."""
        for name, value in values.items():
            self[name][index] = value
        self._cuts.append(index)

    def cut(self, length: int) -> None:
        """Rows from `length` on are taken back."""
        if length < len(self):
            for column in self._columns:
                del column[length:]
            self._cuts.append(length)

    @property
    def cursor(self) -> "Cursor":
        return Cursor(len(self), len(self._cuts))

    def since(self, cursor: "Cursor") -> dict[str, Any] | None:
        """What changed after the cursor: keep `from` rows, then append these; `None` if nothing did."""
        begin = min([cursor.length, *self._cuts[cursor.cuts :]])
        if begin == len(self) == cursor.length:
            return None
        return {"from": begin} | {name: column[begin:] for name, column in zip(self.names, self._columns, strict=True)}


class Cursor(NamedTuple):
    """How much of a stream a reader has had."""

    length: int = 0
    cuts: int = 0


class Streams:
    """Several, by name."""

    def __init__(self, **streams: Stream) -> None:
        self.by_name = streams

    def __getattr__(self, name: str) -> Stream:
        try:
            return self.__dict__["by_name"][name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def cursors(self) -> dict[str, Cursor]:
        return {name: stream.cursor for name, stream in self.by_name.items()}

    def since(self, cursors: Mapping[str, Cursor]) -> dict[str, dict[str, Any]]:
        changes = {name: stream.since(cursors.get(name, Cursor())) for name, stream in self.by_name.items()}
        return {name: change for name, change in changes.items() if change is not None}
