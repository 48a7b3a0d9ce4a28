"""Frozen values that travel between the parts; each checks itself once, when made."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from akrig.geometry import Box, Pose

Points = Float[np.ndarray, "n d"]
Values = Float[np.ndarray, " n"]


@dataclass(frozen=True)
class Measurement:
    """One reading: when (seconds since the mission began), where (metres), what (the sensor's units).

    Args:
        id: of the sounding that it is, where every sounding is written down as it is heard.
    """

    time: float
    position: tuple[float, ...]
    value: float
    id: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", float(self.time))
        object.__setattr__(self, "position", tuple(float(v) for v in self.position))
        object.__setattr__(self, "value", float(self.value))
        if not all(map(math.isfinite, (self.time, *self.position, self.value))):
            raise ValueError(
                f"Measurement needs finite numbers; got time {self.time}, position {self.position}, value {self.value}."
            )


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

    @classmethod
    def of(cls, measurements: Iterable[Measurement], *, dim: int) -> "Samples":
        measurements = list(measurements)
        if not measurements:
            return cls.none(dim)
        return cls(np.array([m.position for m in measurements]), np.array([m.value for m in measurements]))

    def __len__(self) -> int:
        return len(self.y)

    @property
    def dim(self) -> int:
        return self.X.shape[1]

    def first(self, num: int) -> "Samples":
        return Samples(self.X[:num], self.y[:num])

    def after(self, num: int) -> "Samples":
        return Samples(self.X[num:], self.y[num:])

    def append(self, other: "Samples") -> "Samples":
        if other.dim != self.dim:
            raise ValueError(f"Samples of {self.dim} dimensions cannot take samples of {other.dim}.")
        return Samples.checked(np.concatenate([self.X, other.X]), np.concatenate([self.y, other.y]))

    @classmethod
    def checked(cls, X: np.ndarray, y: np.ndarray) -> "Samples":
        """Of arrays that are known to be fine, and to stay what they are: without another look, or a copy."""
        samples = object.__new__(cls)
        object.__setattr__(samples, "X", X)
        object.__setattr__(samples, "y", y)
        return samples


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


@dataclass(frozen=True, eq=False)
class ForeseenWay:
    """A way that a planner has in mind.

    Args:
        places: from where the vehicle is to the end, the way home included.
        error: root mean square over the map that it is expected to leave.
    """

    places: Points
    error: float

    @property
    def metres(self) -> float:
        return float(np.hypot(*np.diff(self.places, axis=0).T).sum())


@dataclass(frozen=True, eq=False)
class Foresight:
    """Why a plan is what it is: the whole way that it begins, and the one that this was compared with.

    Args:
        lawnmower: the best that is no longer; `None` if none is so short.
        is_share: are errors shares of what is not known, before any reading has told of how much the field varies? If
            not they are in the sensor's units.
    """

    route: ForeseenWay
    lawnmower: ForeseenWay | None = None
    is_share: bool = False


@dataclass(frozen=True, eq=False)
class Plan:
    """Where to go, in this order.

    Args:
        foresight: of planners that look farther than their plan.
    """

    waypoints: Points
    foresight: Foresight | None = None

    def __post_init__(self) -> None:
        waypoints = np.array(self.waypoints, dtype=np.float64, order="C")
        if waypoints.ndim != 2 or not waypoints.size:
            raise ValueError(f"Plan needs waypoints (n, d), at least one; got {waypoints.shape}.")
        if not np.isfinite(waypoints).all():
            row = int(np.argmin(np.isfinite(waypoints).all(axis=1)))
            raise ValueError(f"Plan needs finite waypoints; number {row} is {waypoints[row].tolist()}.")
        waypoints.flags.writeable = False
        object.__setattr__(self, "waypoints", waypoints)

    def __len__(self) -> int:
        return len(self.waypoints)


@dataclass(frozen=True)
class Budget:
    """How much a mission may use; what is not given is not limited. What remains of one is a budget too.

    Args:
        readings: how many.
        distance: metres travelled.
        time: seconds on the vehicle's clock.
    """

    readings: float = math.inf
    distance: float = math.inf
    time: float = math.inf

    @property
    def is_spent(self) -> bool:
        return min(self.readings, self.distance, self.time) <= 0

    def share_spent(self, used: "Budget") -> float:
        """Between 0 and 1, by whichever limit is nearest."""
        pairs = ((self.readings, used.readings), (self.distance, used.distance), (self.time, used.time))
        return min(1.0, max(part / whole for whole, part in pairs))

    def minus(self, used: "Budget") -> "Budget":
        return Budget(self.readings - used.readings, self.distance - used.distance, self.time - used.time)


@dataclass(frozen=True)
class Situation:
    """What a strategy may know beside the belief.

    Args:
        epoch: the one that is planned; 0 is the pilot survey.
        is_open: which points (n, d) of the workspace may be visited; `None` if all.
    """

    pose: Pose
    workspace: Box
    remaining: Budget
    epoch: int = 1
    is_open: Callable[[Points], np.ndarray] | None = None


@dataclass(frozen=True, eq=False)
class Attention:
    """How far a model sees at n points.

    Args:
        lengthscale: the effective one, (n,).
        base_lengthscales: of M base kernels, (M,).
        weights: on each of them, (n, M).
        memberships: of each point, (n, P).
    """

    lengthscale: Values
    base_lengthscales: Float[np.ndarray, " M"] | None = None
    weights: Float[np.ndarray, "n M"] | None = None
    memberships: Float[np.ndarray, "n P"] | None = None

    def scaled(self, factor: float) -> "Attention":
        """With other units of length."""
        base = None if self.base_lengthscales is None else factor * self.base_lengthscales
        return replace(self, lengthscale=factor * self.lengthscale, base_lengthscales=base)


@dataclass(frozen=True, eq=False)
class Epoch:
    """One turn of Algorithm 1: a plan, the readings of its leg, and what the model made of them.

    Args:
        index: 0 is the pilot survey.
        loss: of the last training step; NaN if the leg brought no reading.
        seconds: on the wall clock, by part of the epoch (plan, follow, fit).
        pose: where the vehicle is now.
        used: readings, metres and vehicle seconds since the mission began.
    """

    index: int
    plan: Plan
    samples: Samples
    loss: float
    seconds: dict[str, float]
    pose: Pose
    used: Budget
