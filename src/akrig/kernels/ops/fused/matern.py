"""Matern correlations in fused loops: (1 + p1 t + p2 t^2) e^-t, t = rate * distance, float64, for one CPU core.

GPyTorch computes each base kernel's row by itself, with a dozen small operations: at 300 readings that took longer than
training with them.
"""

import numpy as np

from akrig.kernels.ops.compilation import compiled_loop
from akrig.kernels.ops.distances import squared_distances
from akrig.kernels.ops.exponential import LOG2_E, SMALLEST, exp2_nonpositive


@compiled_loop(fastmath={"contract"}, inline="always")
def _distances(x, XT, out):
    squared_distances(x, XT, out)
    for j in range(out.size):
        out[j] = np.sqrt(out[j])


@compiled_loop(fastmath={"contract"})
def matern_rows(XT, begin, end, shapes, packed):
    """Packed correlations of rows begin..end; `shapes` (M, 3) are rate, p1 and p2 of each kernel, points (d, n)."""
    distance = np.empty(end)
    at = 0
    for i in range(begin, end):
        n = i + 1
        d = distance[:n]
        _distances(XT[:, i], XT, d)
        for m in range(shapes.shape[0]):
            rate, p1, p2, row = shapes[m, 0], shapes[m, 1], shapes[m, 2], packed[at : at + n]
            for j in range(n):
                t = rate * d[j]
                row[j] = (1.0 + t * (p1 + p2 * t)) * exp2_nonpositive(-LOG2_E * t)
            at += n


@compiled_loop(fastmath={"contract"})
def matern_cross(Xq, WqT, XT, WT, shapes, out, begin, end):
    """Multiplies rows begin..end of `out` (E, q, n) by sum_m w w' K_m with points, for E sets of weights (E, M, .)."""
    num_sets, _, n = out.shape
    d, correlation, weighted = np.empty(n), np.empty(n), np.empty((num_sets, n))
    for i in range(begin, end):
        _distances(Xq[i], XT, d)
        weighted[:] = 0.0
        for m in range(shapes.shape[0]):
            if np.abs(WqT[:, m, i]).max() < SMALLEST:
                continue
            rate, p1, p2 = shapes[m, 0], shapes[m, 1], shapes[m, 2]
            for j in range(n):
                t = rate * d[j]
                correlation[j] = (1.0 + t * (p1 + p2 * t)) * exp2_nonpositive(-LOG2_E * t)
            for e in range(num_sets):
                w, column, total = WqT[e, m, i], WT[e, m], weighted[e]
                if abs(w) < SMALLEST:
                    continue
                for j in range(n):
                    total[j] += w * column[j] * correlation[j]
        for e in range(num_sets):
            row, total = out[e, i], weighted[e]
            for j in range(n):
                row[j] *= total[j]
