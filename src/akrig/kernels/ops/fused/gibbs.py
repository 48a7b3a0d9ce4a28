"""The Gibbs kernel in fused loops for one CPU core, float64, symmetric matrices by their lower triangle.

With s = l_i^2 + l_j^2: C_ij = (2 l_i l_j / s)^(D/2) exp(-d_ij^2 / s). Points come as (D, n).
"""

import numpy as np
from numba import njit

from akrig.kernels.ops.compilation import compiled_loop
from akrig.kernels.ops.distances import squared_distances
from akrig.kernels.ops.exponential import LOG2_E, exp2_nonpositive


@njit(fastmath={"contract"}, inline="always")
def _prefactor(p, dim):
    if dim == 2:
        return p
    return np.sqrt(p) if dim == 1 else p ** (0.5 * dim)


@compiled_loop(fastmath={"contract"})
def gibbs_gram(XT, lengthscales, amplitude, begin, out, kept):
    """Rows `begin` on of amplitude * C below the diagonal, into `out`; C itself is kept for the way back."""
    dim, num = XT.shape
    squared = np.empty(num)
    for i in range(begin, num):
        n, length = i + 1, lengthscales[i]
        d2, others, row, c = squared[:n], lengthscales[:n], out[i, :n], kept[i, :n]
        squared_distances(XT[:, i], XT, d2)
        for j in range(n):
            inverse = 1.0 / (length * length + others[j] * others[j])
            p = 2.0 * length * others[j] * inverse
            c[j] = _prefactor(p, dim) * exp2_nonpositive(-LOG2_E * d2[j] * inverse)
        for j in range(n):
            row[j] = amplitude * c[j]


@compiled_loop(fastmath={"contract"})
def gibbs_cross(Xq, query_lengthscales, XT, lengthscales, out):
    """C between queries (q, D) and points, (q, n)."""
    dim, n = XT.shape
    squared = np.empty(n)
    for i in range(Xq.shape[0]):
        length, row = query_lengthscales[i], out[i]
        squared_distances(Xq[i], XT, squared)
        for j in range(n):
            inverse = 1.0 / (length * length + lengthscales[j] * lengthscales[j])
            p = 2.0 * length * lengthscales[j] * inverse
            row[j] = _prefactor(p, dim) * exp2_nonpositive(-LOG2_E * squared[j] * inverse)


@compiled_loop(fastmath={"contract", "reassoc", "nsz"})
def gibbs_pullback(XT, lengthscales, kept, inverse, alpha, scale, slopes):
    """Gradient of <G, C> in the lengthscales, for the symmetric G = scale * (inverse - alpha alpha^T).

    dC_ij / dl_i = C_ij (D / (2 l_i) - l_i t_ij), with t = D / s - 2 d^2 / s^2; the diagonal is one, whatever l.
    """
    dim, num = XT.shape
    squared = np.empty(num)
    plain, bent = np.zeros(num), np.zeros(num)  # sums of g and of g t
    for i in range(1, num):
        length, a = lengthscales[i], alpha[i]
        d2, others, row, c = squared[:i], lengthscales[:i], inverse[i, :i], kept[i, :i]
        squared_distances(XT[:, i], XT, d2)
        sum_g, sum_gt, plain_row, bent_row = 0.0, 0.0, plain[:i], bent[:i]
        for j in range(i):
            g = 2.0 * scale * (row[j] - a * alpha[j]) * c[j]
            q = 1.0 / (length * length + others[j] * others[j])
            gt = g * q * (dim - 2.0 * d2[j] * q)
            sum_g += g
            sum_gt += gt
            plain_row[j] += g
            bent_row[j] += gt
        plain[i] += sum_g
        bent[i] += sum_gt
    for i in range(num):
        slopes[i] = 0.5 * dim * plain[i] / lengthscales[i] - lengthscales[i] * bent[i]
