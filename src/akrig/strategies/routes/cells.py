"""Equal cells that a map is judged by: where readings along a way fall, and what they leave open elsewhere."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from akrig.errors import PlanRefused
from akrig.geometry import Box, lattice
from akrig.types import Points

Numbers = Int[np.ndarray, " cells"]


@dataclass(frozen=True, eq=False)
class MapCells:
    """Middles of the cells of a box that count.

    Args:
        nearest: of each cell of the whole box, counting or not, the number of the nearest middle.
    """

    box: Box
    middles: Points
    nearest: Int[np.ndarray, "rows columns"]

    @classmethod
    def over(cls, box: Box, *, side: float, counts: Callable[[Points], np.ndarray] | None) -> "MapCells":
        shape = [max(1, math.ceil(length / side - 1e-9)) for length in box.size]
        everywhere = lattice(*(axis_middles(box, axis, num) for axis, num in enumerate(shape)))
        do_count = np.ones(len(everywhere), bool) if counts is None else counts(everywhere)
        middles = everywhere[do_count]
        if not len(middles):
            raise PlanRefused(f"There is hardly a place in {box} that may be visited; choose another workspace.")
        nearest = np.cumsum(do_count) - 1
        nearest[~do_count] = apart(everywhere[~do_count], middles).argmin(axis=1)
        return cls(box, middles, nearest.reshape(shape))

    def __len__(self) -> int:
        return len(self.middles)

    @property
    def side(self) -> float:
        """Metres, of a cell."""
        return math.sqrt(math.prod(self.box.size) / self.nearest.size)

    @property
    def area(self) -> float:
        """Square metres, of all that count."""
        return len(self) * self.side**2

    def of(self, X: Points) -> Numbers:
        """The number of the cell that each place lies in, or nearest to."""
        i, j = self._indices(X)
        return self.nearest[i, j]

    def few(self, about: int) -> tuple[Int[np.ndarray, " few"], Numbers]:
        """One cell of each square of so many that `about` are left, and for every cell the place of that one."""
        side = max(1, round(math.sqrt(len(self) / about)))
        i, j = self._indices(self.middles) // side
        _, few, place = np.unique(i * self.nearest.shape[1] + j, return_index=True, return_inverse=True)
        return few, place

    def _indices(self, X: Points) -> Int[np.ndarray, "2 n"]:
        shape = np.array(self.nearest.shape)
        share = (X - np.array(self.box.lower)) / np.array(self.box.size)
        return np.clip((share * shape).astype(int), 0, shape - 1).T


def apart(X: Points, Y: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "n m"]:
    """Metres, of each from each."""
    return np.hypot(*(x[:, None] - y for x, y in zip(X.T, Y.T, strict=True)))


def axis_middles(box: Box, axis: int, num: int) -> np.ndarray:
    """Of `num` equal parts of a side."""
    return box.lower[axis] + (np.arange(num) + 0.5) * box.size[axis] / num
