"""Cached correlations and current features -> the attentive gram and its gradient.

The features are the networks' outputs at unit length, transposed: [W^T] if Z is W, else [W^T, Z^T].
"""

from collections.abc import Sequence

import numpy as np

from akrig.kernels.ops.correlations import PackedCorrelations
from akrig.kernels.ops.fused import attentive


def fill_gram(
    correlations: PackedCorrelations,
    features: Sequence[np.ndarray],
    *,
    amplitude: float,
    out: np.ndarray,
    weighted: np.ndarray,
    begin: int = 0,
) -> None:
    """amplitude * C into the lower triangle of `out`, rows `begin` on; `weighted` keeps what `pull_back` will need."""
    for first, end, packed in correlations.blocks(begin):
        attentive.gram_rows(packed, first, end, features[0], features[-1], amplitude, out, weighted)


def pull_back(
    correlations: PackedCorrelations,
    features: Sequence[np.ndarray],
    *,
    inverse: np.ndarray,
    alpha: np.ndarray,
    scale: float,
    weighted: np.ndarray,
) -> list[np.ndarray]:
    """Gradient of <G, C> in the features, for the symmetric G = scale * (inverse - alpha alpha^T)."""
    slopes = [np.zeros_like(feature) for feature in features]
    pull = attentive.pullback_shared_rows if len(features) == 1 else attentive.pullback_rows
    twice = 2 * scale  # a pair below the diagonal stands for two entries of G
    for begin, end, packed in correlations.blocks():
        pull(packed, begin, end, *features, inverse, alpha, twice, weighted, *slopes)  # pyright: ignore[reportCallIssue]
    return slopes
