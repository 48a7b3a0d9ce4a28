"""The attentive kernel's gram: cached base correlations, re-weighted and differentiated in fused loops.

The base kernels are fixed, so their correlations never change while training: each step only re-weights them,
C_ij = (sum_p z_ip z_jp) * sum_m w_im w_jm K_mij. The features are W and Z, or W alone if they are the same.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import torch
from linear_operator import to_dense
from torch import Tensor, nn

from akrig.kernels.network import Network
from akrig.kernels.ops.correlations import PackedCorrelations
from akrig.kernels.ops.fused import attentive
from akrig.kernels.ops.fused.grid import axis_table, grid_cross, shared_coordinates
from akrig.kernels.ops.fused.matern import matern_cross
from akrig.kernels.ops.reweigh import fill_gram, pull_back
from akrig.kernels.ops.scratch import GrowingSquare
from akrig.kernels.unit_rows import UnitRows, unit_rows
from akrig.threads import by_cores, side_by_side

if TYPE_CHECKING:
    from akrig.kernels.attentive import AttentiveKernel
    from akrig.kernels.gram import Gram

Features = tuple[UnitRows, ...]


class AttentiveGram:
    def __init__(self, kernel: "AttentiveKernel", **cache_options: int) -> None:
        self.kernel = kernel
        self.correlations = PackedCorrelations(kernel.base_kernels, **cache_options)
        self._num = 0
        self._weighted = GrowingSquare()  # S of the latest `fill`, for the `pullback` that follows

    @property
    def fills_by_rows(self) -> bool:
        """Not with networks that may answer otherwise while they are trained (dropout, ...)."""
        return all(
            isinstance(network, Network) and network.softmax_layers() is not None for network in self._networks()
        )

    def __len__(self) -> int:
        return self._num

    def share(self, other: "Gram") -> None:
        """From now on use one set of correlations with a gram of the same base kernels and the same points.

        What is computed for one is there for the other. Each must go on to take in the same points, in turn.
        """
        if isinstance(other, AttentiveGram) and self.correlations.are_those_of(other.correlations):
            self.correlations = other.correlations

    def shares_with(self, other: "Gram") -> bool:
        """Are base correlations at query points the same, too, and worth computing for both at once?"""
        return (
            isinstance(other, AttentiveGram)
            and self.correlations is other.correlations
            and self.correlations.shapes is not None
            and self._dims == other._dims
        )

    def append(self, X: Tensor) -> None:
        X = self._select(X)
        if not len(self):
            with torch.no_grad():
                self.kernel.check_num_weights(len(self._features_at(X[:1])[0].transposed))
        if len(self.correlations) == self._num:  # or one that shares them has taken these points in already
            self.correlations.append(X)
        self._num += len(X)

    def refresh(self) -> None:
        self.correlations.refresh()

    def features(self) -> Features:
        return self._features_at(self.correlations.X)

    def fill(self, features: Features, amplitude: float, out: np.ndarray, *, begin: int = 0) -> None:
        weighted = self._weighted.at_least(len(self))
        fill_gram(self.correlations, _arrays(features), amplitude=amplitude, out=out, weighted=weighted, begin=begin)

    def pullback(self, features: Features, inverse: np.ndarray, alpha: np.ndarray, scale: float) -> None:
        slopes = pull_back(
            self.correlations,
            _arrays(features),
            inverse=inverse,
            alpha=alpha,
            scale=scale,
            weighted=self._weighted.at_least(len(self)),
        )
        for rows, slope in zip(features, slopes, strict=True):
            rows.backward(slope)

    def tail(self, features: Features, begin: int) -> tuple[Features, np.ndarray]:
        X = self.correlations.X
        with torch.no_grad():
            fresh = self._features_at(X[begin:])
        grown = tuple(old.followed_by(new) for old, new in zip(features, fresh, strict=True))
        rows = np.empty((len(X) - begin, len(X)))
        self._cross(X[begin:], fresh, grown, rows)
        return grown, rows

    def cross(self, Xq: Tensor, features: Features, out: np.ndarray, *, begin: int = 0) -> None:
        Xq, end = self._select(Xq), begin + out.shape[1]
        if (begin, end) != (0, len(self)):
            features = tuple(rows.between(begin, end) for rows in features)
        with torch.no_grad():
            self._cross(Xq, self._features_at(Xq), features, out, begin)

    def cross_together(
        self, others: "Sequence[Gram]", Xq: Tensor, features: Sequence[Features], out: np.ndarray
    ) -> None:
        Xq, shapes = self._select(Xq), self.correlations.shapes
        assert shapes is not None, "only grams that share are asked together"
        with torch.no_grad():
            queries = [gram._features_at(Xq) for gram in (self, *others) if isinstance(gram, AttentiveGram)]
        acts = [
            partial(np.matmul, each[-1].transposed.T, known[-1].transposed, out=rows)
            for each, known, rows in zip(queries, features, out, strict=True)
        ]
        side_by_side(acts, num_rows=len(self))
        WqT, WT = (np.stack([each[0].transposed for each in rows]) for rows in (queries, features))
        _multiply_by_matern(Xq, WqT, self.correlations.transposed_points, WT, shapes, out)

    def diagonal(self, Xq: Tensor) -> np.ndarray:
        if self.correlations.is_one_at_zero:
            return np.ones(len(Xq))  # and so are the unit rows of W and Z
        with torch.no_grad():
            return to_dense(self.kernel(Xq, diag=True)).numpy()

    def joint(self, Xq: Tensor) -> np.ndarray:
        gram = AttentiveGram(self.kernel, cache_bytes=0)
        gram.append(Xq)
        out = np.empty((len(Xq), len(Xq)))
        with torch.no_grad():
            features = gram.features()
        gram._cross(gram.correlations.X, features, features, out)
        return out

    def _cross(self, Xq: Tensor, query_features: Features, features: Features, out: np.ndarray, begin: int = 0) -> None:
        """`features` are of points begin.., as many as `out` has columns."""
        (WqT, ZqT), (WT, ZT) = ((each[0].transposed, each[-1].transposed) for each in (query_features, features))
        correlations, end = self.correlations, begin + out.shape[1]
        points = np.ascontiguousarray(correlations.transposed_points[:, begin:end])
        exponents = correlations.exponents
        np.matmul(ZqT.T, ZT, out=out)
        if correlations.shapes is not None:
            _multiply_by_matern(Xq, WqT[None], points, WT[None], correlations.shapes, out[None])
        elif exponents is None:
            out *= np.einsum("mq,mqn,mn->qn", WqT, correlations.cross(Xq, begin, end), WT)
        elif (shared := shared_coordinates(Xq.numpy())) is not None:
            (x, y), indices = shared
            first = axis_table(x, points[0], exponents, WT)
            second = axis_table(y, points[1], exponents, np.ones_like(WT))
            grid_cross(WqT, first, indices[0], second, indices[1], out)
        else:
            attentive.rbf_cross(Xq.numpy(), WqT, points, WT, exponents, out)

    def _features_at(self, X: Tensor) -> Features:
        return tuple(unit_rows(network, X) for network in self._networks())

    def _networks(self) -> tuple[nn.Module, ...]:
        attention, membership = self.kernel.attention, self.kernel.membership
        return (attention,) if membership is None else (attention, membership)

    @property
    def _dims(self) -> list[int] | None:
        dims = self.kernel.active_dims
        return dims.tolist() if isinstance(dims, Tensor) else None

    def _select(self, X: Tensor) -> Tensor:
        dims = self.kernel.active_dims
        if not isinstance(dims, Tensor):
            return X
        if int(dims.max()) >= X.shape[-1]:
            raise ValueError(f"active_dims {dims.tolist()} need points of more dimensions; got {X.shape[-1]}.")
        return X.index_select(-1, dims)


def _multiply_by_matern(
    Xq: Tensor, WqT: np.ndarray, XT: np.ndarray, WT: np.ndarray, shapes: np.ndarray, out: np.ndarray
) -> None:
    """See `matern_cross`; a part of the queries by each core."""
    by_cores(partial(matern_cross, Xq.numpy(), WqT, XT, WT, shapes, out), len(Xq), work=out.size)


def _arrays(features: Features) -> list[np.ndarray]:
    return [rows.transposed for rows in features]
