"""A softmax network with two tanh layers, its outputs at unit length, and its gradient: in fused loops, float64.

Normalising a softmax to unit length cancels its denominator: w_m = exp(o_m) / |exp(o)|, hence
dL/do_m = w_m (g_m - w_m sum_k g_k w_k). Everything is laid out (unit, point), so that inner loops run over points.
At 100 points autograd's bookkeeping costs five times this arithmetic.
"""

import numpy as np

from akrig.kernels.ops.compilation import compiled_loop
from akrig.kernels.ops.exponential import LOG2_E, exp2_nonpositive


@compiled_loop(fastmath={"contract"})
def _affine(weight, bias, inputs, out):
    for a in range(weight.shape[0]):
        row = out[a]
        row[:] = bias[a]
        for b in range(weight.shape[1]):
            w, column = weight[a, b], inputs[b]
            for i in range(column.size):
                row[i] += w * column[i]


@compiled_loop(fastmath={"contract"})
def _tanh(values):
    for a in range(values.shape[0]):
        row = values[a]
        for i in range(row.size):
            e = exp2_nonpositive(-2.0 * LOG2_E * abs(row[i]))
            row[i] = np.copysign((1.0 - e) / (1.0 + e), row[i])


@compiled_loop(fastmath={"contract"})
def forward(XT, weight1, bias1, weight2, bias2, weight3, bias3, hidden1, hidden2, out):
    """`out` (M, n) gets the unit rows; `hidden1` and `hidden2` (H, n) keep what `backward` needs."""
    _affine(weight1, bias1, XT, hidden1)
    _tanh(hidden1)
    _affine(weight2, bias2, hidden1, hidden2)
    _tanh(hidden2)
    _affine(weight3, bias3, hidden2, out)
    n = out.shape[1]
    largest, length = np.full(n, -np.inf), np.zeros(n)
    for m in range(out.shape[0]):
        row = out[m]
        for i in range(n):
            largest[i] = row[i] if row[i] > largest[i] else largest[i]
    for m in range(out.shape[0]):
        row = out[m]
        for i in range(n):
            row[i] = exp2_nonpositive(LOG2_E * (row[i] - largest[i]))
            length[i] += row[i] * row[i]
    for i in range(n):
        length[i] = 1.0 / np.sqrt(length[i])
    for m in range(out.shape[0]):
        row = out[m]
        for i in range(n):
            row[i] *= length[i]


@compiled_loop(fastmath={"contract", "reassoc", "nsz"})
def _affine_gradient(upstream, inputs, weight_gradient, bias_gradient):
    for a in range(upstream.shape[0]):
        row = upstream[a]
        total = 0.0
        for i in range(row.size):
            total += row[i]
        bias_gradient[a] = total
        for b in range(inputs.shape[0]):
            column = inputs[b]
            total = 0.0
            for i in range(row.size):
                total += row[i] * column[i]
            weight_gradient[a, b] = total


@compiled_loop(fastmath={"contract"})
def _through_tanh(weight, upstream, hidden):
    """Gradient before the activation of a hidden layer, given that of the layer above."""
    out = np.zeros_like(hidden)
    for a in range(weight.shape[0]):
        row = upstream[a]
        for b in range(weight.shape[1]):
            w, target = weight[a, b], out[b]
            for i in range(row.size):
                target[i] += w * row[i]
    for b in range(hidden.shape[0]):
        t, target = hidden[b], out[b]
        for i in range(t.size):
            target[i] *= 1.0 - t[i] * t[i]
    return out


@compiled_loop(fastmath={"contract"})
def backward(
    XT,
    weight2,
    weight3,
    hidden1,
    hidden2,
    unit,
    upstream,
    weight1_gradient,
    bias1_gradient,
    weight2_gradient,
    bias2_gradient,
    weight3_gradient,
    bias3_gradient,
):
    """Gradients of the three layers, given that of the unit rows (M, n)."""
    M, n = unit.shape
    along = np.zeros(n)
    for m in range(M):
        for i in range(n):
            along[i] += upstream[m, i] * unit[m, i]
    outer = np.empty((M, n))
    for m in range(M):
        for i in range(n):
            outer[m, i] = unit[m, i] * (upstream[m, i] - unit[m, i] * along[i])
    _affine_gradient(outer, hidden2, weight3_gradient, bias3_gradient)
    middle = _through_tanh(weight3, outer, hidden2)
    _affine_gradient(middle, hidden1, weight2_gradient, bias2_gradient)
    inner = _through_tanh(weight2, middle, hidden1)
    _affine_gradient(inner, XT, weight1_gradient, bias1_gradient)
