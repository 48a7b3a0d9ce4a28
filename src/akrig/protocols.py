"""The architecture on one screen: what each part may ask of the others.

(The mission's parts, Field, Sensor, Strategy and Vehicle, join here when missions do.)
"""

from typing import Protocol, runtime_checkable

from akrig.types import Points, Prediction, Samples


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
