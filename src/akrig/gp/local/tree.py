"""Readings near and far: cells within cells, each of which can stand for all readings in it as one."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from akrig.gp.local import loops
from akrig.types import Points, Values

BITS = 62  # of a key
SOFTENING = 0.25  # of a box's side: as if every reading were at least so far from it


@dataclass(frozen=True, eq=False)
class Merged:
    """Readings as few as wanted.

    Args:
        X: their places: of several as one, the mean of theirs.
        y: their values, likewise.
        count: how many readings each is the mean of.
        nodes: their numbers in the tree.
    """

    X: Points
    y: Values
    count: Int[np.ndarray, " n"]
    nodes: Int[np.ndarray, " n"]

    def __len__(self) -> int:
        return len(self.y)


class SortedPlaces:
    """Places in an order in which those near each other are near, and which grows with them."""

    def __init__(self, dim: int) -> None:
        self.bits = max(1, BITS // dim)
        self.half = 0.0  # of the root's side; a power of two, so that cells stay when it grows
        self.keys, self.order = np.empty(0, np.int64), np.empty(0, np.int64)

    def take_in(self, X: Points) -> None:
        """All places, of which the first are known."""
        num = len(self.order)
        if num == len(X):
            return
        new = np.ascontiguousarray(X[num:])
        reach = float(np.abs(new).max())
        if reach >= self.half:
            self.half = 2.0 ** np.floor(np.log2(max(reach, 0.5)) + 1.0)
            num, new = 0, np.ascontiguousarray(X)
        fresh = np.empty(len(new), np.int64)
        loops.interleave(new, -self.half, 2 * self.half, self.bits, fresh)
        by_key = np.argsort(fresh, kind="stable")
        if not num:
            self.keys, self.order = fresh[by_key], by_key
            return
        places = np.searchsorted(self.keys, fresh[by_key], side="right")
        self.keys = np.insert(self.keys, places, fresh[by_key])
        self.order = np.insert(self.order, places, num + by_key)


class ReadingTree:
    """Args:
    places: sorted.
    X, y: of all readings, normalised.
    most_leaves: finer cells than these are not looked into.
    """

    def __init__(self, places: SortedPlaces, X: Points, y: Values, *, most_leaves: int) -> None:
        self.half, dim, num = places.half, X.shape[1], min(len(y), most_leaves)
        finest = loops.finest_level(places.keys, dim, places.bits, most_leaves)
        room = 2 * num
        begin, end, first, num_children = (np.empty(room, np.int64) for _ in range(4))
        size = loops.grow(places.keys, dim, places.bits, finest, begin, end, first, num_children)
        self.first, self.num_children, self.begin, end = (
            each[:size].copy() for each in (first, num_children, begin, end)
        )
        self.count, self.leaves = np.empty(size, np.int64), np.empty(size, np.int64)
        self.lower, self.upper, total_X = (np.empty((size, dim)) for _ in range(3))
        total_y = np.empty(size)
        loops.summarise(
            X, y, places.order, self.begin, end, self.first, self.num_children,
            self.count, self.leaves, total_X, total_y, self.lower, self.upper,
        )  # fmt: skip
        self.X, self.y = total_X / self.count[:, None], total_y / self.count

    def __len__(self) -> int:
        """Leaves."""
        return int(self.leaves[0])

    @property
    def dim(self) -> int:
        return self.X.shape[1]

    def seen_from(self, lower: Values, upper: Values, most: int) -> Merged:
        """So many readings at most: near the box each by itself, farther away ever more of them as one."""
        chosen = np.empty(most, np.int64)
        softening = max(SOFTENING * float((upper - lower).max()), 1e-6 * self.half)
        num = loops.open_widest(
            self.lower, self.upper, self.first, self.num_children, lower, upper, softening, most, chosen
        )
        return self.merged(np.sort(chosen[:num]))

    def merged(self, nodes: Int[np.ndarray, " n"]) -> Merged:
        return Merged(self.X[nodes], self.y[nodes], self.count[nodes], nodes)

    def tiles(self, *, margin: float, most: int) -> tuple[Float[np.ndarray, "tiles d"], Float[np.ndarray, " tiles"]]:
        """Lower corners and sides of boxes that fill the root, with so many leaves in and around each at most."""
        room = 64
        while True:
            corners, sides = np.empty((room, self.dim)), np.empty(room)
            num = loops.cut_tiles(
                self.lower, self.upper, self.first, self.num_children, self.leaves,
                np.full(self.dim, -self.half), 2 * self.half, margin, most, corners, sides,
            )  # fmt: skip
            if num >= 0:
                return corners[:num], sides[:num]
            room *= 4
