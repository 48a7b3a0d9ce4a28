"""How good is a map, and does its uncertainty show where it is wrong?

Predictions are of noisy readings, truth is without noise, as in the paper. Points where there is no truth (NaN) are
left out.
"""

import inspect
import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.integrate import trapezoid
from scipy.special import ndtr, ndtri

from akrig.geometry import Box
from akrig.metric_parts import METRICS, SCORED_BY
from akrig.protocols import Accountable, Belief, Field, capability
from akrig.s44 import SharedError, SurveyOrder
from akrig.types import Points, Prediction, Samples, Values

_log = logging.getLogger(__name__)


def root_mean_squared_error(prediction: Prediction, truth: Values) -> float:
    return float(np.sqrt(np.mean((prediction.mean - truth) ** 2)))


def mean_absolute_error(prediction: Prediction, truth: Values) -> float:
    return float(np.mean(np.abs(prediction.mean - truth)))


def standardized_mean_squared_error(prediction: Prediction, truth: Values) -> float:
    """One means no better than the truth's own mean everywhere."""
    return float(np.mean((prediction.mean - truth) ** 2) / truth.var())


def log_losses(prediction: Prediction, truth: Values) -> Values:
    squared = (truth - prediction.mean) ** 2
    return 0.5 * np.log(2 * np.pi * prediction.variance) + 0.5 * squared / prediction.variance


def negative_log_predictive_density(prediction: Prediction, truth: Values) -> float:
    """Mean log loss: low when errors are small, and when they are no larger than the predicted spread says."""
    return float(np.mean(log_losses(prediction, truth)))


def mean_standardized_log_loss(prediction: Prediction, truth: Values, readings: Float[np.ndarray, " m"]) -> float:
    """Log loss less that of one Gaussian with the mean and variance of all readings so far; below zero is better."""
    spread = max(float(readings.var()), np.finfo(float).tiny)
    trivial = Prediction(np.full_like(truth, readings.mean()), np.full_like(truth, spread))
    return float(np.mean(log_losses(prediction, truth) - log_losses(trivial, truth)))


def continuous_ranked_probability_score(prediction: Prediction, truth: Values) -> float:
    """In the sensor's units; the mean absolute error, were the prediction certain."""
    z = (truth - prediction.mean) / prediction.std
    density = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    return float(np.mean(prediction.std * (z * (2 * ndtr(z) - 1) + 2 * density - 1 / np.sqrt(np.pi))))


def coverage(prediction: Prediction, truth: Values, *, sigmas: float = 2.0) -> float:
    """The share of truth within so many predicted standard deviations; 0.954 is right for two."""
    return float(np.mean(np.abs(truth - prediction.mean) <= sigmas * prediction.std))


def interval_coverage(prediction: Prediction, truth: Values, *, level: float) -> float:
    """The share of truth inside the central intervals of this probability; `level` is right."""
    return coverage(prediction, truth, sigmas=float(ndtri(0.5 + level / 2)))


def error_correlation(prediction: Prediction, truth: Values) -> float:
    """Between absolute errors and predicted standard deviations: does uncertainty show where the map is wrong?"""
    return correlation(np.abs(prediction.mean - truth), prediction.std)


def correlation(error: Values, std: Values) -> float:
    """Pearson's, of absolute errors and predicted standard deviations; zero if either does not vary."""
    if not (error.std() > 0 and std.std() > 1e-12 * std.mean()):
        return 0.0
    error, std = error - error.mean(), std - std.mean()
    return float(error @ std / np.sqrt((error @ error) * (std @ std)))


def mean_uncertainty(prediction: Prediction) -> float:
    return float(np.mean(prediction.std))


def held_out_coverage(foretold: float) -> float:
    """As the model has kept account of it (`protocols.Accountable`)."""
    return foretold


def share_of_order(depth: Values, depth_std: Values, *, order: SurveyOrder) -> float:
    """Of the map, that meets the vertical uncertainty of an order of survey."""
    return float(np.mean(order.is_met(depth, depth_std)))


