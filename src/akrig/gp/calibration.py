"""How honest a belief has been: what it said of readings before it learnt from them, against what they were.

Every leg is predicted before it is learnt, so every reading is held out once, and none is held back from training.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from akrig.types import Prediction, Values

WITHIN = 1.96  # standard deviations that hold 95 % of what is foretold well
FEWEST = 20.0  # readings to be judged by
LARGEST_SURPRISE = 25.0  # squared standard deviations that one reading can count: an outlier is not a calibration


@dataclass(frozen=True)
class Calibration:
    """What held-out readings have said of several models and of their combination; older ones count less.

    Args:
        memory: readings after which what was said counts 1/e: models learn, and so must their calibration.
        prior: the scale of the variance before there is evidence.
        least: the scale is never less. Legs that a planner chose go where models know that they know little, and say
            less about places where they wrongly think that they know much: such evidence may widen, not narrow.
        trust: in the prior: as much as so many readings.
        sharpness: of the weights, per reading; 0 counts all members alike.
        nearby: see `LocalScale`; 0 for none.
        readings: held out so far, so weighted.
        surprise: the sum of their squared surprises, in predicted variances.
        hits: how many of them lay inside their 95 % interval, as it was scaled then.
        scores: each member's sum of log predictive densities, less the first's.
    """

    memory: float = 150.0
    prior: float = 1.0
    least: float = 1.0
    trust: float = 150.0
    sharpness: float = 0.0
    nearby: float = 8.0
    readings: float = 0.0
    surprise: float = 0.0
    hits: float = 0.0
    scores: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not all(0 < number < np.inf for number in (self.memory, self.prior, self.trust)):
            raise ValueError(
                f"Calibration needs memory, prior and trust above zero; got {self.memory}, {self.prior}, {self.trust}."
            )
        if not all(0 <= number < np.inf for number in (self.sharpness, self.least, self.nearby)):
            raise ValueError(
                "Calibration needs sharpness, least and nearby from zero; "
                f"got {self.sharpness}, {self.least}, {self.nearby}."
            )
        if not np.isfinite([self.readings, self.surprise, self.hits, *self.scores]).all() or (
            min(self.readings, self.surprise, self.hits) < 0
        ):
            raise ValueError("Calibration needs finite numbers; readings, surprise and hits from zero.")

    @property
    def variance_scale(self) -> float:
        """What predicted variances are to be multiplied by."""
        return max(self.least, (self.trust * self.prior + self.surprise) / (self.trust + self.readings))

    @property
    def foretold(self) -> float | None:
        """The share of the latest readings inside their 95 % intervals, before they were learnt; `None` if too few."""
        return None if self.readings < FEWEST else self.hits / self.readings

    def weights(self, num_members: int) -> Values:
        """How much each member counts; they sum to one."""
        scores = self.sharpness * np.array(self.scores or (0.0,) * num_members)
        relative = np.exp(scores - scores.max())
        return relative / relative.sum()

    @property
    def numbers(self) -> dict[str, Any]:
        """For a file."""
        return {**asdict(self), "scores": list(self.scores)}

    @classmethod
    def from_numbers(cls, numbers: Any, *, num_members: int) -> "Calibration":
        """From a file, which may be damaged: a ValueError says how."""
        if not isinstance(numbers, dict) or not isinstance(numbers["scores"], list):
            raise ValueError("its calibration is no section")
        scores = tuple(numbers["scores"])
        if len(scores) not in (0, num_members):
            raise ValueError(f"it has {len(scores)} scores for {num_members} members")
        return cls(**{**numbers, "scores": scores})

    def after(self, members: list[Prediction], combined: Prediction, readings: Values) -> "Calibration":
        """Of readings that were predicted so, unscaled, before they were learnt."""
        kept = float(np.exp(-len(readings) / self.memory))
        squared = surprises(combined, readings)
        scores = np.array([_log_density(member, readings) for member in members])
        before = np.array(self.scores or (0.0,) * len(members))
        return replace(
            self,
            readings=kept * self.readings + len(readings),
            surprise=kept * self.surprise + float(squared.sum()),
            hits=kept * self.hits + float((squared <= WITHIN**2 * self.variance_scale).sum()),
            scores=tuple(float(score) for score in kept * before + (scores - scores[0])),
        )


def surprises(prediction: Prediction, readings: Values) -> Values:
    """Squared errors, in predicted variances."""
    return np.minimum((readings - prediction.mean) ** 2 / prediction.variance, LARGEST_SURPRISE)


def mixture(members: list[Prediction], weights: Float[np.ndarray, " m"]) -> Prediction:
    """Of several models: where they disagree, nobody knows, so that their disagreement is variance too."""
    means = np.array([member.mean for member in members])
    mean = weights @ means
    variance = weights @ np.array([member.variance for member in members])
    return Prediction(mean, variance + weights @ (means - mean) ** 2)


def _log_density(prediction: Prediction, readings: Values) -> float:
    return float(-0.5 * (np.log(prediction.variance) + surprises(prediction, readings)).sum())
