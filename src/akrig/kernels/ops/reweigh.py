"""Cached correlations and current features -> the attentive gram and its gradient.

The features are the rows of unit length that the networks give: (W,) if Z is W, else (W, Z).
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from akrig.kernels.ops import fused
from akrig.kernels.ops.correlations import PackedCorrelations


def transposed(feature: Tensor) -> np.ndarray:
    return np.ascontiguousarray(feature.detach().numpy().T)


def fill_gram(
    correlations: PackedCorrelations,
    features: Sequence[Tensor],
    *,
    amplitude: float,
    out: np.ndarray,
    weighted: np.ndarray,
) -> None:
    """amplitude * C into the lower triangle of `out`; `weighted` keeps what `pull_back` will need."""
    WT, ZT = transposed(features[0]), transposed(features[-1])
    for begin, end, packed in correlations.blocks():
        fused.gram_rows(packed, begin, end, WT, ZT, amplitude, out, weighted)


def pull_back(
    correlations: PackedCorrelations,
    features: Sequence[Tensor],
    *,
    inverse: np.ndarray,
    alpha: np.ndarray,
    scale: float,
    weighted: np.ndarray,
) -> tuple[Tensor, ...]:
    """Gradient of <G, C> in the features, for the symmetric G = scale * (inverse - alpha alpha^T)."""
    WT = transposed(features[0])
    gradients = [np.zeros((feature.shape[1], feature.shape[0])) for feature in features]
    twice = 2 * scale  # a pair below the diagonal stands for two entries of G
    if len(features) == 1:
        for begin, end, packed in correlations.blocks():
            fused.pullback_shared_rows(packed, begin, end, WT, inverse, alpha, twice, weighted, *gradients)
    else:
        ZT = transposed(features[1])
        for begin, end, packed in correlations.blocks():
            fused.pullback_rows(packed, begin, end, WT, ZT, inverse, alpha, twice, weighted, *gradients)
    return tuple(torch.from_numpy(gradient.T) for gradient in gradients)
