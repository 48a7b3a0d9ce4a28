"""Is the map as sure as it says? Each leg is foretold before it is learnt from, and the misses are counted."""

from collections import deque

import numpy as np

from akrig.types import Prediction, Values

WITHIN = 1.96  # standard deviations that hold 95 % of what is foretold well
RECENT = 60  # readings that are judged by
FEWEST = 20
ENOUGH = 0.8  # of the readings within their interval: fewer, and the model is surer than it has reason to be


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
