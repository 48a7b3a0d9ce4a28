"""Arrays that take in rows at their end, at a cost that does not grow with them."""

import numpy as np

from akrig.types import Samples


class GrowingRows:
    """Args:
    shape: of a row.
    """

    def __init__(self, shape: tuple[int, ...] = (), dtype: type = np.float64) -> None:
        self._memory, self._num = np.empty((0, *shape), dtype), 0

    def __len__(self) -> int:
        return self._num

    @property
    def rows(self) -> np.ndarray:
        """A view, which stays what it is when more come."""
        view = self._memory[: self._num]
        view.flags.writeable = False
        return view

    def append(self, rows: np.ndarray) -> None:
        needed = self._num + len(rows)
        if needed > len(self._memory):
            grown = np.empty((max(needed, 3 * len(self._memory) // 2), *self._memory.shape[1:]), self._memory.dtype)
            grown[: self._num] = self._memory[: self._num]
            self._memory = grown
        self._memory[self._num : needed] = rows
        self._num = needed


class GrowingSamples:
    """Readings that keep coming: a million one by one are not copied a million times."""

    def __init__(self, dim: int) -> None:
        self.dim, self._X, self._y = dim, GrowingRows((dim,)), GrowingRows()

    def __len__(self) -> int:
        return len(self._y)

    @property
    def samples(self) -> Samples:
        return Samples.checked(self._X.rows, self._y.rows)

    def append(self, samples: Samples) -> None:
        if not len(self) and samples.dim != self.dim:
            self.dim, self._X = samples.dim, GrowingRows((samples.dim,))
        if samples.dim != self.dim:
            raise ValueError(f"Samples of {self.dim} dimensions cannot take samples of {samples.dim}.")
        self._X.append(samples.X)
        self._y.append(samples.y)
