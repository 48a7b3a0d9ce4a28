"""A network's outputs at unit length, as the fused loops want them: transposed, with a way back to its parameters."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from akrig.kernels.network import Network
from akrig.kernels.ops.fused import network
from akrig.kernels.ops.plain import normalized


@dataclass(frozen=True)
class UnitRows:
    """Args:
    transposed: the rows, (M, n).
    backward: adds the gradient of the network's parameters to their own, given that of `transposed`.
    """

    transposed: np.ndarray
    backward: Callable[[np.ndarray], None]

    def followed_by(self, other: "UnitRows") -> "UnitRows":
        """For prediction only: rows from two evaluations have no common way back."""
        return UnitRows(np.concatenate([self.transposed, other.transposed], axis=1), _no_way_back)

    def between(self, begin: int, end: int) -> "UnitRows":
        """Some of them, for prediction only."""
        return UnitRows(np.ascontiguousarray(self.transposed[:, begin:end]), _no_way_back)


def _no_way_back(_slope: np.ndarray) -> None:
    raise AssertionError("These rows were put together for prediction.")


def unit_rows(network: nn.Module, X: Tensor) -> UnitRows:
    """In fused loops if the network is of the usual kind, by autograd otherwise."""
    if isinstance(network, Network) and (layers := network.softmax_layers()) is not None:
        return _fused(layers, X)
    rows = normalized(network(X))

    def backward(slope: np.ndarray) -> None:
        if rows.requires_grad:
            rows.backward(torch.from_numpy(slope.T))

    return UnitRows(np.ascontiguousarray(rows.detach().numpy().T), backward)


def _fused(layers: list[nn.Linear], X: Tensor) -> UnitRows:
    if X.shape[1] != layers[0].in_features:
        raise ValueError(f"The network takes points of {layers[0].in_features} dimensions; got {X.shape[1]}.")
    parameters = [p for layer in layers for p in (layer.weight, layer.bias)]
    arrays = [p.detach().numpy() for p in parameters]
    XT = np.ascontiguousarray(X.numpy().T)
    hidden1, hidden2, unit = (np.empty((bias.size, len(X))) for bias in arrays[1::2])
    network.forward(XT, *arrays, hidden1, hidden2, unit)  # pyright: ignore[reportCallIssue]

    def backward(slope: np.ndarray) -> None:
        slopes = [np.empty_like(array) for array in arrays]
        network.backward(XT, arrays[2], arrays[4], hidden1, hidden2, unit, slope, *slopes)
        for parameter, gradient in zip(parameters, slopes, strict=True):
            if parameter.requires_grad:
                _accumulate(parameter, torch.from_numpy(gradient))

    return UnitRows(unit, backward)


def _accumulate(parameter: Tensor, gradient: Tensor) -> None:
    parameter.grad = gradient if parameter.grad is None else parameter.grad + gradient
