"""The gram of an RBF kernel, over points as they are or over learnt features of them."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from gpytorch.kernels import Kernel
from torch import Tensor, nn

from akrig.kernels.ops.exponential import LOG2_E
from akrig.kernels.ops.fused.rbf import rbf_cross_features, rbf_gram, rbf_pullback
from akrig.kernels.ops.scratch import GrowingSquare
from akrig.kernels.point_store import PointStore


@dataclass(frozen=True)
class RBFFeatures:
    """Of all points (n, D), and the lengthscale; both differentiated by autograd from there on."""

    points: Tensor
    lengthscale: Tensor

    @property
    def transposed(self) -> np.ndarray:
        return np.ascontiguousarray(self.points.detach().numpy().T)

    @property
    def is_finite(self) -> bool:
        return math.isfinite(self.exponent) and bool(torch.isfinite(self.points).all())

    @property
    def exponent(self) -> float:
        """c such that the kernel is 2^(c d^2); NaN if the lengthscale is zero."""
        squared = self.lengthscale.item() ** 2
        return -0.5 * LOG2_E / squared if squared else math.nan


class RBFGram(PointStore):
    """Args:
    kernel: plain RBF.
    network: maps points to features; `None` leaves them as they are.
    """

    def __init__(self, kernel: Kernel, network: nn.Module | None = None) -> None:
        super().__init__()
        self.kernel, self.network = kernel, network
        self._kept = GrowingSquare()  # C of the latest `fill`, for the `pullback` that follows

    @property
    def fills_by_rows(self) -> bool:
        """Networks may answer otherwise while they are trained."""
        return self.network is None

    def features(self) -> RBFFeatures:
        return RBFFeatures(self._features_at(self.X), self.kernel.lengthscale.reshape(()))

    def fill(self, features: RBFFeatures, amplitude: float, out: np.ndarray, *, begin: int = 0) -> None:
        if not features.is_finite:
            out[begin:] = math.nan  # which inference refuses; fused loops would make a very small number of it
            return
        rbf_gram(features.transposed, features.exponent, amplitude, begin, out, self._kept.at_least(len(self)))

    def pullback(self, features: RBFFeatures, inverse: np.ndarray, alpha: np.ndarray, scale: float) -> None:
        points, lengthscale = features.points, features.lengthscale
        PT = features.transposed
        slopesT = np.empty(PT.shape if points.requires_grad else (0, 0))
        kept = self._kept.at_least(len(self))
        slope = rbf_pullback(PT, lengthscale.item(), kept, inverse, alpha, scale, points.requires_grad, slopesT)
        pairs = [(points, torch.from_numpy(slopesT.T)), (lengthscale, torch.full_like(lengthscale, slope))]
        trained = [pair for pair in pairs if pair[0].requires_grad]
        if trained:
            torch.autograd.backward([root for root, _ in trained], [slope for _, slope in trained])

    def tail(self, features: RBFFeatures, begin: int) -> tuple[RBFFeatures, np.ndarray]:
        with torch.no_grad():
            fresh = self._features_at(self.X[begin:])
        grown = RBFFeatures(torch.cat([features.points.detach()[:begin], fresh]), features.lengthscale.detach())
        rows = np.empty((len(self) - begin, len(self)))
        rbf_cross_features(fresh.numpy(), grown.transposed, grown.exponent, rows)
        return grown, rows

    def cross(self, Xq: Tensor, features: RBFFeatures, out: np.ndarray, *, begin: int = 0) -> None:
        with torch.no_grad():
            queries = np.ascontiguousarray(self._features_at(Xq).numpy())
        PT = np.ascontiguousarray(features.transposed[:, begin : begin + out.shape[1]])
        rbf_cross_features(queries, PT, features.exponent, out)

    def diagonal(self, Xq: Tensor) -> np.ndarray:
        return np.ones(len(Xq))

    def joint(self, Xq: Tensor) -> np.ndarray:
        gram = RBFGram(self.kernel, self.network)
        gram.append(Xq)
        out = np.empty((len(Xq), len(Xq)))
        with torch.no_grad():
            gram.cross(Xq, gram.features(), out)
        return out

    def _features_at(self, X: Tensor) -> Tensor:
        return X if self.network is None else self.network(X)
