"""The Gibbs kernel's gram: one lengthscale per point, covariances and their gradient in fused loops."""

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from akrig.kernels.network import Network
from akrig.kernels.ops.fused.gibbs import gibbs_cross, gibbs_gram, gibbs_pullback
from akrig.kernels.ops.scratch import GrowingSquare
from akrig.kernels.point_store import PointStore

if TYPE_CHECKING:
    from akrig.kernels.gibbs import GibbsKernel


class GibbsGram(PointStore):
    """The features are the lengthscales at all points, (n,), differentiated by autograd from there on."""

    def __init__(self, kernel: "GibbsKernel") -> None:
        super().__init__()
        self.kernel = kernel
        self._points = np.empty((0, 0))  # transposed
        self._kept = GrowingSquare()  # C of the latest `fill`, for the `pullback` that follows

    @property
    def fills_by_rows(self) -> bool:
        """Not with networks that may answer otherwise while they are trained (dropout, ...)."""
        return type(self.kernel.lengthscale_network) is Network

    def append(self, X: Tensor) -> None:
        if not len(self):
            with torch.no_grad():
                self._lengthscales(X[:1])  # refuses points of other dimensions
        super().append(X)
        self._points = np.ascontiguousarray(self.X.numpy().T)

    def features(self) -> Tensor:
        return self._lengthscales(self.X)

    def fill(self, features: Tensor, amplitude: float, out: np.ndarray, *, begin: int = 0) -> None:
        gibbs_gram(self._points, _array(features), amplitude, begin, out, self._kept.at_least(len(self)))

    def pullback(self, features: Tensor, inverse: np.ndarray, alpha: np.ndarray, scale: float) -> None:
        if not features.requires_grad:
            return
        slopes, kept = np.empty(len(self)), self._kept.at_least(len(self))
        gibbs_pullback(self._points, _array(features), kept, inverse, alpha, scale, slopes)
        features.backward(torch.from_numpy(slopes))

    def tail(self, features: Tensor, begin: int) -> tuple[Tensor, np.ndarray]:
        with torch.no_grad():
            grown = torch.cat([features.detach(), self._lengthscales(self.X[begin:])])
        rows = np.empty((len(self) - begin, len(self)))
        self.cross(self.X[begin:], grown, rows)
        return grown, rows

    def cross(self, Xq: Tensor, features: Tensor, out: np.ndarray, *, begin: int = 0) -> None:
        end = begin + out.shape[1]
        points = np.ascontiguousarray(self._points[:, begin:end])
        with torch.no_grad():
            lengthscales = _array(self._lengthscales(Xq))
        gibbs_cross(np.ascontiguousarray(Xq.numpy()), lengthscales, points, _array(features)[begin:end], out)

    def diagonal(self, Xq: Tensor) -> np.ndarray:
        return np.ones(len(Xq))

    def joint(self, Xq: Tensor) -> np.ndarray:
        gram = GibbsGram(self.kernel)
        gram.append(Xq)
        out = np.empty((len(Xq), len(Xq)))
        with torch.no_grad():
            gram.cross(Xq, gram.features(), out)
        return out

    def _lengthscales(self, X: Tensor) -> Tensor:
        return self.kernel.lengthscale_at(X)[..., 0]


def _array(lengthscales: Tensor) -> np.ndarray:
    return np.ascontiguousarray(lengthscales.detach().numpy())
