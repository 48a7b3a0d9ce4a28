"""What a part can do beside what it must, asked through whatever is wrapped around it."""

import numpy as np
import pytest
from gpytorch.kernels import RBFKernel, ScaleKernel

from akrig.geometry import Pose
from akrig.gp import GPRegression
from akrig.kernels import GibbsKernel
from akrig.protocols import Explaining, KnowsNoise, Restorable, Saved, Searching, Vehicle, capability
from akrig.strategies.candidates import most_uncertain
from akrig.survey.fallback import CautiousModel, Worker
from akrig.types import Prediction, Samples
from akrig.vehicles import Continued, Fenced, Journaled, Relay, TimeLimited
from akrig.vehicles.wrappers import restore, state_of
from tests.worlds import WORKSPACE, boat, teleport

X = np.random.default_rng(0).uniform(0, 10, (12, 2))


class RealBoat:
    """It is where it is."""

    pose, clock = Pose((1.0, 2.0)), 3.0

    def follow(self, plan):
        yield from ()


class Paper:
    def plan(self, plan): ...

    def measurement(self, measurement): ...


AROUND = [
    lambda vehicle: Fenced(vehicle, WORKSPACE),
    lambda vehicle: TimeLimited(vehicle, seconds_per_leg=5.0),
    lambda vehicle: Journaled(vehicle, Paper()),
    lambda vehicle: Journaled(TimeLimited(Fenced(vehicle, WORKSPACE), seconds_per_leg=5.0), Paper()),
]


@pytest.mark.parametrize("wrap", AROUND)
def test_wrapped_vehicle_is_restorable_just_if_the_vehicle_is(wrap):
    assert isinstance(wrap(RealBoat()), Vehicle)
    assert capability(wrap(RealBoat()), Restorable) is None
    assert state_of(wrap(RealBoat())) == {}
    inside = boat()
    assert capability(wrap(inside), Restorable) is inside
    assert state_of(wrap(inside)) == inside.state != {}


@pytest.mark.parametrize("wrap", AROUND)
def test_no_wrapper_pretends_to_have_a_state(wrap):
    assert not isinstance(wrap(boat()), Restorable)


def test_wrapped_vehicle_is_restored():
    moved, again = Fenced(boat(), WORKSPACE), Fenced(boat(), WORKSPACE)
    moved.vehicle.restore({**state_of(moved), "position": [3.0, 4.0]})
    restore(again, state_of(moved))
    assert again.pose.position == (3.0, 4.0)


def test_relay_has_a_state_if_both_vehicles_have():
    assert state_of(Relay(teleport(), boat()))["relieved"] is False
    assert capability(Relay(teleport(), RealBoat()), Restorable) is None
    assert capability(Relay(RealBoat(), boat()), Restorable) is None


def test_vehicle_whose_clock_goes_on_has_no_state():
    assert capability(Continued(boat(), begin=10.0), Restorable) is None


@pytest.fixture
def worker():
    worker = Worker(5.0)
    yield worker
    worker.close()


def fitted(kernel):
    model = GPRegression(ScaleKernel(kernel))
    model.observe(Samples(X, np.sin(X[:, 0])))
    return model


def test_cautious_model_finds_the_most_uncertain_place_as_its_model_does(worker):
    model = fitted(GibbsKernel.with_network(2))
    asked = []

    class Watched(GPRegression):
        def most_uncertain(self, X):
            asked.append(len(X))
            return super().most_uncertain(X)

    model.__class__ = Watched
    cautious = CautiousModel(model, worker, tell=lambda sentence: None)
    places = np.random.default_rng(1).uniform(0, 10, (40, 2))
    assert most_uncertain(cautious, places) == int(np.argmax(model.predict(places).variance))
    assert asked == [40]


def test_cautious_model_tells_how_far_its_model_sees(worker):
    model = fitted(GibbsKernel.with_network(2))
    cautious = CautiousModel(model, worker, tell=lambda sentence: None)
    explaining, noise = capability(cautious, Explaining), capability(cautious, KnowsNoise)
    assert (explaining.explain(X).lengthscale == model.explain(X).lengthscale).all()
    assert noise.noise_variance == model.noise_variance


def test_cautious_model_is_not_loaded_behind_its_back(worker):
    """Its readings would no longer be those that it counts."""
    model = fitted(RBFKernel())
    assert capability(model, Saved) is model
    assert capability(CautiousModel(model, worker, tell=lambda sentence: None), Saved) is None


def test_model_that_cannot_search_is_not_asked_to(worker):
    class Plain:
        samples = Samples.none(dim=2)

        def predict(self, X):
            return Prediction(np.zeros(len(X)), X[:, 0] + 1.0)

        latent = predict

        def observe(self, samples): ...

        def fit(self, steps):
            return 0.0

    cautious = CautiousModel(Plain(), worker, tell=lambda sentence: None)
    assert capability(cautious, Searching) is None
    assert most_uncertain(cautious, X) == int(np.argmax(X[:, 0]))
