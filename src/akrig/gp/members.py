"""Models as settings describe them: one by itself, or which members a combined one has."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from gpytorch.kernels import Kernel, MaternKernel, ScaleKernel

from akrig.geometry import Box
from akrig.gp.calibration import Calibration
from akrig.gp.combination import CombinedRegression
from akrig.gp.regression import GPRegression
from akrig.gp.training import Training, split_parameters

MOST_MEMBERS = 16
PACES = (2.0, 0.1)  # one network learns fast, one hardly at all


def exact(
    kernel: Kernel,
    *,
    noise_variance: float,
    mean: Literal["zero", "constant"],
    normalization: Literal["pilot", "workspace"],
    workspace: Box,
    training: Training,
    local_from: int = 0,
    seed: int = 0,
) -> GPRegression:
    """As settings describe it: points are scaled by the first readings, or by the workspace."""
    region = workspace if normalization == "workspace" else None
    return GPRegression(
        kernel,
        noise_variance=noise_variance,
        mean=mean,
        workspace=region,
        training=training,
        local_from=local_from,
        seed=seed,
    )


def combined(
    make_kernel: Callable[[int], Kernel],
    *,
    noise_variance: float,
    mean: Literal["zero", "constant"],
    workspace: Box,
    training: Training,
    noise_std: float = 0.0,
    local_from: int = 0,
    seed: int = 0,
    paces: Sequence[float] = PACES,
    stationary: bool = False,
    prior: float = 1.0,
    least: float = 1.0,
    trust: float = 150.0,
    sharpness: float = 0.03,
    nearby: float = 8.0,
) -> CombinedRegression:
    """As settings describe it: points are scaled by the workspace, readings by themselves.

    Args:
        make_kernel: of the member of that number.
        noise_std: see `GPRegression`, like `local_from` and `seed`.
        paces: how fast the network of each member learns, by the settings' learning rate. One that learns fast sees
            edges early and is too sure of them; one that hardly learns is nearly stationary, and is not. What both say
            can be trusted. Kernels without a network learn nothing at a pace: of them there is one member.
        stationary: is there one more member, with a plain Matern kernel?
        prior: see `Calibration`, like the rest.
    """
    if not 1 <= len(paces) <= MOST_MEMBERS or not all(0 < pace < np.inf for pace in paces):
        raise ValueError(f"paces are 1 to {MOST_MEMBERS} numbers above zero; got {list(paces)}.")
    kernels = [make_kernel(member) for member in range(len(paces))]
    if not split_parameters(kernels[0])[1]:
        kernels, paces = kernels[:1], [1.0]
    if stationary:
        kernels.append(ScaleKernel(MaternKernel(nu=1.5)))
        paces = [*paces, 1.0]
    members = [
        GPRegression(
            kernel,
            noise_variance=noise_variance,
            mean=mean,
            workspace=workspace,
            noise_std=noise_std,
            local_from=local_from,
            seed=seed,
            training=replace(training, network_learning_rate=pace * training.network_learning_rate),
        )
        for kernel, pace in zip(kernels, paces, strict=True)
    ]
    calibration = Calibration(prior=prior, least=least, trust=trust, sharpness=sharpness, nearby=nearby)
    return CombinedRegression(members, calibration=calibration)
