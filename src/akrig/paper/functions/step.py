"""The step function: what one lengthscale cannot do, and what selecting lengthscales and instances can.

The paper's figures 2, 4 and 5. Two RBF models fall into either of two bad optima (wiggly everywhere, or smooth
everywhere); selecting lengthscales handles the jittery middle, selecting instances the jumps as well.

The marginal likelihood of such models has many optima. The default seed was chosen among 70 because all of this shows
in one figure, and because its result is the same on every BLAS tried; about one seed in ten finds as good an optimum.
"""

from collections.abc import Iterator
from typing import Any

import xarray as xr

from akrig.metrics import coverage, negative_log_predictive_density, root_mean_squared_error
from akrig.plots.attention import is_shared
from akrig.plots.line import FittedLine
from akrig.study.regression.fitting import build_regression, result, train_unwatched
from akrig.study.regression.settings import regression_settings
from akrig.study.worker import one_thread
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
    "RBF, short lengthscale at first: wiggly": {
        "kernel": {**_RBF, "lengthscale": 0.1},
        "model": {"noise_variance": 0.01},
    },
    "RBF, long lengthscale at first: over-smoothed": {
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


def fit_step_function(*, seed: int = 57, steps: int = 1000) -> Iterator[Fit]:
    """Four models, one after the other: each is fitted when asked for."""
    training = {**BASE["training"], "steps": steps}
    for title, model in MODELS.items():
        settings = regression_settings({**BASE, **model, "training": training, "seed": seed})
        with one_thread():
            regression = build_regression(settings)
            fit = Fit.of(title, result(regression, train_unwatched(regression)))
        yield fit
