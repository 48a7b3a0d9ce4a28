"""A fused gram beside the dense one, which goes by the formula and by autograd: the same numbers are wanted."""

import numpy as np
import torch
from gpytorch.kernels import Kernel

from akrig.kernels.gram import DenseGram, Gram


def filled(*grams: Gram, num: int, dim: int, generator: torch.Generator) -> torch.Tensor:
    """The points that all of them have now, given in two portions."""
    X = torch.rand(num, dim, dtype=torch.float64, generator=generator) * 2 - 1
    for gram in grams:
        gram.append(X[: num // 3])
        gram.append(X[num // 3 :])
    return X


def lower(gram: Gram, features, **options) -> np.ndarray:
    out = np.zeros((len(gram), len(gram)))
    gram.fill(features, 1.7, out, **options)
    return np.tril(out)


def check_crosses(fused: Gram, dense: DenseGram, Xq: torch.Tensor, *, atol: float) -> None:
    """Covariances with other points, with all or some readings, and among themselves."""
    for begin, end in ((0, len(fused)), (7, 19)):
        ours, theirs = np.empty((2, len(Xq), end - begin))
        fused.cross(Xq, fused.features(), ours, begin=begin)
        dense.cross(Xq, dense.features(), theirs, begin=begin)
        assert np.allclose(ours, theirs, atol=atol)
    assert np.allclose(fused.joint(Xq), dense.joint(Xq), atol=atol)
    assert np.allclose(fused.diagonal(Xq), dense.diagonal(Xq))


def check_gradients(kernel: Kernel, fused: Gram, dense: DenseGram, rng: np.random.Generator, *, rtol: float) -> None:
    n = len(fused)
    root, alpha = rng.normal(size=(n, n)), rng.normal(size=n)
    gradients = []
    for gram in (fused, dense):
        kernel.zero_grad()
        features = gram.features()
        lower(gram, features)
        gram.pullback(features, np.tril(root @ root.T), alpha, 0.3)
        gradients.append([p.grad.clone() for p in kernel.parameters() if p.grad is not None])
    assert gradients[0]
    for ours, theirs in zip(*gradients, strict=True):
        assert torch.allclose(ours, theirs, rtol=rtol, atol=1e-2 * rtol)
