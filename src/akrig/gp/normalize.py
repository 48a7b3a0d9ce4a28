"""The border's two scales: points to about [-1, 1], readings to about zero mean and unit variance."""

from dataclasses import dataclass

import numpy as np

from akrig.geometry import Box
from akrig.types import JointPrediction, Points, Prediction, Samples, Values


@dataclass(frozen=True, eq=False)
class Normalization:
    """x -> (x - center) / radius and y -> (y - offset) / scale; frozen once made."""

    center: Values
    radius: Values
    offset: float
    scale: float

    def __post_init__(self) -> None:
        center, radius = np.array(self.center, dtype=np.float64), np.array(self.radius, dtype=np.float64)
        if center.ndim != 1 or center.shape != radius.shape:
            raise ValueError(
                f"Normalization needs a center and a radius per dimension; got {center.shape} and {radius.shape}."
            )
        if not (
            np.isfinite([*center, *radius, self.offset, self.scale]).all() and (radius > 0).all() and self.scale > 0
        ):
            raise ValueError(
                "Normalization needs finite numbers, radius > 0 and scale > 0; "
                f"got radius {radius.tolist()}, scale {self.scale}."
            )
        object.__setattr__(self, "center", center)
        object.__setattr__(self, "radius", radius)

    @classmethod
    def identity(cls, dim: int) -> "Normalization":
        return cls(np.zeros(dim), np.ones(dim), 0.0, 1.0)

    @classmethod
    def from_workspace(cls, workspace: Box, *, mean: float, std: float) -> "Normalization":
        """The workspace becomes [-1, 1]; the readings' mean and standard deviation are known or guessed."""
        lower, upper = np.array(workspace.lower), np.array(workspace.upper)
        return cls((lower + upper) / 2, (upper - lower) / 2, mean, std)

    @classmethod
    def from_samples(cls, samples: Samples, *, workspace: Box | None = None) -> "Normalization":
        """The pilot readings' own extent, mean and standard deviation; where they do not vary, scale one.

        With a workspace, that becomes [-1, 1] instead of the readings' extent.
        """
        if not len(samples):
            raise ValueError("Normalization.from_samples needs at least one reading; got none.")
        lower, upper = samples.X.min(axis=0), samples.X.max(axis=0)
        radius, mean, std = (upper - lower) / 2, float(samples.y.mean()), float(samples.y.std())
        std = std if _varies(std, np.abs(samples.y).max()) else 1.0
        if workspace is not None:
            return cls.from_workspace(workspace, mean=mean, std=std)
        radius = np.where(_varies(radius, np.abs(samples.X).max(axis=0)), radius, 1.0)
        return cls((lower + upper) / 2, radius, mean, std)

    @property
    def dim(self) -> int:
        return len(self.center)

    def points(self, X: Points) -> Points:
        """Checked and scaled: the way in."""
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.dim:
            raise ValueError(f"Points must be (n, {self.dim}); got {X.shape}.")
        if not np.isfinite(X).all():
            row = int(np.argmin(np.isfinite(X).all(axis=1)))
            raise ValueError(f"Points must be finite; row {row} is {X[row].tolist()}.")
        return (X - self.center) / self.radius

    def values(self, y: Values) -> Values:
        return (y - self.offset) / self.scale

    def restore(self, mean: Values, variance: Values) -> Prediction:
        return Prediction(mean * self.scale + self.offset, variance * self.scale**2)

    def restore_joint(self, mean: Values, covariance: np.ndarray) -> JointPrediction:
        return JointPrediction(mean * self.scale + self.offset, covariance * self.scale**2)


def _varies(spread, magnitude):
    """Is a spread more than the rounding of numbers of this magnitude?"""
    return spread > 1e-12 * magnitude
