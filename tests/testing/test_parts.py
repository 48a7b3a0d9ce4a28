"""The checks of vehicles, models, strategies and sensors: one broken part for every promise, and sound ones beside."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from gpytorch.kernels import MaternKernel, RBFKernel, ScaleKernel

from akrig.geometry import Box, Pose
from akrig.gp import GPRegression
from akrig.strategies import Myopic, Uniform
from akrig.testing import check_model, check_sensor, check_strategy, check_vehicle
from akrig.types import Measurement, Plan, Prediction, Samples
from akrig.vehicles import Dropouts, Outliers, PointSensor, TimeLimited
from tests.worlds import WORKSPACE, Waves, boat, noise, teleport

# -- vehicles --------------------------------------------------------------------------------------------------------


class Hopper:
    """Keeps all promises, without a state: one reading at every waypoint."""

    def __init__(self, pose=(0.0, 0.0)):
        self.pose, self.clock, self.legs = Pose(pose), 0.0, 0

    def places(self, plan):
        return plan.waypoints

    def value(self, place, rng):
        return float(place.sum() + rng.normal())

    def follow(self, plan):
        rng = noise(self.legs)
        self.legs += 1
        for place in self.places(plan):
            self.pose, self.clock = Pose(tuple(place)), self.clock + 1
            yield Measurement(self.clock, self.pose.position, self.value(place, rng))


class Silent(Hopper):
    def follow(self, plan):
        self.pose, self.clock = Pose(tuple(plan.waypoints[-1])), self.clock + 1
        yield from ()


class NeverArrives(Hopper):
    def places(self, plan):
        return plan.waypoints - 1.0


class ReadsElsewhere(Hopper):
    def follow(self, plan):
        for m in super().follow(plan):
            yield Measurement(m.time, (999.0, 999.0), m.value)


class ReadsInThreeDimensions(Hopper):
    def follow(self, plan):
        for m in super().follow(plan):
            yield Measurement(m.time, (*m.position, 0.0), m.value)


class YieldsNumbers(Hopper):
    def follow(self, plan):
        for m in super().follow(plan):
            yield m.value


class OnlyTheLast(Hopper):
    def places(self, plan):
        return plan.waypoints[-1:]


class OnlyTheLastByWay(Hopper):
    """Straight to the last waypoint, with readings on the way."""

    def places(self, plan):
        return np.linspace(self.pose.position, plan.waypoints[-1], 30)


class OnlyTheFirstAndLast(Hopper):
    def places(self, plan):
        return plan.waypoints[[0, -1]]


class Backwards(Hopper):
    def places(self, plan):
        return np.concatenate([plan.waypoints[-2::-1], plan.waypoints[-1:]])


class Timeless(Hopper):
    def follow(self, plan):
        for m in super().follow(plan):
            self.clock = 0.0
            yield Measurement(0.0, m.position, m.value)


class BackInTime(Hopper):
    def follow(self, plan):
        for m in super().follow(plan):
            yield Measurement(-m.time, m.position, m.value)


class LateClock(Hopper):
    def follow(self, plan):
        for m in super().follow(plan):
            yield Measurement(m.time + 0.5, m.position, m.value)


class GlobalRandomness(Hopper):
    state = {}  # noqa: RUF012

    def value(self, place, rng):
        return float(np.random.rand())  # noqa: NPY002

    def restore(self, state):
        pass


class SeededGlobalRandomness(GlobalRandomness):
    def __init__(self):
        super().__init__()
        np.random.seed(0)  # noqa: NPY002


class ForgetsItsLeg(Hopper):
    @property
    def state(self):
        return {"position": self.pose.position, "clock": self.clock}

    def restore(self, state):
        self.pose, self.clock = Pose(tuple(state["position"])), state["clock"]


class ForgetsItsClock(ForgetsItsLeg):
    def restore(self, state):
        self.pose = Pose(tuple(state["position"]))


class ForgetsItsPlace(ForgetsItsLeg):
    def restore(self, state):
        self.clock = state["clock"]


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (object, "has pose, clock and follow"),
        (Silent, "took no reading.$"),
        (NeverArrives, "stopped 1.41 away from the last waypoint"),
        (ReadsElsewhere, r"\(999.0, 999.0\) lies far outside the workspace"),
        (ReadsInThreeDimensions, "the workspace's dimensions"),
        (YieldsNumbers, "must yield Measurements"),
        (OnlyTheLast, r"no reading near waypoint \[8.0, 8.0\]"),
        (OnlyTheLastByWay, r"no reading near waypoint \[8.0, 8.0\]"),
        (OnlyTheFirstAndLast, r"no reading near waypoint \[-8.0, -8.0\]"),
        (Backwards, "in the plan's order"),
        (Timeless, "clock must move on"),
        (BackInTime, "cannot be older"),
        (LateClock, "must not lag behind"),
        (GlobalRandomness, r"made alike and sent alike must take the same readings.*noise\(leg\)"),
        (SeededGlobalRandomness, r"made alike and sent alike must take the same readings.*noise\(leg\)"),
        (ForgetsItsLeg, "A restored vehicle must take the same readings"),
        (ForgetsItsClock, "restore must bring back the clock"),
        (ForgetsItsPlace, "restore must bring back the pose"),
    ],
)
def test_check_vehicle_says_which_promise_was_broken(make, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_vehicle(make, workspace=WORKSPACE, arrives_within=0.1)


@pytest.mark.parametrize(
    "make",
    [
        Hopper,
        lambda: Hopper((50.0, -70.0)),
        lambda: TimeLimited(Hopper(), seconds_per_leg=1e6),
        lambda: boat(turn_gain=0.3),
        lambda: boat(sampling_rate=0.2),
        lambda: boat(Dropouts(PointSensor(Waves()), 0.8)),
        lambda: teleport(Dropouts(PointSensor(Waves()), 0.5)),
        lambda: teleport(Dropouts(PointSensor(Waves()), 0.8)),
    ],
    ids=[
        "stateless",
        "from far away",
        "empty state",
        "wide turns",
        "rare readings",
        "boat with dropouts",
        "dropouts",
        "many dropouts",
    ],
)
def test_check_vehicle_accepts_sound_vehicles(make):
    check_vehicle(make, workspace=WORKSPACE, arrives_within=0.1)


@pytest.mark.parametrize("dim", [1, 3])
def test_check_vehicle_knows_other_dimensions(dim):
    workspace = Box((0,) * dim, tuple(range(1, dim + 1)))
    check_vehicle(lambda: Hopper((0.0,) * dim), workspace=workspace, arrives_within=0.0)

    class Skips(OnlyTheLast):
        def __init__(self):
            super().__init__((0.0,) * dim)

    with pytest.raises(AssertionError, match="no reading near waypoint"):
        check_vehicle(Skips, workspace=workspace, arrives_within=0.0)


# -- models ----------------------------------------------------------------------------------------------------------


def gp(cls=GPRegression, kernel=RBFKernel, **kwargs):
    return lambda: cls(ScaleKernel(kernel()), **kwargs)


def wavy(n=20, seed=0, dim=2):
    X = np.random.default_rng(seed).uniform(-1, 1, (n, dim))
    return Samples(X, 100 + 5 * np.sin(3 * X[:, 0]))


class IgnoresReadings(GPRegression):
    """The prior, whatever was read."""

    def _prior(self, X, variance):
        return Prediction(X[:, 0].copy(), variance + 0.01 * np.abs(X[:, 0]))

    def predict(self, X):
        return self._prior(X, 2.0)

    def latent(self, X):
        return self._prior(X, 1.0)


class IgnoresValues(GPRegression):
    """More certain with every reading, and none the wiser."""

    def predict(self, X):
        return Prediction(X[:, 0].copy(), super().predict(X).variance)


class IgnoresPlaces(GPRegression):
    """The readings' mean, everywhere."""

    def predict(self, X):
        return Prediction(np.full(len(X), self.samples.y.mean()), super().predict(X).variance)


