"""Seconds per epoch of one mission, in whose blocks two things take turns; so a busy moment hits both alike."""

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

SURE = 0.95  # that the median of all pairs lies in the interval
TO_SETTLE = 3  # epochs after each turn


class Blocks:
    """Even blocks are one thing's, odd ones the other's.

    Args:
        epochs: in a block.
    """

    def __init__(self, epochs: int) -> None:
        self.epochs, self.seconds = epochs, list[float]()
        self._clock, self._turn = math.nan, lambda number: None

    def begin(self, turn: Callable[[int], None]) -> None:
        """Args:
        turn: to the block of that number; its own time does not count.
        """
        self._turn, self._clock = turn, time.perf_counter()

    def hear(self, news: Any) -> None:
        """An epoch is over."""
        self.seconds.append(time.perf_counter() - self._clock)
        if len(self.seconds) % self.epochs == 0:
            self._turn(len(self.seconds) // self.epochs)
        self._clock = time.perf_counter()

    @property
    def parts(self) -> list[list[float]]:
        """Whole blocks."""
        return [self.seconds[k : k + self.epochs] for k in range(0, len(self.seconds) - self.epochs + 1, self.epochs)]

    def tell(self, first: str, second: str) -> tuple[float, float]:
        """Each block of the second against the mean of its neighbours, because epochs grow longer with the readings.

        Returns the interval of the median change.
        """
        # The pilot survey is in the first block.
        medians = [statistics.median(part[TO_SETTLE:]) for part in self.parts][2:]
        still, moved = medians[0::2], medians[1::2]
        changes = [now / ((a + b) / 2) - 1 for now, a, b in zip(moved, still, still[1:], strict=False)]
        alike = [now / ((a + b) / 2) - 1 for a, now, b in zip(still, still[1:], still[2:], strict=False)]
        low, high = median_interval(changes)
        print(f"  seconds per epoch, {first:<16} {statistics.median(still):8.3f}")
        print(f"  seconds per epoch, {second:<16} {statistics.median(moved):8.3f}")
        print(f"  change, median of {len(changes):2d} pairs           {100 * statistics.median(changes):+8.1f} % "
              f"({100 * low:+.1f} to {100 * high:+.1f} % with {100 * SURE:.0f} % confidence)")  # fmt: skip
        print(f"  by itself, {first + ' to itself':<24} {100 * statistics.median(alike):+8.1f} %")
        return low, high


def median_interval(values: list[float]) -> tuple[float, float]:
    """Between two of the values in order, by the binomial distribution: it does not matter how they are spread."""
    ordered, n = sorted(values), len(values)
    beyond, k = 0.0, 0
    while k < n // 2 and beyond + math.comb(n, k) / 2**n <= (1 - SURE) / 2:
        beyond += math.comb(n, k) / 2**n
        k += 1
    return (-math.inf, math.inf) if k == 0 else (ordered[k - 1], ordered[n - k])
