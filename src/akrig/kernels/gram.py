"""The training covariance as exact inference wants it, and the version of it that any GPyTorch kernel gets.

A gram is the covariance C of all points seen so far, without amplitude and noise. It grows by rows, is evaluated at the
kernel's current parameters, and pulls a gradient back by hand: inference never builds an autograd graph over n x n
intermediates. A kernel that knows a faster way than `DenseGram` offers it with a method `gram()`.
"""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from gpytorch.kernels import Kernel, ScaleKernel
from linear_operator import to_dense
from torch import Tensor

from akrig.kernels.ops.correlations import is_plain_rbf
from akrig.kernels.point_store import PointStore
from akrig.kernels.rbf_gram import RBFGram
from akrig.types import Attention

Features = Any  # what a gram computes C from at some parameters; only the gram itself looks inside


@runtime_checkable
class Gram(Protocol):
    @property
    def fills_by_rows(self) -> bool:
        """May `fill` leave out rows that it has filled before, at the same parameters?"""
        ...

    def __len__(self) -> int: ...

    def append(self, X: Tensor) -> None:
        """Take in points (n, d)."""
        ...

    def refresh(self) -> None:
        """Notice parameters that were changed from outside."""
        ...

    def features(self) -> Features:
        """Of all points, at the current parameters."""
        ...

    def fill(self, features: Features, amplitude: float, out: np.ndarray, *, begin: int = 0) -> None:
        """amplitude * C into the lower triangle of `out` (n, n), from row `begin` on."""
        ...

    def pullback(self, features: Features, inverse: np.ndarray, alpha: np.ndarray, scale: float) -> None:
        """Adds the gradient of <G, C> to the kernel's parameters' own, for G = scale * (inverse - alpha alpha^T).

        Called after `fill` with the same features; of `inverse` only the lower triangle counts.
        """
        ...

    def tail(self, features: Features, begin: int) -> tuple[Features, np.ndarray]:
        """Features of all points, given those of the first `begin`; and rows begin.. of C, (n - begin, n)."""
        ...

    def cross(self, Xq: Tensor, features: Features, out: np.ndarray, *, begin: int = 0) -> None:
        """C between query points and points begin.. into `out`, (q, m): as many points as it has columns."""
        ...

    def diagonal(self, Xq: Tensor) -> np.ndarray:
        """C of each query point with itself, (q,)."""
        ...

    def joint(self, Xq: Tensor) -> np.ndarray:
        """C among query points, (q, q)."""
        ...


@runtime_checkable
class Explains(Protocol):
    """A kernel that sees farther in some places than in others, and can tell."""

    def explain(self, x: Tensor) -> Attention | None:
        """At points (n, d), with lengths in normalised units; `None` if it cannot tell after all."""
        ...


@runtime_checkable
class SharesCorrelations(Protocol):
    """A gram that can use another's base correlations instead of its own."""

    def share(self, other: Gram) -> None: ...

    def shares_with(self, other: Gram) -> bool:
        """Can both be asked together at query points?"""
        ...

    def cross_together(self, others: Sequence[Gram], Xq: Tensor, features: Sequence[Features], out: np.ndarray) -> None:
        """Each gram's `cross` with all points, this one's first, into `out` (grams, q, n)."""
        ...


@runtime_checkable
class OffersGram(Protocol):
    def gram(self) -> Gram: ...


def gram_of(kernel: Kernel) -> Gram:
    """The fastest gram there is for this kernel."""
    if isinstance(kernel, OffersGram):
        return kernel.gram()
    return RBFGram(kernel) if is_plain_rbf(kernel) and not kernel.batch_shape else DenseGram(kernel)


def cross_each(grams: Sequence[Gram], Xq: Tensor, features: Sequence[Features], out: np.ndarray) -> None:
    """Each gram's `cross` with all points into `out` (grams, q, n); neighbours compute what they share once."""
    begin = 0
    while begin < len(grams):
        first, end = grams[begin], begin + 1
        if isinstance(first, SharesCorrelations):
            while end < len(grams) and first.shares_with(grams[end]):
                end += 1
        if isinstance(first, SharesCorrelations) and end > begin + 1:
            first.cross_together(grams[begin + 1 : end], Xq, features[begin:end], out[begin:end])
        else:
            first.cross(Xq, features[begin], out[begin])
        begin = end


def split_amplitude(kernel: Kernel) -> tuple[ScaleKernel | None, Kernel]:
    """A kernel as (amplitude, rest), so that the amplitude's gradient costs nothing; (None, kernel) if it has none."""
    if not isinstance(kernel, ScaleKernel) or kernel.batch_shape:
        return None, kernel
    inner = kernel.base_kernel
    dims, inner_dims = kernel.active_dims, inner.active_dims
    selects_more = isinstance(dims, Tensor) and not (isinstance(inner_dims, Tensor) and torch.equal(dims, inner_dims))
    return (None, kernel) if selects_more else (kernel, inner)


class DenseGram(PointStore):
    """Any kernel: the features are C itself, differentiated by autograd from there on."""

    fills_by_rows = False  # C is computed as a whole

    def __init__(self, kernel: Kernel) -> None:
        super().__init__()
        self.kernel = kernel

    def features(self) -> Tensor:
        return to_dense(self.kernel(self.X))

    def fill(self, features: Tensor, amplitude: float, out: np.ndarray, *, begin: int = 0) -> None:
        np.multiply(features.detach().numpy()[begin:], amplitude, out=out[begin:])

    def pullback(self, features: Tensor, inverse: np.ndarray, alpha: np.ndarray, scale: float) -> None:
        if not features.requires_grad:
            return
        G = np.outer(alpha, -alpha)
        G += inverse
        G *= 2 * scale  # a pair below the diagonal stands for two
        lower = torch.from_numpy(G).tril_()
        lower.diagonal().mul_(0.5)
        features.backward(lower)

    def tail(self, features: Tensor, begin: int) -> tuple[Tensor, np.ndarray]:
        return features, self._dense(self.X[begin:], self.X)

    def cross(self, Xq: Tensor, features: Tensor, out: np.ndarray, *, begin: int = 0) -> None:
        np.copyto(out, self._dense(Xq, self.X[begin : begin + out.shape[1]]))

    def diagonal(self, Xq: Tensor) -> np.ndarray:
        with torch.no_grad():
            return to_dense(self.kernel(Xq, diag=True)).numpy()

    def joint(self, Xq: Tensor) -> np.ndarray:
        return self._dense(Xq, Xq)

    def _dense(self, X1: Tensor, X2: Tensor) -> np.ndarray:
        with torch.no_grad():
            return to_dense(self.kernel(X1, X2)).numpy()
