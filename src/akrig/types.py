"""Frozen values that travel between the parts; each checks itself once, when made."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Points = Float[np.ndarray, "n d"]
Values = Float[np.ndarray, " n"]


@dataclass(frozen=True, eq=False)
class Samples:
    """Readings `y` taken at points `X`, in the sensor's units and in metres."""

    X: Points
    y: Values

    def __post_init__(self) -> None:
        # Copies: what was read must not change when the caller uses the arrays again.
        X, y = (np.array(values, dtype=np.float64, order="C") for values in (self.X, self.y))
        if X.ndim != 2 or y.ndim != 1 or len(X) != len(y) or X.shape[1] == 0:
            raise ValueError(f"Samples need X (n, d) and y (n,); got X {X.shape} and y {y.shape}.")
        finite = np.isfinite(X).all(axis=1) & np.isfinite(y)
        if not finite.all():
            row = int(np.argmin(finite))
            raise ValueError(
                f"Samples need finite numbers; row {row} is X {X[row].tolist()}, y {float(y[row])}. "
                f"Drop such readings first ({int((~finite).sum())} of {len(y)} here)."
            )
        X.flags.writeable = y.flags.writeable = False
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "y", y)

    @classmethod
    def none(cls, dim: int) -> "Samples":
        return cls(np.empty((0, dim)), np.empty(0))

    def __len__(self) -> int:
        return len(self.y)

    @property
    def dim(self) -> int:
        return self.X.shape[1]

    def append(self, other: "Samples") -> "Samples":
        if other.dim != self.dim:
            raise ValueError(f"Samples of {self.dim} dimensions cannot take samples of {other.dim}.")
        both = object.__new__(Samples)  # two checked values make a third; no need to check all rows again
        object.__setattr__(both, "X", np.concatenate([self.X, other.X]))
        object.__setattr__(both, "y", np.concatenate([self.y, other.y]))
        return both


@dataclass(frozen=True, eq=False)
class Prediction:
    """A Gaussian at each of n points."""

    mean: Values
    variance: Values

    def __post_init__(self) -> None:
        if self.mean.shape != self.variance.shape:
            raise ValueError(
                f"Prediction needs mean and variance alike; got {self.mean.shape} and {self.variance.shape}."
            )

    @property
    def std(self) -> Values:
        return np.sqrt(self.variance)


@dataclass(frozen=True, eq=False)
class JointPrediction:
    """A Gaussian over n points together."""

    mean: Values
    covariance: Float[np.ndarray, "n n"]

    def __post_init__(self) -> None:
        if self.covariance.shape != (len(self.mean), len(self.mean)):
            raise ValueError(
                "JointPrediction needs mean (n,) and covariance (n, n); "
                f"got {self.mean.shape} and {self.covariance.shape}."
            )
