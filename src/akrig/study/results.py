"""Results of a study, for tables and figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

import xarray as xr


@dataclass(frozen=True, eq=False)
class Result:
    """What one run brought.

    Args:
        labels: axis -> label, and "seed".
        data: in memory.
        path: its folder.
    """

    labels: dict[str, str]
    data: xr.Dataset
    path: Path

    def label(self, axis: str) -> str:
        """Of an axis that the study varies, or has among its results' facts."""
        return self.labels.get(axis) or str(self.data.attrs.get(axis, ""))


class Results(Sequence[Result]):
    """In the order of the study's specifications."""

    def __init__(self, results: Sequence[Result]) -> None:
        self._results = tuple(results)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> "Results": ...
    def __getitem__(self, index: int | slice) -> "Result | Results":
        return Results(self._results[index]) if isinstance(index, slice) else self._results[index]

    def __len__(self) -> int:
        return len(self._results)

    def labels_of(self, axis: str) -> list[str]:
        """Distinct, in order of appearance."""
        return list(dict.fromkeys(result.labels[axis] for result in self if axis in result.labels))

    def where(self, **labels: str) -> "Results":
        """Those with these labels; axes with dots are given as `where(**{"kernel.hidden": "5"})`."""
        wanted = labels.items()
        return Results([result for result in self if wanted <= result.labels.items()])
