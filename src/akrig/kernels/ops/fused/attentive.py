"""Definition 1 in fused loops for one CPU core, float64, symmetric matrices by their lower triangle.

Base correlations are *packed by rows*: row i holds M runs of i + 1 numbers (its correlations with points 0..i, one run
per base kernel). Half the memory of full matrices, every inner loop over contiguous numbers, and a new reading is an
append. Weights and memberships come transposed, (M, n), for the same reason.

No function here allocates more than a few rows. `contract` lets the compiler use fused multiply-add; `reassoc` (only
where a sum runs along a row) lets it vectorise the sum.
"""

import numpy as np

from akrig.kernels.ops.compilation import compiled_loop
from akrig.kernels.ops.exponential import (
    SMALLEST,
    exp2_nonpositive,
    power_of_fraction,
    power_of_whole,
    whole_and_fraction,
)


@compiled_loop(fastmath={"contract"})
def rbf_rows(XT, begin, end, exponents, packed):
    """Packed RBF correlations 2^(c d^2) of rows begin..end; `exponents` are the c, points come as (d, n)."""
    dim = XT.shape[0]
    squared = np.empty(end)
    at = 0
    for i in range(begin, end):
        n = i + 1
        d2 = squared[:n]
        d2[:] = 0.0
        for k in range(dim):
            x, column = XT[k, i], XT[k, :n]
            for j in range(n):
                difference = x - column[j]
                d2[j] += difference * difference
        for m in range(exponents.size):
            c, row = exponents[m], packed[at : at + n]
            for j in range(n):
                row[j] = exp2_nonpositive(c * d2[j])
            at += n


@compiled_loop(fastmath={"contract"})
def gram_rows(packed, begin, end, WT, ZT, amplitude, out, weighted):
    """Rows begin..end of amplitude * O * S below the diagonal, into `out`; S = sum_m w w' K_m is kept in `weighted`.

    Rows of `out` and `weighted` are those of the whole matrix; `packed` starts at row begin.
    """
    M, P = WT.shape[0], ZT.shape[0]
    visibility = np.empty(end)
    at = 0
    for i in range(begin, end):
        n = i + 1
        o, s, row = visibility[:n], weighted[i, :n], out[i, :n]
        o[:] = 0.0
        s[:] = 0.0
        for m in range(M):
            w, column, k = WT[m, i], WT[m, :n], packed[at : at + n]
            for j in range(n):
                s[j] += w * column[j] * k[j]
            at += n
        for p in range(P):
            z, column = ZT[p, i], ZT[p, :n]
            for j in range(n):
                o[j] += z * column[j]
        for j in range(n):
            row[j] = amplitude * o[j] * s[j]


@compiled_loop(fastmath={"contract"}, inline="always")
def _upstream(i, ZT, inverse, alpha, scale, weighted, through_weights, through_memberships):
    """Row i of G * O and of G * S, where G = scale * (inverse - alpha alpha^T); the diagonal counts half."""
    n = i + 1
    go, gs = through_weights[:n], through_memberships[:n]
    go[:] = 0.0
    for p in range(ZT.shape[0]):
        z, column = ZT[p, i], ZT[p, :n]
        for j in range(n):
            go[j] += z * column[j]
    row, s, a = inverse[i, :n], weighted[i, :n], alpha[i]
    for j in range(n):
        g = scale * (row[j] - a * alpha[j])
        go[j] *= g
        gs[j] = g * s[j]
    go[i] *= 0.5
    gs[i] *= 0.5


@compiled_loop(fastmath={"contract", "reassoc", "nsz"})
def pullback_shared_rows(packed, begin, end, WT, inverse, alpha, scale, weighted, gradT):
    """Adds the share of rows begin..end to the gradient of <G, C> in W, when Z is W.

    dW_im = sum_j G_ij (O_ij K_mij + S_ij) w_jm, each pair visited once and credited to both of its points.
    """
    M = WT.shape[0]
    through_weights, through_memberships = np.empty(end), np.empty(end)
    at = 0
    for i in range(begin, end):
        _upstream(i, WT, inverse, alpha, scale, weighted, through_weights, through_memberships)
        n = i + 1
        go, gs = through_weights[:n], through_memberships[:n]
        for m in range(M):
            w, column, k, grad = WT[m, i], WT[m, :n], packed[at : at + n], gradT[m, :n]
            total = 0.0
            for j in range(n):
                g = go[j] * k[j] + gs[j]
                total += g * column[j]
                grad[j] += g * w
            grad[i] += total
            at += n


@compiled_loop(fastmath={"contract", "reassoc", "nsz"})
def pullback_rows(packed, begin, end, WT, ZT, inverse, alpha, scale, weighted, gradWT, gradZT):
    """The same with memberships of their own: dW_im = sum_j G O K_m w_jm and dZ_ip = sum_j G S z_jp."""
    M, P = WT.shape[0], ZT.shape[0]
    through_weights, through_memberships = np.empty(end), np.empty(end)
    at = 0
    for i in range(begin, end):
        _upstream(i, ZT, inverse, alpha, scale, weighted, through_weights, through_memberships)
        n = i + 1
        go, gs = through_weights[:n], through_memberships[:n]
        for m in range(M):
            w, column, k, grad = WT[m, i], WT[m, :n], packed[at : at + n], gradWT[m, :n]
            total = 0.0
            for j in range(n):
                g = go[j] * k[j]
                total += g * column[j]
                grad[j] += g * w
            grad[i] += total
            at += n
        for p in range(P):
            z, column, grad = ZT[p, i], ZT[p, :n], gradZT[p, :n]
            total = 0.0
            for j in range(n):
                total += gs[j] * column[j]
                grad[j] += gs[j] * z
            grad[i] += total


@compiled_loop(fastmath={"contract"})
def rbf_cross(Xq, WqT, XT, WT, exponents, out):
    """Multiplies `out` (q, n) by sum_m w w' K_m of queries with points, RBF base kernels evaluated on the way."""
    num, n = out.shape
    squared, weighted, fraction, scale = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for i in range(num):
        squared[:] = 0.0
        weighted[:] = 0.0
        for k in range(XT.shape[0]):
            x, column = Xq[i, k], XT[k]
            for j in range(n):
                difference = x - column[j]
                squared[j] += difference * difference
        for m in range(exponents.size):
            w, column, c = WqT[m, i], WT[m], exponents[m]
            if abs(w) < SMALLEST:
                continue
            for j in range(n):  # in two loops: one would wait for its own long chain of operations
                t, f = whole_and_fraction(c * squared[j])
                fraction[j] = f
                scale[j] = power_of_whole(t) * (w * column[j])
            for j in range(n):
                weighted[j] += scale[j] * power_of_fraction(fraction[j])
        row = out[i]
        for j in range(n):
            row[j] *= weighted[j]


@compiled_loop()
def mirror(matrix):
    """Copies the lower triangle onto the upper, tile by tile."""
    n, tile = matrix.shape[0], 32
    for top in range(0, n, tile):
        for left in range(0, top + 1, tile):
            for i in range(top, min(top + tile, n)):
                for j in range(left, min(left + tile, i)):
                    matrix[j, i] = matrix[i, j]
