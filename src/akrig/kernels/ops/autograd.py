"""The fused attentive gram as an autograd function: what a GPyTorch or BoTorch model gets when it trains."""

import numpy as np
import torch
from torch import Tensor

from akrig.kernels.ops.correlations import KernelList, PackedCorrelations
from akrig.kernels.ops.fused import attentive
from akrig.kernels.ops.reweigh import fill_gram, pull_back


def attentive_gram(features: tuple[Tensor, ...], base_kernels: KernelList, X: Tensor) -> Tensor:
    """C among points X (n, d), differentiable in the features: (W,) if Z is W, else (W, Z)."""
    correlations = PackedCorrelations(base_kernels)
    correlations.append(X)
    return _AttentiveGram.apply(correlations, *features)  # pyright: ignore[reportReturnType]


class _AttentiveGram(torch.autograd.Function):
    @staticmethod
    def forward(ctx, correlations: PackedCorrelations, *features: Tensor) -> Tensor:
        C, weighted = np.empty((2, len(correlations), len(correlations)))
        ctx.features = [np.ascontiguousarray(feature.detach().numpy().T) for feature in features]
        fill_gram(correlations, ctx.features, amplitude=1.0, out=C, weighted=weighted)
        ctx.correlations, ctx.weighted = correlations, weighted
        attentive.mirror(C)
        return torch.from_numpy(C)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad: Tensor):  # pyright: ignore[reportIncompatibleMethodOverride]
        G = grad.numpy()
        slopes = pull_back(
            ctx.correlations,
            ctx.features,
            inverse=G + G.T,
            alpha=np.zeros(len(G)),
            scale=0.5,
            weighted=ctx.weighted,
        )
        return None, *(torch.from_numpy(slope.T) for slope in slopes)
