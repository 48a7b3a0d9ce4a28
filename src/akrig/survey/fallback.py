"""A model and a planner that may fail or take too long: the survey goes on without them.

Both work in one thread beside the mission's. What does not answer in time is left behind: from then on the survey
follows its lawnmower, and the model takes up what it missed when it is free again.
"""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from concurrent.futures import TimeoutError as NotYet
from typing import Any, TypeVar

import numpy as np
from numpy.random import Generator

from akrig.errors import AkrigError, NowhereToGo
from akrig.protocols import Belief, Explaining, Exploring, Joint, KnowsNoise, Model, Searching, Strategy, capability
from akrig.types import Plan, Points, Prediction, Samples, Situation, Values

WITHIN = 1.96  # standard deviations that hold 95 % of what is foretold well
RECENT = 60  # readings that are judged by
FEWEST = 20
ENOUGH = 0.8  # of the readings within their interval: fewer, and the model is surer than it has reason to be
T = TypeVar("T")
Tell = Callable[[str], None]
GLANCE = 0.2  # seconds between two looks at whether to go on waiting


class LegCalibration:
    """How well the latest readings were foretold by a model that had not seen them."""

    def __init__(self) -> None:
        self._hits: deque[bool] = deque(maxlen=RECENT)

    def judge(self, foretold: Prediction, measured: Values) -> None:
        misses = np.abs(measured - foretold.mean) / np.sqrt(foretold.variance)
        self._hits.extend((misses <= WITHIN).tolist())

    @property
    def is_earned(self) -> bool:
        return len(self._hits) >= FEWEST and float(np.mean(self._hits)) >= ENOUGH


class Overrun(AkrigError, TimeoutError):
    """The model or the planner did not answer in time."""


class Worker:
    """One thread, one task at a time.

    Args:
        seconds: that a task may take, on this computer's clock.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="akrig model")
        self._task: Future[Any] | None = None

    @property
    def is_free(self) -> bool:
        return self._task is None or self._task.done()

    def run(self, act: Callable[[], T]) -> T:
        if not self.is_free:
            raise Overrun("The model is still busy with an earlier task.")
        self._task = self._executor.submit(act)
        try:
            return self._task.result(self.seconds)
        except NotYet:
            if self._task.done():
                raise  # the task's own
            raise Overrun(f"No answer within {self.seconds:.0f} s.") from None

    def wait(self, goes_on: Callable[[], bool]) -> bool:
        """Until it is free, however long that takes; no if the caller does not want to go on waiting."""
        while not self.is_free:
            if not goes_on():
                return False
            wait([self._task] if self._task is not None else [], timeout=GLANCE)
        return True

    def finish(self, act: Callable[[], Any], goes_on: Callable[[], bool]) -> bool:
        """As `run`, with all the time there is; no if the caller does not want to go on waiting."""
        if not self.wait(goes_on):
            return False
        self._task = task = self._executor.submit(act)
        if not self.wait(goes_on):
            return False
        task.result()
        return True

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)


class CautiousModel:
    """Passes on to a model what it can take; keeps what it cannot."""

    def __init__(self, model: Model, worker: Worker, *, tell: Tell) -> None:
        self._model, self._worker, self._tell = model, worker, tell
        self._missed: Samples | None = None  # what the model has not taken in yet
        self._before = 0  # readings that the model had when it began to miss some
        self._owed = 0  # steps of training that it was too busy for
        self.is_well = True
        self.trust = LegCalibration()

    @property
    def samples(self) -> Samples:
        return self._model.samples if self._missed is None else self._model.samples.append(self._missed)

    def observe(self, samples: Samples) -> None:
        self._count_taken()
        new = samples if self._missed is None else self._missed.append(samples)
        if self._missed is None:
            self._before = len(self._model.samples)
            if self._before:
                self._try(lambda: self.trust.judge(self._model.predict(new.X), new.y), "foretell the leg", None)
        self._missed = new
        self._try(lambda: self._model.observe(new), "take in the new soundings", None)
        self._count_taken()

    def catch_up(self, goes_on: Callable[[], bool]) -> bool:
        """Waits until the model has learnt from all soundings, as long as that takes; no if it is not to be waited for.

        To be called before the map is drawn: a model that is still learning says nothing that could be trusted.
        """
        self._count_taken()
        if self._worker.is_free and self._missed is None and not self._owed:
            return True
        self._tell("The model is still learning from the last soundings: the map is drawn when it is done.")
        try:
            return self._worker.wait(goes_on) and self._worker.finish(self._learn_rest, goes_on)
        except Exception as error:  # whatever a model does
            self._tell(f"The model could not learn from the last soundings ({_words(error)}); the map is without them.")
            return True

    def _learn_rest(self) -> None:
        """In the worker's thread."""
        taken = len(self._model.samples) - self._before
        if self._missed is not None and taken < len(self._missed):
            self._model.observe(self._missed.after(taken))
        self._missed = None
        if self._owed:
            self._model.fit(self._owed)
        self._owed = 0

    def _count_taken(self) -> None:
        """What the model has taken in is missed no more, even if that took too long."""
        if self._missed is None or not self._worker.is_free:
            return
        taken = len(self._model.samples) - self._before
        self._before += taken
        self._missed = self._missed.after(taken) if taken < len(self._missed) else None

    def fit(self, steps: int) -> float:
        if not self._worker.is_free:
            self._owed += steps
        return self._try(lambda: self._model.fit(steps), "learn from the new soundings", float("nan"))

    def predict(self, X: Points) -> Prediction:
        return self._model.predict(X)

    def latent(self, X: Points) -> Prediction:
        return self._model.latent(X)

    def offer(self, wanted: type[T]) -> T | None:
        """What only looks at the model; nothing that changes it behind the back of who counts its readings."""
        looks = (Searching, Joint, Explaining, Exploring, KnowsNoise)
        return capability(self._model, wanted) if wanted in looks else None

    def _try(self, act: Callable[[], T], what: str, otherwise: T) -> T:
        try:
            result = self._worker.run(act)
        except Exception as error:  # whatever a model does: the boat is on the water
            if self.is_well or not isinstance(error, Overrun):
                self._tell(f"The model could not {what} ({_words(error)}); the survey goes on.")
            self.is_well = False
            return otherwise
        self.is_well = True
        return result


class WithFallback:
    """A strategy, and another one for when it fails, takes too long, or its model is not well.

    Args:
        fallback: plans by the epoch alone, such as a lawnmower.
    """

    def __init__(
        self, strategy: Strategy, fallback: Strategy, model: CautiousModel, worker: Worker, *, tell: Tell
    ) -> None:
        self._strategy, self._fallback, self._model, self._worker, self._tell = strategy, fallback, model, worker, tell
        self._told = False

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        if self._model.is_well and self._worker.is_free:
            try:
                plan = self._worker.run(lambda: self._strategy.plan(belief, situation, rng))
                self._told = False
                return plan
            except NowhereToGo:  # no failure: the budget is spent
                raise
            except Exception as error:
                self._say(f"The planner failed ({_words(error)})")
        else:
            self._say("The model is not well")
        return self._fallback.plan(belief, situation, rng)

    def _say(self, why: str) -> None:
        if not self._told:
            self._tell(f"{why}: the survey goes on along a lawnmower's lines.")
        self._told = True


def _words(error: Exception) -> str:
    return str(error).rstrip(".") if isinstance(error, AkrigError) else f"{type(error).__name__}: {error}"
