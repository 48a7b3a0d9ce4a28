"""Exact Gaussian-process inference: pure functions over LAPACK, lower triangles in row-major order.

A row-major lower triangle is a column-major upper one, so LAPACK works on our arrays in place, without a copy.
scipy's OpenBLAS is used rather than torch's MKL: on the machines measured it is as fast or faster
(docs/performance.md), and it takes the result's triangle as it is instead of completing it.
"""

import logging
import math
from collections.abc import Callable

import numpy as np
import torch
from scipy.linalg.blas import dtrsm  # pyright: ignore[reportAttributeAccessIssue]
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs  # pyright: ignore[reportAttributeAccessIssue]
from torch import Tensor

from akrig.errors import NotFinite, NotPositiveDefinite
from akrig.kernels.gram import Gram

JITTERS = (0.0, 1e-6, 1e-5, 1e-4)  # relative to the mean of the diagonal

log = logging.getLogger(__name__)


def cholesky(fill: Callable[[np.ndarray], None], out: np.ndarray) -> float:
    """Lower Cholesky factor of the matrix that `fill` writes, in place; returns the jitter it took.

    `fill` writes the lower triangle of `out`; it is called again for every further try.
    """
    size = len(out)
    for jitter in JITTERS:
        fill(out)
        diagonal = out.reshape(-1)[:: size + 1]
        added = jitter * float(diagonal.mean()) if jitter else 0.0
        diagonal += added
        _, failed = dpotrf(out.T, lower=0, clean=0, overwrite_a=1)
        if not failed and np.isfinite(diagonal).all():
            if jitter:
                log.warning("A %d x %d covariance matrix needed a jitter of %.0e.", size, size, jitter)
            return added
        fill(out)
        if not np.isfinite(np.tril(out)).all():
            raise NotFinite(
                f"The kernel's {size} x {size} covariance matrix has NaN or infinite entries; "
                "check the kernel's parameters and the readings' coordinates."
            )
    raise NotPositiveDefinite(size, JITTERS)


def solve(L: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(L L^T)^-1 b."""
    return dpotrs(L.T, b, lower=0)[0]


def half_solve(L: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """L^-1 applied to each row of `rows` (q, n), which is overwritten."""
    return dtrsm(1.0, L.T, rows.T, trans_a=1, lower=0, overwrite_b=1).T


def invert(L: np.ndarray) -> np.ndarray:
    """The lower triangle of (L L^T)^-1, over L."""
    return dpotri(L.T, lower=0, overwrite_c=1)[0].T


def negative_log_marginal_likelihood(
    gram: Gram, residual: Tensor, amplitude: Tensor, noise_variance: Tensor, workspace: np.ndarray
) -> Tensor:
    """-log N(residual; 0, amplitude * C + noise_variance * I), differentiable in all of it.

    Args:
        gram: C, and how a gradient in C reaches the kernel's parameters.
        residual: targets minus mean, (n,).
        workspace: n x n numbers to be overwritten.
    """
    inputs = residual, amplitude, noise_variance, *gram.features()
    return _MarginalLikelihood.apply(gram, workspace, *inputs)  # pyright: ignore[reportReturnType]


class _MarginalLikelihood(torch.autograd.Function):
    """Loss and gradient in one go: the factor is inverted where it stands, and the gradient in A is never formed.

    With A = a C + s I and alpha = A^-1 r, the gradient in A is G = (A^-1 - alpha alpha^T) / 2, so that
    dL/ds = tr G, and dL/da = <G, C> = (tr(G A) - s tr G) / a = ((n - r^T alpha) / 2 - s tr G) / a.
    """

    @staticmethod
    def forward(
        ctx,
        gram: Gram,
        workspace: np.ndarray,
        residual: Tensor,
        amplitude: Tensor,
        noise_variance: Tensor,
        *features: Tensor,
    ) -> Tensor:
        n, a, s = len(gram), amplitude.item(), noise_variance.item()
        r = residual.detach().numpy()

        def fill(out: np.ndarray) -> None:
            gram.fill(features, a, out)
            out.reshape(-1)[:: n + 1] += s

        s += cholesky(fill, workspace)
        alpha = solve(workspace, r)
        fit = float(r @ alpha)
        half_log_det = float(np.log(np.diagonal(workspace)).sum())
        ctx.shapes = amplitude.shape, noise_variance.shape
        if any(ctx.needs_input_grad):
            inverse = invert(workspace)
            trace = 0.5 * float(np.trace(inverse) - alpha @ alpha)
            ctx.scalars = (0.5 * (n - fit) - s * trace) / a, trace
            ctx.alpha = torch.from_numpy(alpha)
            ctx.features = gram.pullback(features, inverse, alpha, 0.5 * a) if any(ctx.needs_input_grad[5:]) else ()
        return residual.new_tensor(0.5 * fit + half_log_det + 0.5 * n * math.log(2 * math.pi))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad: Tensor):  # pyright: ignore[reportIncompatibleMethodOverride]
        scalars = (grad.new_full(shape, value) * grad for shape, value in zip(ctx.shapes, ctx.scalars, strict=True))
        features = ctx.features or (None,) * (len(ctx.needs_input_grad) - 5)
        scaled = (feature if feature is None else feature * grad for feature in features)
        return None, None, ctx.alpha * grad, *scalars, *scaled
