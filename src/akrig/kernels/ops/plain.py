"""Definition 1 in plain torch: any device, any dtype, any batch shape, differentiable in everything."""

from collections.abc import Iterable

import torch
from torch import Tensor


def attentive_cross(W1: Tensor, Z1: Tensor, W2: Tensor, Z2: Tensor, correlations: Iterable[Tensor]) -> Tensor:
    r"""$(\bar z^\top \bar z') \sum_m \bar w_m k_m \bar w'_m$ for all pairs.

    Args:
        W1, W2: normalised weights, (*batch, n, M) and (*batch, n', M).
        Z1, Z2: normalised memberships, (*batch, n, P) and (*batch, n', P).
        correlations: the M base kernel matrices, (*batch, n, n') each; an iterator keeps only one at a time.
    """
    weighted = sum(W1[..., m].unsqueeze(-1) * K_m * W2[..., m].unsqueeze(-2) for m, K_m in enumerate(correlations))
    return (Z1 @ Z2.transpose(-1, -2)) * weighted


def attentive_pairs(W1: Tensor, Z1: Tensor, W2: Tensor, Z2: Tensor, correlations: Iterable[Tensor]) -> Tensor:
    """The same for the i-th point of one set with the i-th of the other; `correlations` are (*batch, n)."""
    weighted = sum(W1[..., m] * k_m * W2[..., m] for m, k_m in enumerate(correlations))
    return (Z1 * Z2).sum(-1) * weighted


def normalized(weights: Tensor) -> Tensor:
    """Unit Euclidean length, so that the kernel is one at x = x' and the amplitude alone scales it."""
    return weights / torch.linalg.vector_norm(weights, dim=-1, keepdim=True)
