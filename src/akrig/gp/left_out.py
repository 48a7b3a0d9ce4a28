"""What a model says of its own readings when they are left out, from an inverse that training has made anyway."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from akrig.kernels.ops.compilation import compiled_loop
from akrig.types import Points

LONGEST = 64  # readings of a stretch
Ends = Int[np.ndarray, "_"]
LeaveOut = Callable[[Points], Sequence[Ends]]  # by where readings are, normalised, in the order they came


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Each reading less its mean given the others, and the variance of that, noise included."""

    residual: Float[np.ndarray, " n"]
    variance: Float[np.ndarray, " n"]


NOTHING = LeftOut(np.empty(0), np.empty(0))


def left_out(inverse: np.ndarray, alpha: np.ndarray, ends: Ends) -> LeftOut:
    """Given all others but those of the same stretch.

    Args:
        inverse: of the covariance of all readings, A; its lower triangle.
        alpha: A^-1 r.
        ends: of stretches of successive readings; the last is the number of all.
    """
    found = LeftOut(np.empty(len(alpha)), np.empty(len(alpha)))
    leave_out(inverse, alpha, ends, found.residual, found.variance)
    return found


@compiled_loop(fastmath={"contract", "reassoc", "nsz"})
def leave_out(inverse, alpha, ends, residual, variance):
    """P^-1 alpha is what is missed, P^-1 its covariance; P is a block of A^-1 (Rasmussen and Williams, 5.12)."""
    most, begin = 0, 0
    for end in ends:
        most, begin = max(most, end - begin), end
    L, half = np.empty((most, most)), np.empty((most, most))
    begin = 0
    for end in ends:
        num = end - begin
        for i in range(num):
            for j in range(i + 1):
                value = inverse[begin + i, begin + j]
                for k in range(j):
                    value -= L[i, k] * L[j, k]
                L[i, j] = np.sqrt(value) if i == j else value / L[j, j]
        for column in range(num):  # half = L^-1
            for i in range(column, num):
                value = 1.0 if i == column else 0.0
                for k in range(column, i):
                    value -= L[i, k] * half[k, column]
                half[i, column] = value / L[i, i]
        for i in range(num):
            missed, spread = 0.0, 0.0
            for k in range(i, num):
                spread += half[k, i] * half[k, i]
                along = 0.0
                for j in range(k + 1):
                    along += half[k, j] * alpha[begin + j]
                missed += half[k, i] * along
            residual[begin + i], variance[begin + i] = missed, spread
        begin = end


def singly(num: int) -> Ends:
    """Every reading by itself."""
    return np.arange(1, num + 1)


def stretches(X: Points, area: float) -> Ends:
    """Of readings in the order they came: as long as places of the map are apart from such a track.

    The next reading along a track tells little of how well a map is known between tracks. A stretch of the length that
    tracks would be apart, were they spread evenly over the region, has its middle as far from all other readings as
    many places of the map are. Readings that jump about are left out one by one.
    """
    num, dim = X.shape
    steps = np.linalg.norm(np.diff(X, axis=0), axis=1)
    if dim < 2 or not steps.sum() > 0:
        return singly(num)
    longest, ends, gone = (area / steps.sum()) ** (1 / (dim - 1)), [], 0.0
    for i, step in enumerate(steps.tolist(), start=1):
        gone += step
        if gone > longest or i - (ends[-1] if ends else 0) >= LONGEST:
            ends.append(i)
            gone = 0.0
    return np.array([*ends, num])
