"""The fused loops as autograd functions."""

from collections.abc import Sequence

import numpy as np
import torch
from gpytorch.kernels import Kernel
from torch import Tensor, nn

from akrig.kernels.ops import fused, fused_network
from akrig.kernels.ops.correlations import PackedCorrelations
from akrig.kernels.ops.reweigh import fill_gram, pull_back


def attentive_gram(features: tuple[Tensor, ...], base_kernels: Sequence[Kernel], X: Tensor) -> Tensor:
    """C among points X (n, d), differentiable in the features: (W,) if Z is W, else (W, Z)."""
    correlations = PackedCorrelations(base_kernels)
    correlations.append(X)
    return _AttentiveGram.apply(correlations, *features)  # pyright: ignore[reportReturnType]


def unit_softmax_network(X: Tensor, layers: Sequence[nn.Linear]) -> Tensor:
    """A two-layer tanh network's softmax at X (n, d), rows at unit length; differentiable in the layers' parameters."""
    parameters = [p for layer in layers for p in (layer.weight, layer.bias)]
    return _UnitSoftmaxNetwork.apply(X, *parameters)  # pyright: ignore[reportReturnType]


class _AttentiveGram(torch.autograd.Function):
    @staticmethod
    def forward(ctx, correlations: PackedCorrelations, *features: Tensor) -> Tensor:
        C, weighted = np.empty((2, len(correlations), len(correlations)))
        fill_gram(correlations, features, amplitude=1.0, out=C, weighted=weighted)
        ctx.correlations, ctx.weighted = correlations, weighted
        ctx.save_for_backward(*features)
        fused.mirror(C)
        return torch.from_numpy(C)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad: Tensor):  # pyright: ignore[reportIncompatibleMethodOverride]
        G = grad.numpy()
        gradients = pull_back(
            ctx.correlations,
            ctx.saved_tensors,
            inverse=G + G.T,
            alpha=np.zeros(len(G)),
            scale=0.5,
            weighted=ctx.weighted,
        )
        return None, *gradients


class _UnitSoftmaxNetwork(torch.autograd.Function):
    @staticmethod
    def forward(ctx, X: Tensor, *parameters: Tensor) -> Tensor:
        arrays = [p.detach().numpy() for p in parameters]
        XT = np.ascontiguousarray(X.numpy().T)
        hidden1, hidden2, unit = (np.empty((len(bias), len(X))) for bias in arrays[1::2])
        fused_network.forward(XT, *arrays, hidden1, hidden2, unit)  # pyright: ignore[reportCallIssue]
        ctx.arrays = XT, arrays, hidden1, hidden2, unit
        return torch.from_numpy(unit.T)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad: Tensor):  # pyright: ignore[reportIncompatibleMethodOverride]
        XT, arrays, hidden1, hidden2, unit = ctx.arrays
        upstream = np.ascontiguousarray(grad.numpy().T)
        gradients = [np.empty_like(array) for array in arrays]
        pairs = tuple(zip(gradients[::2], gradients[1::2], strict=True))
        fused_network.backward(XT, arrays[2], arrays[4], hidden1, hidden2, unit, upstream, pairs)
        return None, *(torch.from_numpy(gradient) for gradient in gradients)
