"""Mission items on board, and how ground stations send and fetch them."""

from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from akrig.survey.boat.dialect import mavlink

WAYPOINT, LOITER_UNLIMITED, LOITER_TIME, RETURN = 16, 17, 19, 20
CHANGE_SPEED = 178
KNOWN = frozenset({WAYPOINT, LOITER_UNLIMITED, LOITER_TIME, RETURN, CHANGE_SPEED, 93, 112, 177, 201})
GOES_SOMEWHERE = frozenset({WAYPOINT, LOITER_UNLIMITED, LOITER_TIME})
MOST_ITEMS = 700
TIMEOUT = 8.0  # boat seconds without an item until an upload is given up
RETRY = 1.0
GLOBAL_FRAMES = frozenset({0, 3, 5, 6, 10, 11})


@dataclass(frozen=True)
class Item:
    """One step of a mission, degrees times 1e7 as on the wire."""

    command: int
    frame: int = 3
    params: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    latitude: int = 0
    longitude: int = 0
    altitude: float = 0.0

    @property
    def lonlat(self) -> tuple[float, float]:
        return self.longitude / 1e7, self.latitude / 1e7


def sender_of(message: Any) -> tuple[int, int]:
    return message.get_srcSystem(), message.get_srcComponent()


def item_of(message: Any) -> Item:
    """From MISSION_ITEM_INT or the older MISSION_ITEM, whose degrees are floats."""
    scale = 1 if message.get_type() == "MISSION_ITEM_INT" else 1e7
    if not (isfinite(message.x) and isfinite(message.y)):
        raise ValueError(f"A mission item needs a finite place; got {message.x}, {message.y}.")
    return Item(
        message.command,
        message.frame,
        (message.param1, message.param2, message.param3, message.param4),
        round(message.x * scale),
        round(message.y * scale),
        message.z,
    )


def problem_of(item: Item) -> int | None:
    """The MAV_MISSION_RESULT that refuses it."""
    if item.command not in KNOWN:
        return mavlink.MAV_MISSION_UNSUPPORTED
    if item.command in GOES_SOMEWHERE:
        if item.frame not in GLOBAL_FRAMES:
            return mavlink.MAV_MISSION_UNSUPPORTED_FRAME
        if abs(item.latitude) > 900_000_000:
            return mavlink.MAV_MISSION_INVALID_PARAM5_X
        if abs(item.longitude) > 1_800_000_000:
            return mavlink.MAV_MISSION_INVALID_PARAM6_Y
    return None


@dataclass(frozen=True)
class _Upload:
    """Items under way: who sends them, which to ask for next, and when it was last asked for."""

    sender: tuple[int, int]
    count: int
    received: tuple[Item, ...]
    heard: float
    asked: float


class Missions:
    """The stored mission (item 0 is home, as ArduPilot has it) and one transfer at a time."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self._upload: _Upload | None = None

    def handle(self, message: Any, time: float) -> list[Any]:
        """Replies to a message of the mission protocol."""
        sender = sender_of(message)
        if getattr(message, "mission_type", 0) != mavlink.MAV_MISSION_TYPE_MISSION:
            return [_ack(sender, mavlink.MAV_MISSION_UNSUPPORTED, message.mission_type)]
        kind = message.get_type()
        if self._upload is not None and kind in ("MISSION_REQUEST_LIST", "MISSION_REQUEST_INT"):
            return [_ack(sender, mavlink.MAV_MISSION_DENIED)]
        if kind == "MISSION_REQUEST_LIST":
            return [mavlink.MAVLink_mission_count_message(*sender, len(self.items))]
        if kind in ("MISSION_REQUEST_INT", "MISSION_REQUEST"):
            return [self._item_message(sender, message.seq, kind)]
        if kind == "MISSION_CLEAR_ALL":
            self.items, self._upload = [], None
            return [_ack(sender, mavlink.MAV_MISSION_ACCEPTED)]
        if kind == "MISSION_COUNT":
            return self._begin(sender, message.count, time)
        if kind in ("MISSION_ITEM_INT", "MISSION_ITEM"):
            return self._take(sender, message, time)
        return []  # MISSION_ACK: the end of a download

    def cancel(self) -> None:
        """Forgets a transfer under way; the mission stays."""
        self._upload = None

    def step(self, time: float) -> list[Any]:
        """Asks again for an item that did not come, and gives up in the end."""
        upload = self._upload
        if upload is None:
            return []
        if time - upload.heard > TIMEOUT:
            self._upload = None
            return [_ack(upload.sender, mavlink.MAV_MISSION_OPERATION_CANCELLED)]
        return self._ask(time) if time - upload.asked > RETRY else []

    def _begin(self, sender: tuple[int, int], count: int, time: float) -> list[Any]:
        if self._upload is not None and self._upload.sender != sender:
            return [_ack(sender, mavlink.MAV_MISSION_DENIED)]
        if count > MOST_ITEMS:
            return [_ack(sender, mavlink.MAV_MISSION_NO_SPACE)]
        if count == 0:
            self.items, self._upload = [], None
            return [_ack(sender, mavlink.MAV_MISSION_ACCEPTED)]
        self._upload = _Upload(sender, count, (), time, time)
        return self._ask(time)

    def _ask(self, time: float) -> list[Any]:
        assert self._upload is not None
        self._upload = replace(self._upload, asked=time)
        return [mavlink.MAVLink_mission_request_message(*self._upload.sender, len(self._upload.received))]

    def _take(self, sender: tuple[int, int], message: Any, time: float) -> list[Any]:
        upload = self._upload
        if upload is None or upload.sender != sender:
            return [_ack(sender, mavlink.MAV_MISSION_ERROR)]
        if message.seq != len(upload.received):
            return [_ack(sender, mavlink.MAV_MISSION_INVALID_SEQUENCE)]
        item = item_of(message)
        problem = problem_of(item)
        if problem is not None:
            self._upload = None
            return [_ack(sender, problem)]
        self._upload = replace(upload, received=(*upload.received, item), heard=time)
        if len(self._upload.received) < upload.count:
            return self._ask(time)
        self.items, self._upload = list(self._upload.received), None
        return [_ack(sender, mavlink.MAV_MISSION_ACCEPTED)]

    def _item_message(self, sender: tuple[int, int], seq: int, kind: str) -> Any:
        if seq >= len(self.items):
            return _ack(sender, mavlink.MAV_MISSION_INVALID_SEQUENCE)
        item = self.items[seq]
        head = (*sender, seq, item.frame, item.command, 0, 1, *item.params)
        if kind == "MISSION_REQUEST_INT":
            return mavlink.MAVLink_mission_item_int_message(*head, item.latitude, item.longitude, item.altitude)
        return mavlink.MAVLink_mission_item_message(*head, item.latitude / 1e7, item.longitude / 1e7, item.altitude)


def _ack(sender: tuple[int, int], result: int, mission_type: int = 0) -> Any:
    return mavlink.MAVLink_mission_ack_message(*sender, result, mission_type)
