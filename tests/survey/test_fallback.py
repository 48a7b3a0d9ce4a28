"""A model or planner that fails or hangs does not end a survey: it goes on along a lawnmower's lines."""

import threading

import numpy as np
import pytest

from akrig.geometry import Box, Pose
from akrig.survey.fallback import FEWEST, CautiousModel, LegCalibration, Overrun, WithFallback, Worker
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


def test_before_the_map_is_drawn_a_busy_model_is_waited_for(worker):
    """It takes in every sounding once, and is trained on them all, before anybody looks at it."""
    said, free, trained = [], threading.Event(), []
    inner = Model(lambda: free.wait() and 2.0)
    inner.fit = lambda steps, learn=inner.fit: (learn(steps), trained.append(steps))[0]
    model = cautious(worker, inner, said)
    model.observe(some())
    model.fit(3)
    model.observe(some(2))
    model.fit(2)
    looks = iter([lambda: True, lambda: free.set() or True])
    assert model.catch_up(lambda: next(looks, lambda: True)())
    assert worker.is_free
    assert len(inner.samples) == len(model.samples) == 5
    assert trained == [3, 2]
    assert "still learning from the last soundings" in said[-1]
    assert model.catch_up(lambda: False)  # nothing is left to wait for


def test_who_does_not_want_to_wait_for_a_busy_model_need_not(worker):
    free = threading.Event()
    model = cautious(worker, Model(lambda: free.wait() and 2.0), [])
    model.observe(some())
    model.fit(3)
    assert not model.catch_up(lambda: False)
    free.set()


def test_soundings_that_took_too_long_are_not_taken_in_twice(worker):
    free = threading.Event()
    inner = Model()
    take_in = inner.observe
    inner.observe = lambda samples: free.wait() and take_in(samples)
    model = cautious(worker, inner, [])
    model.observe(some())
    model.observe(some(2))
    free.set()
    worker._task.result(5)
    assert len(inner.samples) == 3
    model.observe(some(1))
    assert len(inner.samples) == len(model.samples) == 6


def test_model_that_fails_at_last_is_told_and_the_map_drawn(worker):
    said, free = [], threading.Event()
    answers = iter([lambda: free.wait(), fail])
    model = cautious(worker, Model(lambda: next(answers)()), said)
    model.observe(some())
    model.fit(3)
    model.fit(3)
    free.set()
    assert model.catch_up(lambda: True)
    assert "could not learn from the last soundings (RuntimeError: out of luck); the map is without them" in said[-1]


def test_worker_says_what_was_too_slow(worker):
    free = threading.Event()
    with pytest.raises(Overrun, match="within 0 s"):
        worker.run(free.wait)
    with pytest.raises(Overrun, match="still busy"):
        worker.run(lambda: 1)
    free.set()


def judged(misses: np.ndarray) -> LegCalibration:
    """Of readings that lie so many standard deviations beside what was foretold."""
    trust = LegCalibration()
    trust.judge(Prediction(np.zeros(len(misses)), np.full(len(misses), 4.0)), 2.0 * misses)
    return trust


def test_trust_is_earned_by_readings_that_fall_where_they_were_foretold(rng):
    assert judged(rng.standard_normal(60)).is_earned


def test_a_model_that_is_too_sure_is_not_trusted(rng):
    assert not judged(4 * rng.standard_normal(60)).is_earned


def test_a_few_readings_are_too_few(rng):
    assert not LegCalibration().is_earned
    assert not judged(np.zeros(FEWEST - 1)).is_earned


def test_what_counts_are_the_latest_readings():
    trust = judged(np.full(60, 5.0))
    assert not trust.is_earned
    trust.judge(Prediction(np.zeros(60), np.ones(60)), np.zeros(60))
    assert trust.is_earned
