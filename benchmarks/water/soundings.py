"""Is every sounding that reached akrig in its journal?"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.water.voyage import Stretch, Voyage
from tests.ardupilot.wire import AUTOPILOT, AUTOPILOT_SYSTEM, mavlink

DOWNWARDS = mavlink.MAV_SENSOR_ROTATION_PITCH_270
A_HAIR = 0.05  # seconds: less than between two soundings


@dataclass(frozen=True)
class Kept:
    """Args:
    brought: soundings of the autopilot that came through the line to akrig while it listened.
    kept: of them, those in the journal, accepted or refused.
    unread: of those that are not, the ones that came last, before akrig was ended: nobody had read them.
    """

    brought: int
    kept: int
    unread: int

    @property
    def lost(self) -> int:
        return self.brought - self.kept - self.unread


def kept_soundings(voyage: Voyage) -> Kept:
    counts = [_of(voyage, stretch) for stretch in voyage.stretches]
    return Kept(*(sum(column) for column in zip(*counts, strict=True)))


def _of(voyage: Voyage, stretch: Stretch) -> tuple[int, int, int]:
    events = voyage.trial.events[stretch.first_event : stretch.last_event]
    kept = [event["unix"] for event in events if event["event"] in ("sounding", "rejected")]
    streams = voyage.boat.line.brought[stretch.first_connection : stretch.last_connection]
    brought = np.array([moment for stream in streams for moment in _moments(bytes(stream))])
    if not kept or not len(brought):
        return 0, 0, 0
    first = int(np.argmin(np.abs(brought - kept[0])))
    missing = max(len(brought) - first - len(kept), 0)
    unread = min(int((brought[first:] > kept[-1] + A_HAIR).sum()), missing)
    return missing + len(kept), len(kept), unread


def _moments(data: bytes) -> list[float]:
    """Of the autopilot's soundings, unix seconds."""
    parser = mavlink.MAVLink(None)
    parser.robust_parsing = True
    offset, boots = None, []
    for message in parser.parse_buffer(bytearray(data)) or ():
        if message.get_srcSystem() != AUTOPILOT_SYSTEM or message.get_srcComponent() != AUTOPILOT:
            continue
        kind = message.get_type()
        if kind == "SYSTEM_TIME" and message.time_unix_usec:
            offset = message.time_unix_usec / 1e6 - message.time_boot_ms / 1e3
        elif kind == "DISTANCE_SENSOR" and message.orientation == DOWNWARDS:
            boots.append((message.time_boot_ms / 1e3, offset))
    known = [offset for _, offset in boots if offset is not None]
    return [boot + (offset if offset is not None else known[0] if known else 0.0) for boot, offset in boots]


def summary(kept: Kept) -> dict[str, Any]:
    return {"brought": kept.brought, "kept": kept.kept, "unread": kept.unread, "lost": kept.lost}
