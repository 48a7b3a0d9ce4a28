"""RBF over features that may be learnt, in fused loops for one CPU core, float64, by the lower triangle.

C_ij = exp(-d_ij^2 / (2 l^2)) = 2^(c d_ij^2), d the distance of features, which come as (D, n).
"""

import numpy as np

from akrig.kernels.ops.compilation import compiled_loop
from akrig.kernels.ops.distances import squared_distances
from akrig.kernels.ops.exponential import exp2_nonpositive


@compiled_loop(fastmath={"contract"})
def rbf_gram(PT, c, amplitude, begin, out, kept):
    """Rows `begin` on of amplitude * C below the diagonal, into `out`; C itself is kept for the way back."""
    squared = np.empty(PT.shape[1])
    for i in range(begin, PT.shape[1]):
        n = i + 1
        d2, row, k = squared[:n], out[i, :n], kept[i, :n]
        squared_distances(PT[:, i], PT, d2)
        for j in range(n):
            k[j] = exp2_nonpositive(c * d2[j])
        for j in range(n):
            row[j] = amplitude * k[j]


@compiled_loop(fastmath={"contract"})
def rbf_cross_features(Pq, PT, c, out):
    """C between queries (q, D) and points, (q, n)."""
    squared = np.empty(PT.shape[1])
    for i in range(Pq.shape[0]):
        row = out[i]
        squared_distances(Pq[i], PT, squared)
        for j in range(squared.size):
            row[j] = exp2_nonpositive(c * squared[j])


@compiled_loop(fastmath={"contract", "reassoc", "nsz"})
def rbf_pullback(PT, lengthscale, kept, inverse, alpha, scale, learnt, slopesT):
    """Gradient of <G, C> for the symmetric G = scale * (inverse - alpha alpha^T): in the lengthscale, returned, and,
    if they are learnt, in the features, written to `slopesT` (D, n).

    dC/dl = C d^2 / l^3, and dC_ij / dp_i = -C_ij (p_i - p_j) / l^2 = -dC_ij / dp_j.
    """
    dim, num = PT.shape
    squared, weights = np.empty(num), np.empty(num)
    slopesT[:] = 0.0
    total = 0.0
    for i in range(1, num):
        a, d2, g = alpha[i], squared[:i], weights[:i]
        row, k = inverse[i, :i], kept[i, :i]
        squared_distances(PT[:, i], PT, d2)
        for j in range(i):
            g[j] = 2.0 * scale * (row[j] - a * alpha[j]) * k[j]
            total += g[j] * d2[j]
        if learnt:
            for m in range(dim):
                p, column, slope = PT[m, i], PT[m, :i], slopesT[m, :i]
                pull = 0.0
                for j in range(i):
                    move = g[j] * (p - column[j])
                    slope[j] += move
                    pull += move
                slopesT[m, i] -= pull
    if learnt:
        slopesT /= lengthscale * lengthscale
    return total / lengthscale**3
