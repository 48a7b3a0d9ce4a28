"""Squared distances for numba; compiled into the loops that need them."""

from numba import njit


@njit(fastmath={"contract"})
def squared_distances(x, XT, out):
    """From one point (D,) to the first of many, (D, n), as many as `out` has room for.

    Not |a|^2 + |b|^2 - 2ab: that loses the digits of near points when one is far away.
    """
    out[:] = 0.0
    for k in range(XT.shape[0]):
        xk, column = x[k], XT[k]
        for j in range(out.size):
            difference = xk - column[j]
            out[j] += difference * difference
