"""The attentive kernel's gram: cached base correlations, re-weighted and differentiated in fused loops.

The base kernels are fixed, so their correlations never change while training: each step only re-weights them,
C_ij = (sum_p z_ip z_jp) * sum_m w_im w_jm K_mij. The features are W and Z, (n, M) and (n, P).
"""

from typing import TYPE_CHECKING

import numpy as np
import torch
from linear_operator import to_dense
from torch import Tensor, nn

from akrig.kernels.gram import Features
from akrig.kernels.network import Network
from akrig.kernels.ops import fused, plain
from akrig.kernels.ops.autograd import unit_softmax_network
from akrig.kernels.ops.correlations import PackedCorrelations
from akrig.kernels.ops.reweigh import fill_gram, pull_back, transposed

if TYPE_CHECKING:
    from akrig.kernels.attentive import AttentiveKernel


def unit_rows(network: nn.Module, X: Tensor) -> Tensor:
    """The network's outputs at unit length: in fused loops if it is of the usual kind, by autograd otherwise."""
    if isinstance(network, Network) and network.ends_in_softmax:
        return unit_softmax_network(X, network.linear_layers)
    return plain.normalized(network(X))


class AttentiveGram:
    def __init__(self, kernel: "AttentiveKernel", **cache_options: int) -> None:
        self.kernel = kernel
        self.correlations = PackedCorrelations(kernel.base_kernels, **cache_options)
        self._weighted = np.empty(0)  # S of the latest `fill`, for the `pullback` that follows

    def __len__(self) -> int:
        return len(self.correlations)

    def append(self, X: Tensor) -> None:
        self.correlations.append(self._select(X))

    def refresh(self) -> None:
        self.correlations.refresh()

    def features(self) -> Features:
        return self._features_at(self.correlations.X)

    def fill(self, features: Features, amplitude: float, out: np.ndarray) -> None:
        fill_gram(self.correlations, features, amplitude=amplitude, out=out, weighted=self._scratch())

    def pullback(self, features: Features, inverse: np.ndarray, alpha: np.ndarray, scale: float) -> Features:
        return pull_back(
            self.correlations,
            features,
            inverse=inverse,
            alpha=alpha,
            scale=scale,
            weighted=self._scratch(),
        )

    def tail(self, features: Features, begin: int) -> tuple[Features, np.ndarray]:
        X = self.correlations.X
        with torch.no_grad():
            fresh = self._features_at(X[begin:])
        grown = tuple(torch.cat(pair) for pair in zip(features, fresh, strict=True))
        return grown, self._cross(X[begin:], fresh, grown)

    def cross(self, Xq: Tensor, features: Features) -> np.ndarray:
        Xq = self._select(Xq)
        with torch.no_grad():
            return self._cross(Xq, self._features_at(Xq), features)

    def diagonal(self, Xq: Tensor) -> np.ndarray:
        if self.correlations.exponents is not None:
            return np.ones(len(Xq))  # RBF is one there, and so are the unit rows of W and Z
        with torch.no_grad():
            return to_dense(self.kernel(Xq, diag=True)).numpy()

    def joint(self, Xq: Tensor) -> np.ndarray:
        gram = AttentiveGram(self.kernel, cache_bytes=0)
        gram.append(Xq)
        with torch.no_grad():
            return gram._cross(gram.correlations.X, features := gram.features(), features)

    def _cross(self, Xq: Tensor, query_features: Features, features: Features) -> np.ndarray:
        Wq, Zq = query_features[0].numpy(), query_features[-1].numpy()
        WT, ZT = transposed(features[0]), transposed(features[-1])
        correlations = self.correlations
        if correlations.exponents is None:
            weighted = np.einsum("qm,mqn,mn->qn", Wq, correlations.cross(Xq), WT)
            weighted *= Zq @ ZT
            return weighted
        XT, out = np.ascontiguousarray(correlations.X.numpy().T), np.empty((len(Xq), len(self)))
        fused.rbf_cross(Xq.numpy(), Wq, Zq, XT, WT, ZT, correlations.exponents, out)
        return out

    def _features_at(self, X: Tensor) -> Features:
        attention, membership = self.kernel.attention, self.kernel.membership
        networks = (attention,) if membership is None else (attention, membership)
        return tuple(unit_rows(network, X) for network in networks)

    def _select(self, X: Tensor) -> Tensor:
        dims = self.kernel.active_dims
        return X.index_select(-1, dims) if isinstance(dims, Tensor) else X

    def _scratch(self) -> np.ndarray:
        n = len(self)
        if self._weighted.size < n * n:
            self._weighted = np.empty(max(n * n, 2 * self._weighted.size))
        return self._weighted[: n * n].reshape(n, n)