class SureOfReadings(GPRegression):
    def predict(self, X):
        return Prediction(super().predict(X).mean, np.zeros(len(X)))

    def latent(self, X):
        return self.predict(X)


class EquallySureEverywhere(GPRegression):
    def latent(self, X):
        return Prediction(super().latent(X).mean, np.full(len(X), 1e-9))


class UnsureOfNews(GPRegression):
    def predict(self, X):
        prediction = super().predict(X)
        return Prediction(prediction.mean, prediction.variance * len(self.samples) ** 2)


class SurerThanTheField(GPRegression):
    def predict(self, X):
        prediction = self.latent(X)
        return Prediction(prediction.mean, 0.5 * prediction.variance)


class NotANumberAfterFit(GPRegression):
    fitted = False

    def fit(self, steps):
        self.fitted = True
        return super().fit(steps)

    def predict(self, X):
        prediction = super().predict(X)
        return Prediction(prediction.mean + (np.nan if self.fitted else 0.0), prediction.variance)


class DeafAfterFit(NotANumberAfterFit):
    def predict(self, X):
        return GPRegression.predict(self, X)

    def observe(self, samples):
        if not self.fitted:
            super().observe(samples)


class FlatAfterFit(NotANumberAfterFit):
    def predict(self, X):
        prediction = GPRegression.predict(self, X)
        return Prediction(prediction.mean * (0.0 if self.fitted else 1.0), prediction.variance)


