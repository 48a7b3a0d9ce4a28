"""How good is a map, and does its uncertainty show where it is wrong?

Predictions are of noisy readings, truth is without noise, as in the paper. Points where there is no truth (NaN) are
left out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float
from scipy.integrate import trapezoid
from scipy.special import ndtr, ndtri

from akrig.geometry import Box
from akrig.protocols import Belief, Field
from akrig.types import Points, Prediction, Samples, Values


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
    """Between absolute errors and predicted standard deviations: does uncertainty show where the map is wrong?

    Zero if either does not vary.
    """
    error, std = np.abs(prediction.mean - truth), prediction.std
    if not (error.std() > 0 and std.std() > 1e-12 * std.mean()):
        return 0.0
    error, std = error - error.mean(), std - std.mean()
    return float(error @ std / np.sqrt((error @ error) * (std @ std)))


def averaged(num_samples: Values, metric: Values) -> float:
    """A metric's curve integrated over the number of samples, by its range: a cell of the paper's tables."""
    if len(num_samples) < 2 or num_samples[-1] == num_samples[0]:
        return float(metric[-1])
    return float(trapezoid(metric, num_samples) / (num_samples[-1] - num_samples[0]))


@dataclass(frozen=True)
class Scoring:
    """Scores a belief on a grid over the workspace, against the truth if there is one.

    Args:
        counts: of the grid, per dimension.
        inside: which points (n, d) the map is about, where that is not the whole workspace.
    """

    workspace: Box
    counts: tuple[int, ...]
    field: Field | None = None
    inside: Callable[[Points], np.ndarray] | None = None

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
        return self.score(belief.predict(self.points), samples)

    def score(self, prediction: Prediction, samples: Samples) -> dict[str, float]:
        """Of a prediction at `points`; `samples` are the readings behind it."""
        uncertainty = float(np.mean(prediction.std[self._counted]))
        return {"uncertainty": uncertainty, **self._against_truth(prediction, samples)}

    def _against_truth(self, prediction: Prediction, samples: Samples) -> dict[str, float]:
        if self.truth is None:
            return {}
        known = np.isfinite(self.truth) & self._counted
        truth = self.truth[known]
        prediction = Prediction(prediction.mean[known], prediction.variance[known])
        return {
            "smse": standardized_mean_squared_error(prediction, truth),
            "msll": mean_standardized_log_loss(prediction, truth, samples.y),
            "nlpd": negative_log_predictive_density(prediction, truth),
            "rmse": root_mean_squared_error(prediction, truth),
            "mae": mean_absolute_error(prediction, truth),
            "crps": continuous_ranked_probability_score(prediction, truth),
            "coverage50": interval_coverage(prediction, truth, level=0.5),
            "coverage90": interval_coverage(prediction, truth, level=0.9),
            "coverage95": interval_coverage(prediction, truth, level=0.95),
            "correlation": error_correlation(prediction, truth),
        }
