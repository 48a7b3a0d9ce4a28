"""Memory that is used again and again: a fresh array of megabytes costs page faults each time."""

import numpy as np


class Scratch:
    """One matrix at a time, of any shape; taking the next overwrites the last."""

    def __init__(self) -> None:
        self._memory = np.empty(0)

    def matrix(self, rows: int, columns: int) -> np.ndarray:
        """Uninitialised, row-major."""
        size = rows * columns
        if self._memory.size < size:
            self._memory = np.empty(max(size, 3 * self._memory.size // 2))  # grows ahead of readings that keep coming
        return self._memory[:size].reshape(rows, columns)


class GrowingSquare:
    """A square matrix that keeps what is in it when it grows."""

    def __init__(self) -> None:
        self._memory = np.empty((0, 0))

    def at_least(self, size: int) -> np.ndarray:
        """Row-major, and as a rule larger than asked for."""
        old = len(self._memory)
        if old < size:
            grown = np.empty((max(size, 3 * old // 2),) * 2)
            grown[:old, :old] = self._memory
            self._memory = grown
        return self._memory
