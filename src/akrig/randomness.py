"""One seed, spawned per purpose and per epoch.

Changing the planner leaves the noise untouched, and epoch t can be repeated without epochs 0 to t - 1.

Whatever is random in a mission comes from here. What has a seed of its own: made-up terrain (`fields.terrain`), the
regressions of a study, which repeat the authors' draws (`study.regression`), the order of a log that has no times
(`survey.logs.log`), the simulated boat's weather and sensors (`survey.boat`), and the checks in `testing`.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator, SeedSequence

Purpose = Literal["pilot", "sensor", "strategy", "network", "survey", "batch", "held back"]
PURPOSES = get_args(Purpose)


@dataclass(frozen=True)
class Randomness:
    """A tree of random generators."""

    seed: int

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError(f"A seed is zero or more; got {self.seed}.")

    def generator(self, purpose: Purpose, epoch: int = 0) -> Generator:
        return np.random.default_rng(self._sequence(purpose, epoch))

    def integer(self, purpose: Purpose, member: int = 0) -> int:
        """A seed for other libraries; of several alike, each has its own."""
        return int(self._sequence(purpose, member).generate_state(1, np.uint32)[0])

    def _sequence(self, purpose: Purpose, epoch: int) -> SeedSequence:
        return SeedSequence(self.seed, spawn_key=(PURPOSES.index(purpose), epoch))
