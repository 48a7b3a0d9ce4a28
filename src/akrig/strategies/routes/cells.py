"""Equal cells that a map is judged by: where readings along a way fall, and what they leave open elsewhere."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from akrig.errors import PlanRefused
from akrig.geometry import Box, lattice
from akrig.types import Points


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
        middles = everywhere if counts is None else everywhere[counts(everywhere)]
        if not len(middles):
            raise PlanRefused(f"There is hardly a place in {box} that may be visited; choose another workspace.")
        squares = np.sum((everywhere[:, None] - middles[None]) ** 2, axis=2)
        return cls(box, middles, squares.argmin(axis=1).reshape(shape))

    def __len__(self) -> int:
        return len(self.middles)

    def of(self, X: Points) -> Int[np.ndarray, " n"]:
        """The number of the cell that each place lies in, or nearest to."""
        share = (X - np.array(self.box.lower)) / np.array(self.box.size)
        shape = np.array(self.nearest.shape)
        i, j = np.clip((share * shape).astype(int), 0, shape - 1).T
        return self.nearest[i, j]


def axis_middles(box: Box, axis: int, num: int) -> np.ndarray:
    """Of `num` equal parts of a side."""
    return box.lower[axis] + (np.arange(num) + 0.5) * box.size[axis] / num
