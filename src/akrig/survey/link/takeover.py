"""Whose doing a mode is that akrig did not ask for."""

from dataclasses import dataclass
from typing import Literal

from akrig.survey.link.failsafe import Failsafe
from akrig.survey.link.modes import FAILSAFE
from akrig.survey.link.state import Health

Doer = Literal["pilot", "lost link", "deaf boat", "lost position", "low battery", "own fence", "boat"]
BY_CAUSE: dict[str, Doer] = {
    "ground station": "deaf boat",
    "position": "lost position",
    "battery": "low battery",
    "fence": "own fence",
    "other": "boat",
}


@dataclass(frozen=True)
class Takeover:
    """Args:
    why: the boat's own words, if it did it by itself and said so.
    """

    mode: str
    doer: Doer
    why: str = ""


def takeover(health: Health, *, failsafe: Failsafe | None, link_was_lost: bool, gps_trouble: str | None) -> Takeover:
    """A boat that acts by itself is armed, chooses one of a few modes, and mostly says why; all else is a person.

    Args:
        failsafe: what the boat said about the time when the mode changed.
        link_was_lost: it was not heard until a moment ago.
    """
    mode = health.mode
    if mode not in FAILSAFE or not health.armed:
        return Takeover(mode, "pilot")
    if link_was_lost:
        return Takeover(mode, "lost link")
    if failsafe is not None:
        return Takeover(mode, BY_CAUSE[failsafe.cause], failsafe.words)
    if health.is_fence_breached:  # ArduPilot does this without a word
        return Takeover(mode, "own fence", "it is breached")
    if health.critical:  # it did not say why, or its words were lost on the way
        return Takeover(mode, "boat" if gps_trouble is None else "lost position", gps_trouble or "a failsafe")
    return Takeover(mode, "pilot")
