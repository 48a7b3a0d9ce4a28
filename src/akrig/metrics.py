"""How good is a map, and does its uncertainty show where it is wrong?"""

import numpy as np

from akrig.types import Prediction, Values


def root_mean_squared_error(prediction: Prediction, truth: Values) -> float:
    return float(np.sqrt(np.mean((prediction.mean - truth) ** 2)))


def negative_log_predictive_density(prediction: Prediction, truth: Values) -> float:
    """Mean log loss: low when errors are small, and when they are no larger than the predicted spread says."""
    squared = (truth - prediction.mean) ** 2
    return float(np.mean(0.5 * np.log(2 * np.pi * prediction.variance) + 0.5 * squared / prediction.variance))


def coverage(prediction: Prediction, truth: Values, *, sigmas: float = 2.0) -> float:
    """The share of truth within so many predicted standard deviations; 0.954 is right for two."""
    return float(np.mean(np.abs(truth - prediction.mean) <= sigmas * prediction.std))
