"""The mode that akrig asked for, and whether another one is somebody else's doing."""

import math
import time
from typing import Literal

Verdict = Literal["done", "pending", "overdue", "taken"]


class Intent:
    """What was asked for last counts; a mode asked for before may still come in late, and is nobody taking over."""

    def __init__(self) -> None:
        self.mode: str | None = None
        self.attempts = 0
        self._confirmed = False
        self._before = ""  # the mode when it was asked for
        self._asked_at = 0.0
        self._expected: dict[str, float] = {}  # modes that were asked for and not seen yet, and when

    def ask(self, mode: str, *, current: str) -> None:
        """Akrig itself changes the mode."""
        self.attempts = self.attempts + 1 if mode == self.mode else 1
        self.mode = mode
        if mode != current:
            self._confirmed, self._before = False, current
        self._asked_at = self._expected[mode] = time.monotonic()

    def adopt(self, mode: str) -> None:
        """The boat chose a mode by itself, and that is fine."""
        self.mode, self._confirmed = mode, True

    def forget(self) -> None:
        self.mode = None
        self._expected.clear()

    def verdict(self, current: str, *, patience: float) -> Verdict:
        """Of the mode that the boat is in; seconds on this computer's clock."""
        now = time.monotonic()
        expected = now - self._expected.pop(current, -math.inf) <= patience
        if current == self.mode:
            self._confirmed, self.attempts = True, 0
            return "done"
        if expected:
            self._confirmed, self._before = False, current
        if self._confirmed or current != self._before:
            return "taken"
        return "overdue" if now - self._asked_at > patience else "pending"
