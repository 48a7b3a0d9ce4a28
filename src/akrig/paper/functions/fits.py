"""One model's view of a one-dimensional field, as `akrig.plots.line` draws it."""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from jaxtyping import Float

from akrig.metrics import coverage, negative_log_predictive_density, root_mean_squared_error
from akrig.plots.attention import is_shared
from akrig.types import Points, Prediction, Samples, Values


@dataclass(frozen=True)
class Fit:
    """Weights and memberships if its kernel has them; lengthscales are of normalised points, as in the paper."""

    title: str
    X: Points
    truth: Values
    samples: Samples
    prediction: Prediction
    lengthscales: Float[np.ndarray, " M"] | None = None
    weights: np.ndarray | None = None
    memberships: np.ndarray | None = None

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
