"""What a nonstationary kernel has learnt about each place, in metres."""

from dataclasses import dataclass

import numpy as np
import torch
from gpytorch.kernels import Kernel
from jaxtyping import Float

from akrig.gp.regression import GPRegression
from akrig.kernels import AttentiveKernel, GibbsKernel
from akrig.kernels.gram import split_amplitude
from akrig.types import Points, Values


@dataclass(frozen=True, eq=False)
class Attention:
    """At n points.

    Args:
        lengthscale: the effective one, (n,).
        base_lengthscales: of the attentive kernel's M base kernels, (M,).
        weights: on each of them, (n, M).
        memberships: of each point, (n, P).
    """

    lengthscale: Values
    base_lengthscales: Float[np.ndarray, " M"] | None = None
    weights: Float[np.ndarray, "n M"] | None = None
    memberships: Float[np.ndarray, "n P"] | None = None


def attention_at(model: GPRegression, X: Points) -> Attention | None:
    """`None` if the kernel is the same everywhere, or has no scales yet."""
    kernel = split_amplitude(model.kernel)[1]
    if model.normalization is None or not _has_lengthscales(kernel):
        return None
    assert isinstance(kernel, AttentiveKernel | GibbsKernel)
    points = torch.from_numpy(model.normalization.points(X))
    metres = float(np.mean(model.normalization.radius))  # per normalised unit
    with torch.no_grad():
        if isinstance(kernel, GibbsKernel):
            return Attention(metres * kernel.lengthscale_at(points)[:, 0].numpy())
        memberships = kernel.memberships(points).numpy()
        return Attention(
            metres * kernel.effective_lengthscale(points).numpy().reshape(-1),
            metres * np.array([base.lengthscale.item() for base in kernel.base_kernels]),
            kernel.weights(points).numpy(),
            memberships if memberships.shape[1] > 1 else None,
        )


def _has_lengthscales(kernel: Kernel) -> bool:
    if isinstance(kernel, AttentiveKernel):
        return all(base.has_lengthscale and base.lengthscale.numel() == 1 for base in kernel.base_kernels)
    return isinstance(kernel, GibbsKernel)
