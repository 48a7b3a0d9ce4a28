"""A model and a planner that may fail or take too long: the survey goes on without them.

Both work in one thread beside the mission's. What does not answer in time is left behind: from then on the survey
follows its lawnmower, and the model takes up what it missed when it is free again.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import Any, TypeVar

from numpy.random import Generator

from akrig.errors import AkrigError
from akrig.protocols import Belief, Model, Strategy
from akrig.survey.trust import Trust
from akrig.types import Plan, Points, Prediction, Samples, Situation

T = TypeVar("T")
Tell = Callable[[str], None]


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

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)


class CautiousModel:
    """Passes on to a model what it can take; keeps what it cannot."""

    def __init__(self, model: Model, worker: Worker, *, tell: Tell) -> None:
        self._model, self._worker, self._tell = model, worker, tell
        self._missed: Samples | None = None  # what the model has not taken in yet
        self.is_well = True
        self.trust = Trust()

    @property
    def samples(self) -> Samples:
        return self._model.samples if self._missed is None else self._model.samples.append(self._missed)

    def observe(self, samples: Samples) -> None:
        new = samples if self._missed is None else self._missed.append(samples)
        if len(self._model.samples) and self._missed is None:
            self._try(lambda: self.trust.judge(self._model.predict(new.X), new.y), "foretell the leg", None)
        before, self._missed = len(self._model.samples), new
        self._try(lambda: self._model.observe(new), "take in the new soundings", None)
        if self._worker.is_free and len(self._model.samples) == before + len(new):
            self._missed = None

    def fit(self, steps: int) -> float:
        return self._try(lambda: self._model.fit(steps), "learn from the new soundings", float("nan"))

    def predict(self, X: Points) -> Prediction:
        return self._model.predict(X)

    def latent(self, X: Points) -> Prediction:
        return self._model.latent(X)

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