def averaged(num_samples: Values, metric: Values) -> float:
    """A metric's curve integrated over the number of samples, by its range: a cell of the paper's tables."""
    if len(num_samples) < 2 or num_samples[-1] == num_samples[0]:
        return float(metric[-1])
    return float(trapezoid(metric, num_samples) / (num_samples[-1] - num_samples[0]))


@dataclass(frozen=True)
class ScoreFunction:
    """A metric's function, called with what it names; one that names no truth is also for where none is known."""

    column: str
    call: Callable[..., float]

    @cached_property
    def needs(self) -> tuple[str, ...]:
        return tuple(name for name in inspect.signature(self.call).parameters if name in SCORED_BY)

    def __call__(self, offered: Mapping[str, Any]) -> float:
        return float(self.call(**{name: offered[name] for name in self.needs}))

    def careful(self, offered: Mapping[str, Any]) -> float:
        """NaN if it fails: a mission must not end because a score of the user's own cannot be computed."""
        try:
            return self(offered)
        except Exception:  # whatever the user's code does
            _log.warning("The metric %s could not be computed.", self.column, exc_info=True)
            return math.nan


@cache
def built_in() -> tuple[ScoreFunction, ...]:
    """What needs no truth first."""
    found = [ScoreFunction(m.name, partial(m.maker, **m.options)) for m in METRICS.values()]
    return tuple(sorted(found, key=lambda function: "truth" in function.needs))


def foretold_by(belief: Belief) -> float | None:
    """NaN if it keeps account, but has too little to show yet; `None` if it keeps none."""
    accountable = capability(belief, Accountable)
    if accountable is None:
        return None
    return math.nan if accountable.foretold is None else accountable.foretold


@dataclass(frozen=True)
class Scoring:
    """Scores a belief on a grid over the workspace, against the truth if there is one.

    Args:
        counts: of the grid, per dimension.
        inside: which points (n, d) the map is about, where that is not the whole workspace.
        own: metrics of the user's own.
        shared: of maps of depths: the error that all soundings share.
    """

    workspace: Box
    counts: tuple[int, ...]
    field: Field | None = None
    inside: Callable[[Points], np.ndarray] | None = None
    own: tuple[ScoreFunction, ...] = ()
    shared: SharedError | None = None

    @cached_property
    def _counted(self) -> np.ndarray:
        """Which points lie where the map matters."""
        return np.ones(len(self.points), bool) if self.inside is None else self.inside(self.points)

    @cached_property
    def points(self) -> Points:
        return self.workspace.grid(*self.counts)

    @cached_property
    def truth(self) -> Values | None:
        return None if self.field is None else self.field(self.points)

    def __call__(self, belief: Belief, samples: Samples) -> dict[str, float]:
        return self.score(belief.predict(self.points), samples, foretold=foretold_by(belief))

    def score(self, prediction: Prediction, samples: Samples, *, foretold: float | None = None) -> dict[str, float]:
        """Of a prediction at `points`; `samples` are the readings behind it.

        Args:
            foretold: see `foretold_by`.
        """
        anywhere, known = self._offered(prediction, samples, self._counted), None
        if foretold is not None:
            anywhere["foretold"] = foretold
        if self.truth is not None:
            is_known = np.isfinite(self.truth) & self._counted
            known = {**self._offered(prediction, samples, is_known), "truth": self.truth[is_known]}
        calls = [(each, each) for each in built_in()] + [(each, each.careful) for each in self.own]
        offers = [(each, call, known if "truth" in each.needs else anywhere) for each, call in calls]
        return {
            each.column: call(offered)
            for each, call, offered in offers
            if offered is not None and set(each.needs) <= offered.keys()
        }

    def _offered(self, prediction: Prediction, samples: Samples, where: np.ndarray) -> dict[str, Any]:
        """All that a metric may ask for but the truth (`SCORED_BY`)."""
        at = Prediction(prediction.mean[where], prediction.variance[where])
        parts = {"mean": at.mean, "std": at.std, "variance": at.variance}
        if self.shared is not None:
            parts |= {"depth": at.mean, "depth_std": self.shared.added(at.mean, at.std)}
        return {"prediction": at, **parts, "readings": samples.y, "points": self.points[where]}
