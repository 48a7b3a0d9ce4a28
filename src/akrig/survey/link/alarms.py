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


@dataclass(frozen=True)
class SafetyLimits:
    """When the guard acts; the words are those of the settings (`safety`, `link`). Metres, seconds, shares, volts."""

    margin: float = 5.0
    battery: float = 0.2
    volts: float | None = None
    on_breach: Literal["hold", "return"] = "hold"
    silence: float = 60.0
    patience: float = 600.0
    link_timeout: float = 5.0
    max_hdop: float = 3.0

    @property
    def breach(self) -> float:
        """Nearer than this to a border the boat is stopped: it needs a few metres to come to rest."""
        return self.margin / 2
