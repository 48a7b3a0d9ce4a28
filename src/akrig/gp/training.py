"""How parameters are trained: two learning rates, an optimiser as old as the model, and no half-done fit."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import gpytorch
import torch
from torch import Tensor, nn

from akrig.errors import TrainingFailed
from akrig.gp.adam import Adam, Moments

Loss = Callable[[], Tensor]


@dataclass(frozen=True)
class Training:
    """Settings of the optimiser.

    Args:
        optimizer: "adam", whose moments persist from fit to fit, or "lbfgs", whose steps are iterations with a line
            search; it starts afresh with each fit and ignores the learning rates.
        learning_rate: of amplitude, noise, lengthscales, mean: every parameter that a GPyTorch module owns.
        network_learning_rate: of every parameter that a plain torch module (a network's layer) owns.
    """

    optimizer: Literal["adam", "lbfgs"] = "adam"
    learning_rate: float = 0.01
    network_learning_rate: float = 0.001

    def __post_init__(self) -> None:
        if self.optimizer not in ("adam", "lbfgs"):
            raise ValueError(f"optimizer is adam or lbfgs; got {self.optimizer!r}.")
        if not (self.learning_rate > 0 and self.network_learning_rate > 0):
            raise ValueError(
                f"Learning rates must be positive; got {self.learning_rate} and {self.network_learning_rate}."
            )


def split_parameters(module: nn.Module) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """Trainable parameters as (hyperparameters, network weights), told apart by the type of their owner."""
    hyper: dict[int, nn.Parameter] = {}
    network: dict[int, nn.Parameter] = {}
    for owner in module.modules():
        group = hyper if isinstance(owner, gpytorch.Module) else network
        group.update((id(p), p) for p in owner.parameters(recurse=False) if p.requires_grad)
    return list(hyper.values()), [p for p in network.values() if id(p) not in hyper]


class Trainer:
    """Minimises a loss over a module's parameters, again and again."""

    def __init__(self, module: nn.Module, settings: Training) -> None:
        self.settings = settings
        hyper, network = split_parameters(module)
        self.adam = Adam([(hyper, settings.learning_rate), (network, settings.network_learning_rate)])
        self._networks = [part for part in module.modules() if not isinstance(part, gpytorch.Module)]

    def run(self, loss: Loss, *, steps: int, on_step: Callable[[float], None] | None = None) -> float:
        """`steps` steps; returns the loss before the last one. On any failure everything is put back as it was."""
        iterate = self._lbfgs if self.settings.optimizer == "lbfgs" else self._adam
        before = _Snapshot(self.adam, self._networks)
        value = float("nan")
        try:
            for value in iterate(loss, steps):
                if on_step is not None:
                    on_step(value)
            if not all(torch.isfinite(p).all() for p in self.adam.parameters):
                raise TrainingFailed("Training made a parameter NaN or infinite; lower the learning rates.")
        except BaseException:  # an interrupt, too, must not leave a half-trained model
            before.put_back()
            raise
        finally:
            self.adam.zero_grad()
        return value

    def set_mode(self, *, training: bool) -> None:
        """Training or evaluation mode for the networks; GPyTorch's modules behave alike in both."""
        for network in self._networks:
            network.training = training

    def _adam(self, loss: Loss, steps: int) -> Iterator[float]:
        for _ in range(steps):
            yield float(self._differentiate(loss))
            self.adam.step()

    def _lbfgs(self, loss: Loss, steps: int) -> Iterator[float]:
        optimizer = torch.optim.LBFGS(self.adam.parameters, max_iter=1, line_search_fn="strong_wolfe")
        for _ in range(steps):
            yield float(optimizer.step(lambda: self._differentiate(loss)))  # pyright: ignore[reportArgumentType]

    def _differentiate(self, loss: Loss) -> Tensor:
        self.adam.zero_grad()
        value = loss()
        if not torch.isfinite(value.detach()):
            raise TrainingFailed(f"The training loss became {float(value.detach())}; lower the learning rates.")
        value.backward()
        return value.detach()


class _Snapshot:
    """Parameters, networks' buffers and Adam's moments, as they were."""

    def __init__(self, adam: Adam, networks: list[nn.Module]) -> None:
        self._adam = adam
        self._moments: Moments = adam.moments.copy()
        self._values = [p.detach().clone() for p in adam.parameters]
        self._buffers = [(part, name, b.clone()) for part in networks for name, b in part.named_buffers(recurse=False)]

    def put_back(self) -> None:
        self._adam.moments = self._moments
        with torch.no_grad():
            for p, value in zip(self._adam.parameters, self._values, strict=True):
                p.copy_(value)
        for part, name, value in self._buffers:
            setattr(part, name, value)
