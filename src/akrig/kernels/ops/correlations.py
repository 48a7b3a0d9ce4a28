"""The base kernels' correlations of all points seen so far: computed once per point, packed by rows, grown in place."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from gpytorch.kernels import Kernel, MaternKernel, RBFKernel
from linear_operator import to_dense
from torch import Tensor, nn

from akrig.kernels.fingerprint import Fingerprint, parameter_places
from akrig.kernels.ops.exponential import LOG2_E
from akrig.kernels.ops.fused import attentive
from akrig.kernels.ops.fused.matern import matern_rows

CACHE_BYTES = 1 << 30
BLOCK_BYTES = 1 << 26
MATERN_POLYNOMIALS = {0.5: (0.0, 0.0), 1.5: (1.0, 0.0), 2.5: (1.0, 1 / 3)}  # 1 + p1 t + p2 t^2, by nu

if TYPE_CHECKING:
    KernelList = Sequence[Kernel]
else:  # torch's is one in all but name
    KernelList = Sequence[Kernel] | nn.ModuleList


def is_plain_rbf(kernel: Kernel) -> bool:
    """RBF of all dimensions, with one lengthscale."""
    return type(kernel) is RBFKernel and _sees_all_alike(kernel)


def _sees_all_alike(kernel: Kernel) -> bool:
    return kernel.ard_num_dims is None and kernel.active_dims is None


def rbf_exponents(base_kernels: KernelList) -> np.ndarray | None:
    """c such that the kernel is 2^(c d^2), for each kernel; None unless all are plain RBF with one lengthscale."""
    if not all(map(is_plain_rbf, base_kernels)):
        return None
    lengthscales = torch.stack([k.lengthscale.detach().reshape(()) for k in base_kernels])
    return (-0.5 * LOG2_E / lengthscales.double().square()).numpy()


def matern_shapes(base_kernels: KernelList) -> np.ndarray | None:
    """(M, 3) as `fused.matern` wants them; None unless all are Matern of all dimensions, with one lengthscale."""
    shapes = []
    for kernel in base_kernels:
        if type(kernel) is not MaternKernel or not _sees_all_alike(kernel) or kernel.nu not in MATERN_POLYNOMIALS:
            return None
        shapes.append((np.sqrt(2 * kernel.nu) / kernel.lengthscale.item(), *MATERN_POLYNOMIALS[kernel.nu]))
    return np.array(shapes)


class PackedCorrelations:
    """Correlations under fixed base kernels, as `fused` wants them.

    Args:
        base_kernels: their parameters must not change (see `refresh`).
        cache_bytes: rows beyond this much memory are computed anew each time they are asked for.
    """

    def __init__(self, base_kernels: KernelList, *, cache_bytes: int = CACHE_BYTES) -> None:
        self.base_kernels = base_kernels
        self.cache_bytes = cache_bytes
        self.X: Tensor = torch.empty(0, 0, dtype=torch.float64)
        self.transposed_points = np.empty((0, 0))
        self._cache = np.empty(0)
        self._num_cached = 0
        places = [place for kernel in base_kernels for place in parameter_places(kernel)]
        self._parameters = Fingerprint(places)
        self._fingerprint = self._parameters()
        self._describe()

    def _describe(self) -> None:
        self.exponents, self.shapes = rbf_exponents(self.base_kernels), matern_shapes(self.base_kernels)

    @property
    def is_one_at_zero(self) -> bool:
        """Is every point's correlation with itself known to be one?"""
        return self.exponents is not None or self.shapes is not None

    def __len__(self) -> int:
        return len(self.X)

    def are_those_of(self, other: "PackedCorrelations") -> bool:
        """Of kernels of the same form and parameters, at the same points?"""
        forms, others = (
            (None if c.exponents is None else c.exponents.tobytes(), None if c.shapes is None else c.shapes.tobytes())
            for c in (self, other)
        )
        return self.is_one_at_zero and forms == others and torch.equal(self.X, other.X)

    def append(self, X: Tensor) -> None:
        """Take in points (n, d); their correlations are computed when first asked for."""
        self.X = torch.cat([self.X, X]) if len(self) else X.clone()
        self.transposed_points = np.ascontiguousarray(self.X.numpy().T)

    def refresh(self) -> None:
        """Forget everything computed if somebody changed a base kernel's parameters; then compute what is missing."""
        if not np.array_equal(self._fingerprint, current := self._parameters()):
            self._fingerprint, self._num_cached = current, 0
            self._describe()
        self._fill_cache()

    def blocks(self, begin: int = 0) -> Iterator[tuple[int, int, np.ndarray]]:
        """(first, end, packed rows first..end) from row `begin` on: the cache first, then computed on the way."""
        self._fill_cache()
        if begin < self._num_cached:
            yield begin, self._num_cached, self._cache[self._size(begin) :]
        begin = max(begin, self._num_cached)
        while begin < len(self):
            end = self._block_end(begin)
            yield begin, end, self._rows(begin, end, np.empty(self._size(end) - self._size(begin)))
            begin = end

    def cross(self, Xq: Tensor, begin: int, end: int) -> np.ndarray:
        """(M, q, n) correlations of query points with points begin..end."""
        X = self.X[begin:end]
        with torch.no_grad():
            return torch.stack([to_dense(kernel(Xq, X)) for kernel in self.base_kernels]).numpy()

    def _size(self, num_rows: int) -> int:
        return len(self.base_kernels) * num_rows * (num_rows + 1) // 2

    def _block_end(self, begin: int) -> int:
        rows = max(1, BLOCK_BYTES // (8 * len(self.base_kernels) * max(len(self), 1)))
        return min(len(self), begin + rows)

    def _fill_cache(self) -> None:
        affordable = int(np.sqrt(self.cache_bytes / (4 * len(self.base_kernels))))
        target = min(len(self), affordable)
        if target <= self._num_cached:
            return
        if self._size(target) > self._cache.size:
            grown = np.empty(min(self._size(affordable), 2 * self._size(target)))
            used = self._size(self._num_cached)
            grown[:used] = self._cache[:used]
            self._cache = grown
        while self._num_cached < target:
            end = min(target, self._block_end(self._num_cached))
            self._rows(self._num_cached, end, self._cache[self._size(self._num_cached) :])
            self._num_cached = end

    def _rows(self, begin: int, end: int, packed: np.ndarray) -> np.ndarray:
        if self.exponents is not None:
            attentive.rbf_rows(self.transposed_points, begin, end, self.exponents, packed)
            return packed
        if self.shapes is not None:
            matern_rows(self.transposed_points, begin, end, self.shapes, packed)
            return packed
        at = 0
        with torch.no_grad():  # one by one: bits must not depend on how many rows came together
            for i in range(begin, end):
                row = torch.cat([to_dense(k(self.X[i : i + 1], self.X[: i + 1]))[0] for k in self.base_kernels])
                packed[at : at + row.numel()] = row.numpy()
                at += row.numel()
        return packed
