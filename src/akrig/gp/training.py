"""How parameters are trained: two learning rates, an optimiser as old as the model, and no half-done fit."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import torch
from scipy.optimize import OptimizeResult
from scipy.optimize import minimize as scipy_minimize
from torch import nn

from akrig.errors import TrainingFailed
from akrig.gp.adam import Adam, Moments, add_flat, flat_gradient
from akrig.gp.modules import caches_in_evaluation_mode, networks_of

Loss = Callable[[], float]  # computes the loss and adds its gradient to the parameters' own
OnStep = Callable[[float], None]


@dataclass(frozen=True)
class Training:
    """Settings of the optimiser.

    Args:
        optimizer: "adam", whose moments persist from fit to fit, or "lbfgs", whose steps are iterations with a line
            search; it starts afresh with each fit and ignores the learning rates.
        learning_rate: of amplitude, noise, lengthscales, mean: every parameter that a GPyTorch module owns.
        network_learning_rate: of every parameter that a plain torch module (a network's layer) owns.
        full_steps: per reading; what is trained longer is trained ever less, so that readings are not learnt by heart.
            `None` trains on at the same rates.
    """

    optimizer: Literal["adam", "lbfgs"] = "adam"
    learning_rate: float = 0.01
    network_learning_rate: float = 0.001
    full_steps: float | None = None

    def __post_init__(self) -> None:
        if self.optimizer not in ("adam", "lbfgs"):
            raise ValueError(f"optimizer is adam or lbfgs; got {self.optimizer!r}.")
        if not (self.learning_rate > 0 and self.network_learning_rate > 0):
            raise ValueError(
                f"Learning rates must be positive; got {self.learning_rate} and {self.network_learning_rate}."
            )
        if self.full_steps is not None and not self.full_steps > 0:
            raise ValueError(f"full_steps must be positive; got {self.full_steps}.")

    def share_of_rates(self, steps: int, *, num_readings: int) -> float:
        """After so many steps. Falling with their square, all further ones together amount to `full_steps` at most."""
        if self.full_steps is None:
            return 1.0
        return min(1.0, (self.full_steps * num_readings / max(steps, 1)) ** 2)


def split_parameters(module: nn.Module) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """Parameters as (hyperparameters, network weights), told apart by the type of their owner."""
    hyper: dict[int, nn.Parameter] = {}
    network: dict[int, nn.Parameter] = {}
    networks = {id(part) for part in networks_of(module)}
    for owner in module.modules():
        group = network if id(owner) in networks else hyper
        group.update((id(p), p) for p in owner.parameters(recurse=False))
    return list(hyper.values()), [p for p in network.values() if id(p) not in hyper]


class Trainer:
    """Minimises a loss over a module's parameters, again and again; which are frozen may change between runs."""

    def __init__(self, module: nn.Module, settings: Training) -> None:
        self.settings = settings
        hyper, network = split_parameters(module)
        rates = [settings.learning_rate] * len(hyper) + [settings.network_learning_rate] * len(network)
        self.adam = Adam([*hyper, *network], rates)
        self._module = module
        self.networks = networks_of(module)
        self.buffers = [(part, name) for part in self.networks for name, _ in part.named_buffers(recurse=False)]
        self._caches = caches_in_evaluation_mode(module)

    def run(
        self,
        loss: Loss,
        *,
        steps: int,
        num_readings: int,
        verify: Callable[[], None],
        on_step: OnStep | None = None,
    ) -> float:
        """`steps` steps, then `verify`; returns the last loss. On any failure everything is put back as it was."""
        minimize = self._lbfgs if self.settings.optimizer == "lbfgs" else partial(self._adam, num_readings)
        before = self.snapshot()
        try:
            self.set_mode(training=True)
            value = minimize(loss, steps, on_step or _ignore)
            if not all(np.isfinite(p.detach().numpy()).all() for p in self.adam.parameters):
                raise TrainingFailed("Training made a parameter NaN or infinite; lower the learning rates.")
            verify()
        except BaseException:  # an interrupt, too, must not leave a half-trained model
            before.put_back()
            raise
        finally:
            self.set_mode(training=False)
            self.adam.zero_grad()
        return value

    def snapshot(self) -> "ParameterSnapshot":
        return ParameterSnapshot(self.adam, self.buffers)

    @property
    def changes_in_training(self) -> bool:
        """Are there parts whose value differs between training and evaluation?"""
        return bool(self._caches or self.buffers)

    def set_mode(self, *, training: bool) -> None:
        """Training or evaluation mode; GPyTorch's own modules need telling only if they cache."""
        if self._caches:
            self._module.train(training)
        for network in self.networks:
            if network.training is not training:
                network.training = training

    def forget_caches(self) -> None:
        if self._caches:
            self._module.train()

    def _adam(self, num_readings: int, loss: Loss, steps: int, on_step: OnStep) -> float:
        value = math.nan
        for _ in range(steps):
            value = self._differentiate(loss)
            share = self.settings.share_of_rates(self.adam.moments.steps, num_readings=num_readings)
            with np.errstate(all="ignore"):  # what overflows is noticed at the end
                self.adam.step(share=share)
            on_step(value)
        return value

    def _lbfgs(self, loss: Loss, steps: int, on_step: OnStep) -> float:
        value = self._differentiate(loss)
        parameters = self.adam.moving()
        current = np.concatenate([np.empty(0), *(p.detach().numpy().ravel() for p in parameters)])
        if not current.size:
            return value

        def evaluate(x: np.ndarray) -> tuple[float, np.ndarray]:
            add_flat(parameters, x - current)
            current[:] = x
            return self._differentiate(loss), flat_gradient(parameters)

        def report(intermediate_result: OptimizeResult) -> None:
            on_step(intermediate_result.fun)

        options = {"maxiter": steps, "ftol": 0.0, "gtol": 1e-5}
        result = scipy_minimize(evaluate, current.copy(), jac=True, method="L-BFGS-B", callback=report, options=options)
        add_flat(parameters, result.x - current)
        return float(result.fun)

    def _differentiate(self, loss: Loss) -> float:
        self.adam.zero_grad()
        value = loss()
        if not math.isfinite(value):
            raise TrainingFailed(f"The training loss became {value}; lower the learning rates.")
        return value


def _ignore(_loss: float) -> None:
    pass


class ParameterSnapshot:
    """Parameters, networks' buffers and Adam's moments, as they were."""

    def __init__(self, adam: Adam, buffers: list[tuple[nn.Module, str]]) -> None:
        self._adam = adam
        self._moments: Moments = adam.moments.copy()
        self._values = [p.detach().clone() for p in adam.parameters]
        self._buffers = [(part, name, getattr(part, name).clone()) for part, name in buffers]

    def put_back(self) -> None:
        self._adam.moments = self._moments
        with torch.no_grad():
            for p, value in zip(self._adam.parameters, self._values, strict=True):
                p.copy_(value)
        for part, name, value in self._buffers:
            setattr(part, name, value)
