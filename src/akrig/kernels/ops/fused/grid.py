"""RBF correlations of a grid of queries with scattered points, in two dimensions.

exp(c (dx^2 + dy^2)) = exp(c dx^2) exp(c dy^2): queries that share coordinates share exponentials, so that a grid of
50 x 50 needs 100 per point and base kernel instead of 2500.
"""

from functools import lru_cache

import numpy as np

from akrig.kernels.ops.compilation import compiled_loop
from akrig.kernels.ops.exponential import exp2_nonpositive

FEWEST_SHARED = 4  # queries per distinct coordinate, or tables are not worth their while


Shared = tuple[list[np.ndarray], list[np.ndarray]]


def shared_coordinates(Xq: np.ndarray) -> Shared | None:
    """Distinct values per dimension, and which of them each query has; `None` if queries share too few."""
    return _shared(Xq.tobytes()) if Xq.shape[1] == 2 and len(Xq) >= 64 else None


@lru_cache(maxsize=16)
def _shared(coordinates: bytes) -> Shared | None:
    """Remembered, because the same grid is asked for again and again."""
    values, indices = [], []
    Xq = np.frombuffer(coordinates).reshape(-1, 2)
    for column in Xq.T:
        distinct, index = np.unique(column, return_inverse=True)
        if len(distinct) * FEWEST_SHARED > len(Xq):
            return None
        values.append(distinct)
        indices.append(index)
    return values, indices


@compiled_loop(fastmath={"contract"})
def axis_table(values, points, exponents, factors):
    """factors_mj 2^(c_m (values_u - points_j)^2), (M, U, n)."""
    M, n = factors.shape
    table = np.empty((M, values.size, n))
    for m in range(M):
        c = exponents[m]
        for u in range(values.size):
            x = values[u]
            for j in range(n):
                difference = x - points[j]
                table[m, u, j] = factors[m, j] * exp2_nonpositive(c * difference * difference)
    return table


@compiled_loop(fastmath={"contract"})
def grid_cross(WqT, first, first_index, second, second_index, out):
    """Multiplies `out` (q, n) by sum_m w_qm first_m second_m, tables looked up by each query's indices.

    Four base kernels at a time: a quarter of the sums to load and store. With more, the compiler gives up on proving
    that the arrays do not overlap, and does not vectorise.
    """
    num, n = out.shape
    M = WqT.shape[0]
    weighted = np.empty(n)
    for i in range(num):
        a, b, w = first_index[i], second_index[i], WqT[:, i]
        weighted[:] = 0.0
        for m in range(0, M - M % 4, 4):
            f0, f1, f2, f3 = first[m, a], first[m + 1, a], first[m + 2, a], first[m + 3, a]
            s0, s1, s2, s3 = second[m, b], second[m + 1, b], second[m + 2, b], second[m + 3, b]
            w0, w1, w2, w3 = w[m], w[m + 1], w[m + 2], w[m + 3]
            for j in range(n):
                pair = w0 * f0[j] * s0[j] + w1 * f1[j] * s1[j]
                weighted[j] += pair + (w2 * f2[j] * s2[j] + w3 * f3[j] * s3[j])
        for m in range(M - M % 4, M):
            f0, s0, w0 = first[m, a], second[m, b], w[m]
            for j in range(n):
                weighted[j] += w0 * f0[j] * s0[j]
        row = out[i]
        for j in range(n):
            row[j] *= weighted[j]
