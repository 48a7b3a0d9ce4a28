"""Small networks that map points to weights, memberships, lengthscales or features."""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn


def _linear(num_inputs: int, num_outputs: int, generator: torch.Generator | None) -> nn.Linear:
    layer = nn.utils.skip_init(nn.Linear, num_inputs, num_outputs)  # leaves the global generator alone
    assert isinstance(layer, nn.Linear)
    bound = 1 / math.sqrt(num_inputs)
    nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
    nn.init.uniform_(layer.bias, -bound, bound, generator=generator)
    return layer


class Network(nn.Module):
    """Two hidden layers with tanh, then `output`.

    Args:
        num_inputs: dimensions of a point.
        num_outputs: what comes out.
        hidden: units in each hidden layer.
        output: the last layer's activation, such as `nn.Softmax(dim=-1)`; `None` leaves it linear.
        generator: where the initial weights come from; `None` uses torch's global generator.
    """

    def __init__(
        self,
        num_inputs: int,
        num_outputs: int,
        *,
        hidden: int = 10,
        output: nn.Module | None = None,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if min(num_inputs, num_outputs, hidden) < 1:
            raise ValueError(
                f"Network needs at least one input, output and hidden unit; got {num_inputs}, {num_outputs}, {hidden}."
            )
        layers = [
            _linear(num_inputs, hidden, generator),
            nn.Tanh(),
            _linear(hidden, hidden, generator),
            nn.Tanh(),
            _linear(hidden, num_outputs, generator),
        ]
        self.layers = nn.Sequential(*layers, *([] if output is None else [output]))

    def forward(self, x: Float[Tensor, "*batch n d"]) -> Float[Tensor, "*batch n m"]:
        return self.layers(x)

    def softmax_layers(self) -> list[nn.Linear] | None:
        """The linear layers if this is a plain softmax network, to the letter; None if anything was altered."""
        layers = tuple(self.layers)
        if type(self) is not Network or tuple(map(type, layers)) != _SOFTMAX_NETWORK or layers[5].dim != -1:
            return None
        if any(part._forward_pre_hooks or part._forward_hooks for part in (self, self.layers, *layers)):
            return None
        linear = [layer for layer in layers if isinstance(layer, nn.Linear)]
        return None if any(layer.bias is None for layer in linear) else linear


_SOFTMAX_NETWORK = (nn.Linear, nn.Tanh, nn.Linear, nn.Tanh, nn.Linear, nn.Softmax)


class EqualWeights(nn.Module):
    """Equal weights at every point: in place of a network it switches a selection off."""

    def __init__(self, num_outputs: int = 1) -> None:
        super().__init__()
        self.num_outputs = num_outputs

    def forward(self, x: Float[Tensor, "*batch n d"]) -> Float[Tensor, "*batch n m"]:
        return x.new_full((*x.shape[:-1], self.num_outputs), 1 / self.num_outputs)


class Bounded(nn.Module):
    """A network whose outputs are rescaled to [-bound, bound] by the range of the latest training batch.

    In training mode the batch's own minimum and maximum are used and remembered; in evaluation mode the remembered
    ones, and what falls outside is clamped.
    """

    def __init__(self, network: nn.Module, *, bound: float = 0.95) -> None:
        super().__init__()
        self.network = network
        self.bound = bound
        self.register_buffer("lowest", torch.tensor(-1.0))
        self.register_buffer("highest", torch.tensor(1.0))
        self.lowest: Tensor
        self.highest: Tensor

    def forward(self, x: Float[Tensor, "*batch n d"]) -> Float[Tensor, "*batch n m"]:
        features = self.network(x)
        if self.training:
            lowest, highest = features.min(), features.max()
            self.lowest, self.highest = lowest.detach(), highest.detach()
        else:
            lowest, highest = self.lowest.to(x), self.highest.to(x)
            features = features.clamp(lowest, highest)
        span = (highest - lowest).clamp_min(torch.finfo(x.dtype).tiny ** 0.5)
        return ((features - lowest) / span * 2 - 1) * self.bound
