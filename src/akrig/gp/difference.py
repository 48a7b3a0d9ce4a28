"""A model of how a field differs from a map that is known before: that map is its mean."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from akrig.protocols import (
    Accountable,
    Belief,
    Experienced,
    Explaining,
    Exploring,
    Joint,
    KnowsNoise,
    Model,
    Saved,
    Searching,
    capability,
)
from akrig.types import JointPrediction, Points, Prediction, Samples, Values

T = TypeVar("T")
ALIKE = (Searching, Explaining, Experienced, KnowsNoise, Accountable, Saved)  # what a mean changes nothing of


class DifferenceBelief:
    """Args:
    inside: of what differs.
    prior: the map.
    """

    def __init__(self, inside: Belief, prior: Callable[[Points], Values]) -> None:
        self._inside, self._prior = inside, prior

    def predict(self, X: Points) -> Prediction:
        """Of a noisy reading at each point."""
        return self._raised(self._inside.predict(X), X)

    def latent(self, X: Points) -> Prediction:
        """Of the field itself, without the sensor's noise."""
        return self._raised(self._inside.latent(X), X)

    def offer(self, wanted: type[T]) -> T | None:
        around: dict[type, Callable[[Any], Any]] = {
            **{each: lambda found: found for each in ALIKE},
            Joint: lambda found: _JointDifference(found, self._prior),
            Exploring: lambda found: _ExploringDifference(found, self._prior),
        }
        found = capability(self._inside, wanted) if wanted in around else None
        return None if found is None else around[wanted](found)

    def _raised(self, said: Prediction, X: Points) -> Prediction:
        return Prediction(said.mean + self._prior(X), said.variance)


class _JointDifference(DifferenceBelief):
    def __init__(self, inside: Joint, prior: Callable[[Points], Values]) -> None:
        super().__init__(inside, prior)
        self._joint = inside

    def joint(self, X: Points) -> JointPrediction:
        said = self._joint.joint(X)
        return JointPrediction(said.mean + self._prior(X), said.covariance)


class _ExploringDifference(DifferenceBelief):
    def __init__(self, inside: Exploring, prior: Callable[[Points], Values]) -> None:
        super().__init__(inside, prior)
        self._exploring = inside

    @property
    def for_planning(self) -> Belief:
        return DifferenceBelief(self._exploring.for_planning, self._prior)


class DifferenceModel(DifferenceBelief):
    """Args:
    inside: any model; it observes readings less the map.
    prior: the map, at any place of the workspace.
    """

    def __init__(self, inside: Model, prior: Callable[[Points], Values]) -> None:
        super().__init__(inside, prior)
        self._model, self._samples = inside, inside.samples

    @property
    def samples(self) -> Samples:
        """All readings observed so far, as they came."""
        inside = self._model.samples
        if not np.array_equal(self._samples.X, inside.X):  # it was loaded
            self._samples = Samples(inside.X, inside.y + self._prior(inside.X)) if len(inside) else inside
        return self._samples

    def observe(self, samples: Samples) -> None:
        """Take in new readings; the parameters stay."""
        if not len(samples):
            return
        before = self.samples
        self._model.observe(Samples(samples.X, samples.y - self._prior(samples.X)))
        self._samples = before.append(samples) if len(before) else samples

    def fit(self, steps: int) -> float:
        """Train for `steps` steps on all readings; returns the last loss."""
        return self._model.fit(steps)