class Reorders(GPRegression):
    @property
    def samples(self):
        samples = super().samples
        return Samples(samples.X[::-1], samples.y[::-1])


class ComparesQueries(GPRegression):
    def predict(self, X):
        prediction = super().predict(X)
        return Prediction(prediction.mean - prediction.mean.mean(), prediction.variance)


class RandomGuesses(GPRegression):
    rng = np.random.default_rng(0)

    def predict(self, X):
        prediction = super().predict(X)
        return Prediction(prediction.mean + self.rng.normal(0, 1e-3), prediction.variance)


class Untrainable(GPRegression):
    def fit(self, steps):
        return 1.0


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        (IgnoresReadings, "must make its place more certain"),
        (IgnoresValues, "draw the mean towards them"),
        (IgnoresPlaces, "the mean must vary.$"),
        (SureOfReadings, "variance of a reading must be positive"),
        (EquallySureEverywhere, "Variance must depend on where"),
        (UnsureOfNews, "less certain"),
        (SurerThanTheField, "never more certain than the field"),
        (NotANumberAfterFit, "must be finite"),
        (DeafAfterFit, "must make its place more certain"),
        (FlatAfterFit, "the mean must vary after fit too"),
        (Reorders, "as they came, in order"),
        (ComparesQueries, "neighbours in the query matter"),
        (RandomGuesses, "predict must not change"),
        (Untrainable, "fit must lower the loss"),
    ],
)
def test_check_model_says_which_promise_was_broken(model, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_model(gp(model), wavy())


@pytest.mark.parametrize("noise_variance", [1e-3, 30.0])
@pytest.mark.parametrize("kernel", [RBFKernel, lambda: MaternKernel(nu=0.5)], ids=["rbf", "exponential"])
@pytest.mark.parametrize(("n", "dim", "mean"), [(4, 1, "zero"), (30, 2, "constant"), (60, 3, "zero")])
def test_check_model_accepts_gaussian_processes(noise_variance, kernel, mean, n, dim):
    check_model(gp(kernel=kernel, noise_variance=noise_variance, mean=mean), wavy(n, dim=dim))


# -- strategies ------------------------------------------------------------------------------------------------------


class Leaves:
    def plan(self, belief, situation, rng):
        return Plan(2 * np.array([situation.workspace.upper]) - np.array([situation.workspace.lower]))


class Flattens:
    def plan(self, belief, situation, rng):
        return Plan(np.array([situation.workspace.lower[:1]]))


class GivesPoints:
    def plan(self, belief, situation, rng):
        return np.array([situation.workspace.lower])


class OwnRandomness:
    def plan(self, belief, situation, rng):
        return Uniform().plan(belief, situation, np.random.default_rng())


@dataclass
class RemembersPlans:
    """One plan for each workspace: the first."""

    known: dict = field(default_factory=dict)

    def plan(self, belief, situation, rng):
        return self.known.setdefault(situation.workspace, Uniform().plan(belief, situation, rng))


@dataclass
class RemembersWhereItWas:
    """Plans again as before if asked again, but goes on from the plan before that."""

    at: tuple | None = None
    before: tuple | None = None

    def plan(self, belief, situation, rng):
        if self.at != situation:
            self.before, self.at = self.at, situation
        box = situation.workspace
        return Plan(np.array([box.lower if self.before and self.before.workspace != box else box.upper]))


@pytest.mark.parametrize(
    ("strategy", "complaint"),
    [
        (object(), "has a method plan"),
        (Leaves(), "lies outside"),
        (Flattens(), "as many dimensions"),
        (GivesPoints(), "must return a Plan; got ndarray"),
        (OwnRandomness(), "must give the same plan"),
        (RemembersPlans(), "Earlier plans must not matter"),
        (RemembersWhereItWas(), "Earlier plans must not matter"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_check_strategy_says_which_promise_was_broken(unchecked, strategy, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_strategy(strategy)


class OnALine:
    def plan(self, belief, situation, rng):
        ((lower,), (upper,)) = situation.workspace.lower, situation.workspace.upper
        return Plan(np.array([[rng.uniform(lower, upper)]]))


@pytest.mark.parametrize("strategy", [OnALine(), Uniform(), Myopic(20)], ids=lambda value: type(value).__name__)
def test_check_strategy_takes_other_workspaces(strategy):
    check_strategy(strategy, workspaces=[Box((0,), (1,))])


def test_check_strategy_needs_a_workspace():
    with pytest.raises(ValueError, match="at least one workspace"):
        check_strategy(Uniform(), workspaces=[])


# -- sensors ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reads:
    """What `read` makes of the points and a generator."""

    read: object

    def measure(self, X, rng):
        return self.read(X, rng)


def noisy(X, rng):
    return X[:, 0] + rng.normal(0, 1, len(X))


def whole_metres(X, rng):
    y = np.round(X[:, 0] + rng.normal(0, 0.3, len(X)))
    return np.where(y < -4, np.nan, y)


def changes_points(X, rng):
    X += 1
    return X[:, 0].copy()


@pytest.mark.parametrize(
    ("read", "complaint"),
    [
        (lambda X, rng: np.full(len(X), np.nan), "At least one reading must come back"),
        (lambda X, rng: np.full(len(X), np.inf), "finite, or NaN"),
        (lambda X, rng: noisy(X, rng) - np.mean(X[:, 0]) if len(X) else np.empty(0), "depend on its own place"),
        (lambda X, rng: noisy(X, rng).cumsum(), "depend on its own place"),
        (lambda X, rng: np.sort(noisy(X, rng)), "depend on its own place"),
        (lambda X, rng: noisy(X, rng) + len(X), "depend on its own place"),
        (lambda X, rng: noisy(X, rng) if len(X) > 1 else np.full(len(X), np.nan), "depend on its own place"),
        (lambda X, rng: noisy(X, rng).squeeze(), r"one reading per point, \(1,\); got \(\)"),
        (lambda X, rng: noisy(X, rng)[:, None], r"one reading per point, \(64,\); got \(64, 1\)"),
        (lambda X, rng: noisy(X, rng).astype(np.float32), "must be float64"),
        (lambda X, rng: noisy(X, rng).tolist(), "must give an array"),
        (lambda X, rng: noisy(X, np.random.default_rng()), "same generator"),
        (changes_points, "must not change the points"),
    ],
)
def test_check_sensor_says_which_promise_was_broken(read, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_sensor(Reads(read), workspace=WORKSPACE)


@pytest.mark.parametrize(
    "sensor",
    [
        Reads(noisy),
        Reads(whole_metres),
        Reads(lambda X, rng: X[:, 0] + rng.standard_cauchy(len(X))),
        Reads(lambda X, rng: np.full(len(X), 7.0)),
        Reads(lambda X, rng: X[:, 0] + rng.normal()),
        Reads(lambda X, rng: np.where(X[:, 0] > 9, X[:, 1], np.nan)),
        Reads(lambda X, rng: X[:, 0].astype(np.float32) * np.float64(1 + 1e-8 * len(X))),
        Dropouts(Outliers(PointSensor(Waves()), 0.3, 1e3), 0.9),
    ],
    ids=["noisy", "whole metres", "Cauchy", "constant", "common error", "mostly land", "rounding", "mostly dropouts"],
)
def test_check_sensor_accepts_sound_sensors(sensor):
    check_sensor(sensor, workspace=WORKSPACE)
