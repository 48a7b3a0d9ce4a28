"""What can go wrong on the water, in words: why a boat waits, and why a survey ends."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["info", "warning", "alarm"]
Kind = Literal["operator", "pilot", "link", "deaf", "restart", "gps", "breach", "stuck", "failsafe"]

ENDS_BY_ITSELF: tuple[Kind, ...] = ("link", "deaf", "gps")  # the others wait for a person


@dataclass(frozen=True)
class Pause:
    """Why the boat is not steered just now.

    Args:
        since: on this computer's monotonic clock.
    """

    kind: Kind
    message: str
    since: float


@dataclass(frozen=True)
class Ending:
    """Why the survey is over before its budget is spent, and what becomes of the boat."""

    course: Literal["return", "hold"]
    reason: str
