"""The step function: what one lengthscale cannot do, and what selecting lengthscales and instances can.

The paper's figures 2, 4 and 5. Two RBF models fall into either of two bad optima (wiggly everywhere, or smooth
everywhere; with other readings, both into the wiggly one); selecting lengthscales handles the jittery middle, selecting
instances the jumps as well.

The marginal likelihood of such models has many optima. Trained as in the paper (`MODELS`, the study `paper-step`), one
seed in ten finds a good one. Here an attentive kernel begins with all noise and steeper networks, which learn more
slowly, so that the coarse is learnt before the fine. Even the likeliest of eight may explain a jump by a lengthscale so
short that it knows nothing in the next gap between readings; so the likelier half are pooled, and wherever one is surer
it counts more. Weights and memberships are those of the likeliest. None of this looks at the truth.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
import xarray as xr
from gpytorch.kernels import Kernel

from akrig.kernels.network import Network
from akrig.metrics import coverage, negative_log_predictive_density, root_mean_squared_error
from akrig.plots.attention import is_shared
from akrig.plots.line import FittedLine
from akrig.study.regression.fitting import build_regression, result, train_unwatched
from akrig.study.regression.settings import regression_settings
from akrig.threads import one_thread_each
from akrig.types import Prediction, Samples


class Fit(FittedLine):
    """A model of the step function; lengthscales are of normalised points, as in the paper."""

    @classmethod
    def of(cls, title: str, data: xr.Dataset) -> "Fit":
        """From the result of a regression."""
        weights, memberships = (
            data[name].to_numpy().T if name in data else None for name in ("weights", "memberships")
        )
        if weights is not None and memberships is not None and is_shared(weights, memberships):
            memberships = None
        return cls(
            title,
            data["x"].to_numpy()[:, None],
            data["truth"].to_numpy(),
            Samples(data["reading_x"].to_numpy(), data["reading_y"].to_numpy()),
            Prediction(data["mean"].to_numpy(), data["std"].to_numpy() ** 2),
            lengthscales=None if weights is None else data["base"].to_numpy() / data.attrs["unit_length"],
            weights=weights,
            memberships=memberships,
        )

    @property
    def scores(self) -> dict[str, float]:
        return {
            "RMSE": root_mean_squared_error(self.prediction, self.truth),
            "log loss": negative_log_predictive_density(self.prediction, self.truth),
            "within 2 std": coverage(self.prediction, self.truth),
        }


_RBF = {"name": "rbf"}
_ATTENTIVE = {"name": "attentive", "hidden": 8, "num_lengthscales": 10, "shortest": 0.01, "longest": 0.11}
BASE: dict[str, Any] = {
    "field": "step",
    "readings": {"name": "own", "target_noise_std": 0.1},
    "training": {"learning_rate": 0.2, "network_learning_rate": 0.02},
    "evaluation": {"grid": [300]},
}
MODELS: dict[str, dict[str, Any]] = {
    "RBF, short lengthscale at first": {
        "kernel": {**_RBF, "lengthscale": 0.1},
        "model": {"noise_variance": 0.01},
    },
    "RBF, long lengthscale at first": {
        "kernel": {**_RBF, "lengthscale": 1.0},
        "model": {"noise_variance": 1.0},
    },
    "Attentive kernel, lengthscale selection only": {
        "kernel": {**_ATTENTIVE, "selection": "lengthscales"},
        "model": {"noise_variance": 0.01},
    },
    "Attentive kernel": {
        "kernel": {**_ATTENTIVE, "selection": "separate"},
        "model": {"noise_variance": 0.01},
    },
}


NUM_NETWORKS = 8
STEEPER = 5.0
_TRAINED_BETTER: dict[str, Any] = {
    "model": {"noise_variance": 1.0},
    "training": {**BASE["training"], "network_learning_rate": 0.01},
}


def fit_step_function(*, seed: int = 0, steps: int = 1000) -> Iterator[Fit]:
    """Four models, one after the other: each is fitted when asked for."""
    for title, model in MODELS.items():
        settings = {**BASE, **model, "readings": {**BASE["readings"], "seed": seed}}
        has_network = model["kernel"]["name"] == "attentive"
        settings |= _TRAINED_BETTER if has_network else {}
        settings["training"] = {**settings["training"], "steps": steps}
        num = NUM_NETWORKS if has_network else 1
        with one_thread_each():
            fit = _fit_together(title, ({**settings, "seed": num * seed + k} for k in range(num)))
        yield fit


def _fit_together(title: str, candidates: Iterable[dict[str, Any]]) -> Fit:
    """Regressions that differ in their networks: what the likelier half predict, what the likeliest has learnt."""
    regressions = [build_regression(regression_settings(candidate)) for candidate in candidates]
    for regression in regressions:
        _steepen(regression.model.kernel)
    fits = [Fit.of(title, result(regression, train_unwatched(regression))) for regression in regressions]
    likelihoods = [regression.model.log_marginal_likelihood() for regression in regressions]
    likelier = [fits[k] for k in np.argsort(likelihoods)[len(fits) // 2 :]]
    return replace(likelier[-1], prediction=pooled([fit.prediction for fit in likelier]))


def pooled(predictions: Sequence[Prediction]) -> Prediction:
    r"""The logarithmic opinion pool, which has the geometric mean of the densities: who is sure counts more.

    $$ p(y) \propto \prod_{e=1}^{E} p_e(y)^{1/E} $$
    """
    means = np.array([prediction.mean for prediction in predictions])
    precisions = 1 / np.array([prediction.variance for prediction in predictions])
    variance = 1 / precisions.mean(axis=0)
    return Prediction(variance * (precisions * means).mean(axis=0), variance)


@torch.no_grad()
def _steepen(kernel: Kernel) -> None:
    """Networks' first units switch where they did, but `STEEPER` times as fast: places differ from the start."""
    for network in kernel.modules():
        if isinstance(network, Network):
            for parameter in network.layers[0].parameters():
                parameter *= STEEPER
