"""What a survey writes down beside its mission: every sounding, every notice and order, and how the boat was."""

import json
import math
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from akrig.journal.events import Event, Journal
from akrig.survey.link import Recorders, Sounding
from akrig.survey.link.alarms import Level
from akrig.survey.link.orders import Mailbox
from akrig.survey.start import REACHED


class TelemetryFile:
    """One line of JSON a second; for looking and recordings, so a crash may cost the last one."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a")

    def __call__(self, state: dict[str, Any]) -> None:
        with suppress(OSError):  # a full disk is the journal's to report
            self._file.write(json.dumps(state, separators=(",", ":")) + "\n")
            self._file.flush()

    def close(self) -> None:
        with suppress(OSError):
            self._file.close()


def recorders(
    journal: Journal,
    telemetry: TelemetryFile,
    mailbox: Mailbox,
    *,
    tell: Callable[[Level, str], None],
    progress: Callable[[float, float], None],
) -> Recorders:
    """Args:
    tell: a person, on the terminal.
    """

    def keep_sounding(sounding: Sounding, id: int, time: float) -> None:
        journal.note(sounding_event(sounding, id, time=time))

    def keep_notice(level: Level, message: str, time: float, unix: float) -> None:
        journal.note({"event": "notice", "time": time, "unix": unix, "level": level, "message": message})
        tell(level, message)

    def keep_reached(number: int, time: float) -> None:
        journal.note({"event": REACHED, "time": time, "waypoint": number})

    return Recorders(keep_sounding, keep_notice, telemetry, mailbox, keep_reached, progress)


def sounding_event(sounding: Sounding, id: int, *, time: float) -> Event:
    place = None if sounding.position is None else list(sounding.position)
    event: Event = {"event": "sounding", "id": id, "time": time, "unix": sounding.time, "position": place}
    if sounding.reason is None:
        return {**event, "raw": sounding.raw, "value": sounding.depth}
    raw = sounding.raw if math.isfinite(sounding.raw) else None
    return {**event, "event": "rejected", "raw": raw, "reason": sounding.reason}
