"""What a boat does by itself, by its own words: so that its doing is told from a pilot's."""

import re
from dataclasses import dataclass
from typing import Literal

Cause = Literal["ground station", "battery", "position", "fence", "other"]

# As ArduPilot says it; the first that fits counts.
WORDS: tuple[tuple[Cause, str], ...] = (
    ("ground station", r"(gcs|radio) failsafe"),
    ("battery", r"battery \d+ is |batt\w* failsafe"),
    ("position", r"ekf variance|ekf failsafe|dead reckoning|gps failsafe"),
    ("fence", r"fence.*breach|breach.*fence"),
    ("other", r"failsafe|crash: |\bleak"),
)
OVER = re.compile(r"cleared|recovered|restored", re.IGNORECASE)
_CAUSES: tuple[tuple[Cause, re.Pattern[str]], ...] = tuple(
    (cause, re.compile(pattern, re.IGNORECASE)) for cause, pattern in WORDS
)


@dataclass(frozen=True)
class Failsafe:
    """Args:
    words: the boat's own.
    time: boat seconds.
    """

    cause: Cause
    words: str
    time: float


class FailsafeLog:
    """The boat's words about failsafes; in the link's thread."""

    def __init__(self) -> None:
        self._latest: dict[Cause, Failsafe] = {}
        self._over: dict[Cause, float] = {}

    def hear(self, text: str, time: float) -> None:
        cause = cause_of(text)
        if cause is None:
            return
        if OVER.search(text):
            self._over[cause] = time
        else:
            self._latest[cause] = Failsafe(cause, text.strip(), time)

    def since(self, time: float) -> Failsafe | None:
        """The latest that began after a moment."""
        recent = [failsafe for failsafe in self._latest.values() if failsafe.time >= time]
        return max(recent, key=lambda failsafe: failsafe.time, default=None)

    def is_over(self, cause: Cause) -> bool:
        """Has the boat said so since it last began?"""
        began = self._latest.get(cause)
        return began is None or self._over.get(cause, float("-inf")) > began.time


def cause_of(text: str) -> Cause | None:
    return next((cause for cause, pattern in _CAUSES if pattern.search(text)), None)
