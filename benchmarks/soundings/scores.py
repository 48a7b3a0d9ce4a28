"""How good predictions of held-back soundings are."""

from akrig.metrics import interval_coverage, mean_absolute_error, mean_standardized_log_loss, root_mean_squared_error
from akrig.types import Prediction
from benchmarks.soundings.bay import Water


def scored(said: Prediction, water: Water) -> dict[str, float]:
    truth = water.held.y
    return {
        "rmse": root_mean_squared_error(said, truth),
        "mae": mean_absolute_error(said, truth),
        "msll": mean_standardized_log_loss(said, truth, water.known.y),
        "coverage": interval_coverage(said, truth, level=0.95),
        "held": len(truth),
        "legs": water.legs,
        "known": len(water.known),
    }
