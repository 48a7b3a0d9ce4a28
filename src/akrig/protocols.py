"""The architecture on one screen: what each part may ask of the others.

A part of your own needs no base class: it has these methods, and `akrig.testing` checks that it keeps their promises.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

from numpy.random import Generator

from akrig.geometry import Box, Pose
from akrig.types import Attention, JointPrediction, Measurement, Plan, Points, Prediction, Samples, Situation, Values

T = TypeVar("T")


@runtime_checkable
class Belief(Protocol):
    """All that strategies and metrics may ask."""

    def predict(self, X: Points) -> Prediction:
        """Of a noisy reading at each point."""
        ...

    def latent(self, X: Points) -> Prediction:
        """Of the field itself, without the sensor's noise: for maps."""
        ...


@runtime_checkable
class Searching(Belief, Protocol):
    """A belief that knows a faster way to the least certain of many points than predicting at each."""

    def most_uncertain(self, X: Points) -> int:
        """The place of the point whose reading has the largest predicted variance."""
        ...


@runtime_checkable
class Exploring(Belief, Protocol):
    """A belief that says more of its map than planners should go by.

    Where readings surprised it, it is less sure than elsewhere. A planner that followed that would stay there, and
    never learn of a place that only looks quiet.
    """

    @property
    def for_planning(self) -> Belief:
        """The same, by what was read where alone."""
        ...


@runtime_checkable
class Joint(Belief, Protocol):
    """A belief that knows how places hang together: what a reading at one will tell of another."""

    def joint(self, X: Points) -> JointPrediction:
        """Of the field at a set of points, with the covariance between them."""
        ...


@runtime_checkable
class Experienced(Protocol):
    """A belief that can tell what it has seen."""

    @property
    def samples(self) -> Samples: ...


@runtime_checkable
class Model(Belief, Protocol):
    """What the mission needs."""

    @property
    def samples(self) -> Samples: ...

    def observe(self, samples: Samples) -> None:
        """Take in new readings; the parameters stay."""
        ...

    def fit(self, steps: int) -> float:
        """Train for `steps` steps on all readings; returns the last loss."""
        ...


@runtime_checkable
class Explaining(Protocol):
    """A model that can tell how far it sees at each place."""

    def explain(self, X: Points) -> Attention | None:
        """In metres; `None` if it sees equally far everywhere, or does not know yet."""
        ...


@runtime_checkable
class KnowsNoise(Protocol):
    """A model that knows its sensor's noise, the same everywhere: what `predict` adds to `latent`."""

    @property
    def noise_variance(self) -> float:
        """Of a reading, in the sensor's units squared."""
        ...


@runtime_checkable
class Accountable(Protocol):
    """A model that keeps account of what it said of readings before it learnt from them."""

    @property
    def foretold(self) -> float | None:
        """The share of the latest readings inside their 95 % intervals; `None` before there are enough."""
        ...


@runtime_checkable
class Saved(Protocol):
    """A model that can go on from a file exactly where it was."""

    def save(self, path: str | Path) -> None: ...

    def load(self, path: str | Path) -> None: ...


@runtime_checkable
class Field(Protocol):
    """Ground truth: for simulation and scoring only."""

    @property
    def extent(self) -> Box: ...

    def __call__(self, X: Points) -> Values:
        """The value at each point; NaN where there is none."""
        ...


@runtime_checkable
class Sensor(Protocol):
    """What a reading is, given the place."""

    def measure(self, X: Points, rng: Generator) -> Values:
        """One reading at each point; NaN where none came back."""
        ...


@runtime_checkable
class Strategy(Protocol):
    """Where to measure next; pure, given rng."""

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan: ...


@runtime_checkable
class Vehicle(Protocol):
    """Line 7 of Algorithm 1, simulated, replayed or real."""

    @property
    def pose(self) -> Pose: ...

    @property
    def clock(self) -> float:
        """Seconds since the mission began, as the vehicle counts them."""
        ...

    def follow(self, plan: Plan) -> Iterator[Measurement]:
        """Goes there, yields each reading as it arrives, and returns when the plan is done."""
        ...


@runtime_checkable
class Restorable(Protocol):
    """A vehicle whose whole state is a handful of numbers: a mission with it can be repeated from any epoch."""

    @property
    def state(self) -> dict[str, Any]:
        """As JSON knows it."""
        ...

    def restore(self, state: dict[str, Any]) -> None: ...


@runtime_checkable
class Wrapper(Protocol):
    """A part around another one, which answers for both: what it has no method for, the one inside may have."""

    def offer(self, wanted: type[T]) -> T | None:
        """Who can do what the protocol says, without undoing what this wrapper is for; `None` if nobody can."""
        ...


def capability(part: object, wanted: type[T]) -> T | None:
    """Who, of a part and what it is wrapped around, can do more than it must: `Searching`, `Saved`, `Restorable`, ...

    The one way to ask: a wrapper says so itself, rather than have methods that may lead nowhere.
    """
    if isinstance(part, wanted):
        return part
    return part.offer(wanted) if isinstance(part, Wrapper) else None
