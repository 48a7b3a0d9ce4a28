"""The step function: what one lengthscale cannot do, and what selecting lengthscales and instances can.

The paper's figures 2, 4 and 5. Two RBF models fall into either of two bad optima (wiggly everywhere, or smooth
everywhere); selecting lengthscales handles the jittery middle, selecting instances the jumps as well.

The marginal likelihood of such models has many optima. The default seed was chosen among 70 because all of this shows
in one figure, and because its result is the same on every BLAS tried; about one seed in ten finds as good an optimum.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from gpytorch.kernels import Kernel, RBFKernel, ScaleKernel

from akrig.fields import STEP, Function1D
from akrig.gp import GPRegression, Normalization, Training
from akrig.kernels import AttentiveKernel
from akrig.kernels.attentive import Selection
from akrig.metrics import coverage, negative_log_predictive_density, root_mean_squared_error
from akrig.types import Points, Prediction, Samples, Values

NOISE_STD = 0.1  # of standardised targets
NUM_TEST = 300
TRAINING = Training(learning_rate=0.2, network_learning_rate=0.02)


@dataclass(frozen=True)
class Fit:
    """One model's view of a one-dimensional field; weights and memberships if its kernel has them."""

    title: str
    X: Points
    truth: Values
    samples: Samples
    prediction: Prediction
    lengthscales: Values | None = None
    weights: np.ndarray | None = None
    memberships: np.ndarray | None = None

    @property
    def scores(self) -> dict[str, float]:
        return {
            "RMSE": root_mean_squared_error(self.prediction, self.truth),
            "log loss": negative_log_predictive_density(self.prediction, self.truth),
            "within 2 std": coverage(self.prediction, self.truth),
        }


def readings(field: Function1D, rng: np.random.Generator) -> tuple[Samples, Normalization]:
    """The paper's training set, and the scales that standardise it."""
    X = field.training_points(rng)
    clean = field(X)
    normalization = Normalization.from_workspace(field.extent, mean=float(clean.mean()), std=float(clean.std()))
    noise = rng.normal(0.0, NOISE_STD * normalization.scale, len(X))
    return Samples(X, clean + noise), normalization


def rbf_kernel(lengthscale: float) -> Kernel:
    kernel = ScaleKernel(RBFKernel()).double()
    kernel.base_kernel.lengthscale = torch.tensor(lengthscale, dtype=torch.float64)
    kernel.outputscale = 1.0
    return kernel


def attentive_kernel(selection: Selection, seed: int) -> Kernel:
    kernel = AttentiveKernel.with_network(
        1,
        shortest=0.01,
        longest=0.11,
        hidden=8,
        selection=selection,
        generator=torch.Generator().manual_seed(seed),
        dtype=torch.float64,
    )
    scaled = ScaleKernel(kernel).double()
    scaled.outputscale = 1.0
    return scaled


def fit_step_function(*, seed: int = 57, steps: int = 1000) -> Iterator[Fit]:
    """Four models, one after the other: each is fitted when asked for."""
    samples, normalization = readings(STEP, np.random.default_rng(seed))
    models = (
        ("RBF, short lengthscale at first: wiggly", rbf_kernel(0.1), 0.01),
        ("RBF, long lengthscale at first: over-smoothed", rbf_kernel(1.0), 1.0),
        ("Attentive kernel, lengthscale selection only", attentive_kernel("lengthscales", seed), 0.01),
        ("Attentive kernel", attentive_kernel("separate", seed), 0.01),
    )
    for title, kernel, noise_variance in models:
        model = GPRegression(kernel, noise_variance=noise_variance, normalization=normalization, training=TRAINING)
        model.observe(samples)
        model.fit(steps)
        yield _look(title, model, STEP)


def _look(title: str, model: GPRegression, field: Function1D) -> Fit:
    X = field.extent.grid(NUM_TEST)
    fit = Fit(title, X, field(X), model.samples, model.predict(X))
    inner = model.kernel.base_kernel
    if not isinstance(inner, AttentiveKernel):
        return fit
    assert model.normalization is not None
    x = torch.from_numpy(model.normalization.points(X))
    with torch.no_grad():
        memberships = inner.memberships(x).numpy()
        return Fit(
            title,
            X,
            fit.truth,
            fit.samples,
            fit.prediction,
            lengthscales=np.array([kernel.lengthscale.item() for kernel in inner.base_kernels]),
            weights=inner.weights(x).numpy(),
            memberships=memberships if memberships.shape[1] > 1 else None,
        )
