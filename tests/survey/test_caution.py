"""A model or planner that fails or hangs does not end a survey: it goes on along a lawnmower's lines."""

import threading

import numpy as np
import pytest

from akrig.geometry import Box, Pose
from akrig.survey.caution import CautiousModel, Overrun, WithFallback, Worker
from akrig.types import Budget, Plan, Prediction, Samples, Situation

SITUATION = Situation(Pose((0.0, 0.0)), Box((0, 0), (1, 1)), Budget(distance=10.0))
HERE, THERE = Plan(np.array([[0.1, 0.1]])), Plan(np.array([[0.9, 0.9]]))


class Model:
    """Remembers; does what it is told while learning."""

    def __init__(self, learning=lambda: 0.0):
        self.samples, self._learning = Samples.none(2), learning

    def observe(self, samples):
        self.samples = self.samples.append(samples)

    def fit(self, steps):
        return self._learning()

    def predict(self, X):
        return Prediction(np.zeros(len(X)), np.ones(len(X)))

    latent = predict


class Goes:
    def __init__(self, plan):
        self._plan = plan

    def plan(self, belief, situation, rng):
        return self._plan() if callable(self._plan) else self._plan


def some(count=3):
    return Samples(np.random.default_rng(0).random((count, 2)), np.zeros(count))


def fail():
    raise RuntimeError("out of luck")


@pytest.fixture
def worker():
    worker = Worker(0.2)
    yield worker
    worker.close()


def cautious(worker, model, said):
    return CautiousModel(model, worker, tell=said.append)


def test_what_goes_well_is_passed_on(worker, rng):
    said = []
    model = cautious(worker, Model(lambda: 1.5), said)
    model.observe(some())
    assert model.fit(3) == 1.5
    assert len(model.samples) == 3
    strategy = WithFallback(Goes(HERE), Goes(THERE), model, worker, tell=said.append)
    assert strategy.plan(model, SITUATION, rng) is HERE
    assert said == []


def test_model_that_fails_leaves_the_lawnmower_and_every_reading(worker, rng):
    said = []
    model = cautious(worker, Model(fail), said)
    model.observe(some())
    assert np.isnan(model.fit(3))
    assert len(model.samples) == 3
    strategy = WithFallback(Goes(HERE), Goes(THERE), model, worker, tell=said.append)
    assert strategy.plan(model, SITUATION, rng) is THERE
    assert "out of luck" in said[0]
    assert "lawnmower" in said[1]


def test_planner_that_fails_is_replaced_for_this_epoch_only(worker, rng):
    said, plans = [], iter([fail, lambda: HERE])
    model = cautious(worker, Model(), said)
    strategy = WithFallback(Goes(lambda: next(plans)()), Goes(THERE), model, worker, tell=said.append)
    assert strategy.plan(model, SITUATION, rng) is THERE
    assert strategy.plan(model, SITUATION, rng) is HERE
    assert len(said) == 1


def test_model_that_hangs_is_left_behind_and_catches_up_later(worker, rng):
    said, free = [], threading.Event()
    inner = Model(lambda: free.wait() and 2.0)
    model = cautious(worker, inner, said)
    model.observe(some())
    assert np.isnan(model.fit(3))
    assert not worker.is_free
    model.observe(some(2))
    assert len(model.samples) == 5
    strategy = WithFallback(Goes(HERE), Goes(THERE), model, worker, tell=said.append)
    assert strategy.plan(model, SITUATION, rng) is THERE
    free.set()
    worker._task.result(5)
    model.observe(some(1))
    assert len(inner.samples) == len(model.samples) == 6
    assert model.fit(1) == 2.0
    assert strategy.plan(model, SITUATION, rng) is HERE


def test_worker_says_what_was_too_slow(worker):
    free = threading.Event()
    with pytest.raises(Overrun, match="within 0 s"):
        worker.run(free.wait)
    with pytest.raises(Overrun, match="still busy"):
        worker.run(lambda: 1)
    free.set()
