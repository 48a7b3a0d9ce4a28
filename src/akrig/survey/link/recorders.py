"""Who writes down what happens on the water."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from akrig.survey.link.alarms import Level
from akrig.survey.link.orders import Mailbox, NoMailbox
from akrig.survey.link.soundings import Sounding


@dataclass(frozen=True)
class Recorders:
    """Who writes down what happens, in the link's thread.

    Args:
        sounding: every sounding, accepted or refused, its id, and seconds since the mission began.
        notice: what happened and what was done about it.
        telemetry: how the boat is, once a second.
        reached: a waypoint of the plan, by its number, was reached or left out; in the mission's thread.
        progress: metres of the plan that are done, and of all of it, once a second.
    """

    sounding: Callable[[Sounding, int, float], None] = lambda sounding, id, time: None
    notice: Callable[[Level, str, float, float], None] = lambda level, message, time, unix: None
    telemetry: Callable[[dict[str, Any]], None] = lambda state: None
    mailbox: Mailbox = field(default_factory=NoMailbox)
    reached: Callable[[int, float], None] = lambda number, time: None
    progress: Callable[[float, float], None] = lambda done, all: None
