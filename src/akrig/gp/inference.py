"""Exact Gaussian-process inference: pure functions over LAPACK, lower triangles in row-major order.

scipy's OpenBLAS is used rather than torch's MKL: on the machines measured it is as fast or faster
(docs/performance.md), and it takes the result's triangle as it is instead of completing it.
"""

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrs  # pyright: ignore[reportAttributeAccessIssue]

from akrig.errors import NotFinite, NotPositiveDefinite, TrainingFailed
from akrig.gp import lapack
from akrig.kernels.gram import Features, Gram
from akrig.types import Values

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
        if lapack.potrf(out) and np.isfinite(diagonal).all():
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
    lapack.trsm(L, rows)
    return rows


def invert(L: np.ndarray) -> np.ndarray:
    """The lower triangle of (L L^T)^-1, over L."""
    lapack.potri(L)
    return L


def inverse_diagonal(L: np.ndarray) -> np.ndarray:
    """Of (L L^T)^-1."""
    half = np.tril(L)
    lapack.trtri(half)
    return np.einsum("ki,ki->i", half, half)


def covariance_root(covariance: np.ndarray, *, rounding: float) -> np.ndarray:
    """R with R R^T = covariance, which rounding may have left a little short of positive semidefinite."""
    try:
        return np.linalg.cholesky(covariance + rounding * np.eye(len(covariance)))
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(covariance)
        return vectors * np.sqrt(np.maximum(values, 0.0))


def factorize(
    gram: Gram, features: Features, *, amplitude: float, noise_variance: float | Values, out: np.ndarray
) -> float | Values:
    """Lower Cholesky factor of A = amplitude * C + noise_variance * I into `out`; returns noise variance + jitter."""

    def fill(matrix: np.ndarray) -> None:
        gram.fill(features, amplitude, matrix)
        matrix.reshape(-1)[:: len(matrix) + 1] += noise_variance

    return noise_variance + cholesky(fill, out)


@dataclass(frozen=True)
class Slopes:
    """Gradient of the negative log marginal likelihood in what is not the kernel's.

    Args:
        inverse: the lower triangle of A^-1, which that takes; only as long as nobody else writes there.
    """

    amplitude: float
    noise_variance: float
    residual: np.ndarray
    inverse: np.ndarray


def negative_log_marginal_likelihood(
    gram: Gram,
    features: Features,
    residual: np.ndarray,
    *,
    amplitude: float,
    noise_variance: float,
    workspace: np.ndarray,
    is_factorized: bool = False,
) -> tuple[float, Callable[[], Slopes]]:
    """-log N(residual; 0, A), A = amplitude * C + noise_variance * I; and a function that differentiates it.

    If `is_factorized`, `workspace` holds A's factor already, without jitter.

    Differentiating adds the gradient to the kernel's parameters' own, and returns the rest of it. It inverts the factor
    where it stands (in `workspace`, n x n), and the gradient in A is never formed: with alpha = A^-1 r it is
    G = (A^-1 - alpha alpha^T) / 2, so that dL/ds = tr G for the noise variance s, and for the amplitude a,
    dL/da = <G, C> = (tr(G A) - s tr G) / a = ((n - r^T alpha) / 2 - s tr G) / a.
    """
    n, L = len(gram), workspace
    added = noise_variance
    if not is_factorized:
        added = float(factorize(gram, features, amplitude=amplitude, noise_variance=noise_variance, out=L))
    alpha = solve(L, residual)
    misfit = float(residual @ alpha)
    value = 0.5 * misfit + float(np.log(L.reshape(-1)[:: n + 1]).sum()) + 0.5 * n * math.log(2 * math.pi)

    def differentiate() -> Slopes:
        if amplitude <= 0.0:
            raise TrainingFailed("The kernel's amplitude became zero; lower the learning rates or constrain it.")
        inverse = invert(L)
        trace = 0.5 * float(np.trace(inverse) - alpha @ alpha)
        gram.pullback(features, inverse, alpha, 0.5 * amplitude)
        return Slopes((0.5 * (n - misfit) - added * trace) / amplitude, trace, alpha, inverse)

    return value, differentiate
