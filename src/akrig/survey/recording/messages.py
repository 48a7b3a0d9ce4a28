"""From what a survey wrote down to what a recording shows: one event may become several messages, or none."""

import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from akrig.frame import LocalFrame
from akrig.journal.events import Event
from akrig.survey.exports.geojson import feature
from akrig.survey.logs.mcap_file import SOUNDINGS
from akrig.survey.recording.schemas import (
    AREA,
    BOAT,
    EPOCH,
    EPOCHS,
    EVENTS,
    PLAN,
    POSITION,
    SOUNDING,
    TELEMETRY,
    is_known,
    known,
)

BLOCK = 500  # lines whose places are turned into degrees at once
DEBUG, INFO, WARNING, ERROR, FATAL = 1, 2, 3, 4, 5
LEVELS = {"info": INFO, "warning": WARNING, "alarm": ERROR}
NO_COVARIANCE = [0.0] * 9

Lonlat = list[float]


@dataclass(frozen=True)
class Message:
    """What goes out on a topic, and when (unix seconds)."""

    unix: float
    topic: str
    content: dict[str, Any]

    @property
    def nanoseconds(self) -> int:
        seconds, nanoseconds = _stamp(self.unix)
        return seconds * 1_000_000_000 + nanoseconds


def telemetry_messages(lines: Iterable[Event], frame: LocalFrame) -> Iterator[Message]:
    """Where the boat was, for the map, and how it was, for curves."""
    timed = (line for line in lines if is_known(line.get("unix")))
    for line, place in _with_degrees(timed, _position_of_telemetry, frame):
        unix = float(line["unix"])
        if place is not None:
            longitude, latitude = place
            yield _stamped(unix, POSITION, {"frame_id": "boat", "latitude": latitude, "longitude": longitude,
                                            "altitude": 0.0, "position_covariance": NO_COVARIANCE,
                                            "position_covariance_type": 0})  # fmt: skip
        yield _stamped(unix, TELEMETRY, known(BOAT, line))


def journal_messages(
    events: Iterable[Event], frame: LocalFrame, *, used: Collection[int | None] = ()
) -> Iterator[Message]:
    """In the journal's order; an event without a time of its own happened right after the one before it.

    Args:
        used: ids of the soundings that the model was given.
    """
    before: Lonlat | None = None
    for event, place in _with_degrees(with_unix(events), lambda event: event.get("position"), frame):
        unix = event["unix"]
        kind = event["event"]
        if kind == "rejected":
            yield _sounding(unix, event, place, status="rejected")
        elif kind == "sounding":
            yield _sounding(unix, event, place, status="used" if event["id"] in used else "kept")
        elif kind == "measurement" and "sounding" not in event:
            yield _sounding(unix, event, place, status="used")
        if kind == "plan":
            yield _stamped(unix, PLAN, {"geojson": json.dumps(_plan(event, before, frame))})
        if kind == "epoch":
            x, y = event["position"][:2]
            yield _stamped(unix, EPOCHS, known(EPOCH, {**event, "x": x, "y": y}))
        if (words := _words(event)) is not None:
            level, name, message = words
            yield _stamped(unix, EVENTS, {"level": level, "message": message, "name": name, "file": "", "line": 0})
        before = place or before


def area_message(unix: float, area: dict[str, Any]) -> Message:
    """Fence, keep-outs and home, as given in degrees."""
    features = [feature("Polygon", [_closed(area["fence"])], role="fence", name=area.get("name", ""))]
    features += [feature("Polygon", [_closed(ring)], role="keep-out") for ring in area.get("keep_outs", [])]
    if area.get("home") is not None:
        features.append(feature("Point", list(area["home"]), role="home"))
    return Message(unix, AREA, {"geojson": json.dumps({"type": "FeatureCollection", "features": features})})


def with_unix(events: Iterable[Event]) -> Iterator[Event]:
    """Every event with a unix time; those before the first time that is known share it."""
    early: list[Event] = []
    unix: float | None = None
    for event in events:
        own = event.get("unix")
        unix = float(own) if own is not None and is_known(own) else unix
        if unix is None:
            early.append(event)
            continue
        yield from ({**waiting, "unix": unix} for waiting in early)
        early.clear()
        yield {**event, "unix": unix}


def _with_degrees(
    events: Iterable[Event], position_of: Callable[[Event], Any], frame: LocalFrame
) -> Iterator[tuple[Event, Lonlat | None]]:
    """Each event with the longitude and latitude of its position, if it has one."""
    stream = iter(events)
    while block := list(islice(stream, BLOCK)):
        positions = [position_of(event) for event in block]
        X = np.array([(np.nan, np.nan) if at is None else at[:2] for at in positions], dtype=np.float64)
        for event, place in zip(block, frame.to_degrees(X), strict=True):
            yield event, place.tolist() if np.isfinite(place).all() else None


def _position_of_telemetry(line: Event) -> tuple[float, float] | None:
    return (line["x"], line["y"]) if is_known(line.get("x")) and is_known(line.get("y")) else None


def _sounding(unix: float, event: Event, place: Lonlat | None, *, status: str) -> Message:
    values: dict[str, Any] = {"raw": event.get("raw"), "status": status, "depth": event.get("value"),
                              "reason": event.get("reason", "")}  # fmt: skip
    if place is not None:
        values |= {"longitude": place[0], "latitude": place[1], "x": event["position"][0], "y": event["position"][1]}
    return _stamped(unix, SOUNDINGS, known(SOUNDING, values))


def _plan(event: Event, before: Lonlat | None, frame: LocalFrame) -> dict[str, Any]:
    way = frame.to_degrees(np.array(event["waypoints"], dtype=np.float64)[:, :2]).tolist()
    line = [*([before] if before else []), *way]
    features = [feature("LineString", line, role="way")] if len(line) > 1 else []
    return {"type": "FeatureCollection", "features": [*features, feature("Point", way[-1], role="goal")]}


def _words(event: Event) -> tuple[int, str, str] | None:
    """Level, who speaks, and the sentence; `None` for what nobody wants to read line by line."""
    match event["event"]:
        case "notice":
            return LEVELS.get(event.get("level", ""), INFO), "survey", event["message"]
        case "fault":
            return FATAL, "survey", event["message"]
        case "end":
            return INFO, "survey", f"The mission ended: {event['reason']}."
        case "command":
            accepted = event.get("accepted", True)
            level, verdict = (INFO, "accepted") if accepted else (WARNING, "refused")
            return level, "operator", f"{event['command']}: {verdict}. {event.get('answer', '')}"
        case "rejected":
            return DEBUG, "sonar", f"Sounding rejected: {event['reason']}."
        case _:
            return None


def _closed(ring: list[Lonlat]) -> list[Lonlat]:
    return [*(list(corner) for corner in ring), list(ring[0])]


def _stamped(unix: float, topic: str, content: dict[str, Any]) -> Message:
    seconds, nanoseconds = _stamp(unix)
    stamp = {} if topic in (PLAN, AREA) else {"timestamp": {"sec": seconds, "nsec": nanoseconds}}
    return Message(unix, topic, stamp | content)


def _stamp(unix: float) -> tuple[int, int]:
    """Whole seconds and nanoseconds; apart, because together they have more digits than a float."""
    seconds = math.floor(unix)
    return seconds, min(round((unix - seconds) * 1e9), 999_999_999)
