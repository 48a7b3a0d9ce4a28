"""Regressions: a model fitted to given readings of a field, watched while it is trained."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
import xarray as xr

from akrig.config.build import build_kernel
from akrig.gp import GPRegression, Training
from akrig.gp.attention import attention_at
from akrig.metrics import (
    Scoring,
    coverage,
    mean_standardized_log_loss,
    root_mean_squared_error,
    standardized_mean_squared_error,
)
from akrig.runs.map import attention_layers, map_layer
from akrig.study.regression.readings import regressed_field, take_readings, workspace_of
from akrig.study.regression.settings import RegressionSettings, regression_settings
from akrig.types import Prediction, Samples, Values

CURVES = ("train_msll", "test_msll", "train_smse", "test_smse")
_GRIDS = {1: (300,), 2: (100, 100), 3: (22, 22, 22)}


@dataclass(frozen=True, eq=False)
class Regression:
    """All parts: the field on a grid, its readings, and the model that has seen them."""

    settings: RegressionSettings
    scoring: Scoring
    samples: Samples
    model: GPRegression


@dataclass(frozen=True, eq=False)
class History:
    """Of a training: the loss that each step began with, and scores after it where they were asked for."""

    loss: Values
    curves: dict[str, Values]
    seconds: dict[str, float] = field(default_factory=lambda: {"fit": 0.0, "look": 0.0})


def compute_regression(settings: dict[str, Any], path: Path) -> xr.Dataset:
    """Fits, and returns what there is to know; nothing needs to be kept in `path` meanwhile."""
    regression = build_regression(regression_settings(settings))
    return result(regression, train(regression))


def build_regression(settings: RegressionSettings) -> Regression:
    truth = regressed_field(settings)
    workspace = workspace_of(settings, truth)
    samples, normalization = take_readings(settings, truth, workspace)
    training = settings.training
    model = GPRegression(
        build_kernel(settings.kernel, dim=workspace.dim, generator=torch.Generator().manual_seed(settings.seed)),
        noise_variance=settings.model.noise_variance,
        mean=settings.model.mean,
        normalization=normalization,
        training=Training("adam", training.learning_rate, training.network_learning_rate),
    )
    model.observe(samples)
    counts = tuple(settings.evaluation.grid or _GRIDS[workspace.dim])
    return Regression(settings, Scoring(workspace, counts, truth), samples, model)


def train(regression: Regression) -> History:
    steps, every = regression.settings.training.steps, regression.settings.evaluation.every
    history = History(np.full(steps, np.nan), {name: np.full(steps, np.nan) for name in CURVES if every})
    for step in range(steps):
        begin = time.perf_counter()
        history.loss[step] = regression.model.fit(1)
        end = time.perf_counter()
        if every and ((step + 1) % every == 0 or step + 1 == steps):
            for name, value in _scores_now(regression).items():
                history.curves[name][step] = value
        history.seconds["fit"] += end - begin
        history.seconds["look"] += time.perf_counter() - end
    return history


def train_unwatched(regression: Regression) -> History:
    """In one go, which takes half the time with small kernels: all that is known of the way is its last loss."""
    begin = time.perf_counter()
    loss = np.full(regression.settings.training.steps, np.nan)
    loss[-1] = regression.model.fit(len(loss))
    return History(loss, {}, {"fit": time.perf_counter() - begin, "look": 0.0})


def _where_known(scoring: Scoring, prediction: Prediction) -> tuple[Prediction, Values]:
    """Of a prediction on the grid, where there is truth, and the truth there."""
    assert scoring.truth is not None
    known = np.isfinite(scoring.truth)
    return Prediction(prediction.mean[known], prediction.variance[known]), scoring.truth[known]


def _scores_now(regression: Regression) -> dict[str, float]:
    """At the readings, and on the grid wherever there is truth."""
    model, samples, scoring = regression.model, regression.samples, regression.scoring
    at_readings = model.predict(samples.X)
    test, truth = _where_known(scoring, model.predict(scoring.points))
    return {
        "train_msll": mean_standardized_log_loss(at_readings, samples.y, samples.y),
        "test_msll": mean_standardized_log_loss(test, truth, samples.y),
        "train_smse": standardized_mean_squared_error(at_readings, samples.y),
        "test_smse": standardized_mean_squared_error(test, truth),
    }


def result(regression: Regression, history: History) -> xr.Dataset:
    """Curves over the steps, readings, the final map, and final scores among the attributes."""
    begin = time.perf_counter()
    prediction = regression.model.predict(regression.scoring.points)
    layers = _layers(regression, prediction)
    steps = np.arange(1, len(history.loss) + 1)
    curves = {name: ("iteration", values) for name, values in {"loss": history.loss, **history.curves}.items()}
    samples = regression.samples
    readings = {"reading_x": (("reading", "dim"), samples.X), "reading_y": ("reading", samples.y)}
    data = xr.Dataset({**curves, **readings, **layers}, coords={"iteration": steps})
    data["loss"].attrs["long_name"] = "minus log marginal likelihood per reading, before the step"
    data.attrs = _facts(regression, prediction)
    history.seconds["look"] += time.perf_counter() - begin
    return data.assign_attrs({f"seconds_{part}": seconds for part, seconds in history.seconds.items()})


def _layers(regression: Regression, prediction: Prediction) -> dict[str, xr.DataArray]:
    """On the grid, row 0 of y the south; maps need no more digits than float32 has."""
    scoring = regression.scoring
    assert scoring.truth is not None

    def layer(values: Values, **attributes: str) -> xr.DataArray:
        shown = values.astype(np.float32) if scoring.workspace.dim > 1 else values
        return map_layer(shown, scoring.workspace, scoring.counts, **attributes)

    layers = {
        "mean": layer(prediction.mean, long_name="predicted value"),
        "std": layer(prediction.std, long_name="standard deviation of a reading"),
        "truth": layer(scoring.truth, long_name="truth"),
    }
    learnt = attention_at(regression.model, scoring.points)
    if learnt is not None:
        about = {"long_name": "effective lengthscale, in the units of x"}
        layers |= attention_layers(learnt, layer, about=about, base={"long_name": "lengthscale, in the units of x"})
    return layers


def _facts(regression: Regression, prediction: Prediction) -> dict[str, float | str]:
    """Names, final scores on the grid and at the readings, and the noise that was learnt."""
    scoring, samples, model = regression.scoring, regression.samples, regression.model
    assert model.normalization is not None
    at_readings = model.predict(samples.X)
    return {
        "field": regression.settings.field.name,
        "kernel": regression.settings.kernel.name,
        "units": getattr(scoring.field, "units", ""),
        "quantity": getattr(scoring.field, "quantity", ""),
        "unit_length": float(np.mean(model.normalization.radius)),  # of normalised points, in the units of x
        **scoring.score(prediction, samples),
        "within_2_std": coverage(*_where_known(scoring, prediction)),
        "train_msll": mean_standardized_log_loss(at_readings, samples.y, samples.y),
        "train_rmse": root_mean_squared_error(at_readings, samples.y),
        "noise_std": float(np.sqrt(model.noise_variance)),
    }
