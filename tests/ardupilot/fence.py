"""A fence on board: the area's own borders, sent to the autopilot as any ground station sends them."""

import threading

import numpy as np

from akrig.survey.area import Area
from tests.ardupilot.autopilot import Autopilot
from tests.ardupilot.wire import AUTOPILOT, AUTOPILOT_SYSTEM, Message, Wire, mavlink, wait_until

INCLUSION, EXCLUSION = (
    mavlink.MAV_CMD_NAV_FENCE_POLYGON_VERTEX_INCLUSION,
    mavlink.MAV_CMD_NAV_FENCE_POLYGON_VERTEX_EXCLUSION,
)
FENCE = mavlink.MAV_MISSION_TYPE_FENCE
SECONDS = 20.0
# What docs/field.md recommends.
PARAMETERS = {
    "FENCE_ENABLE": 1,
    "FENCE_TYPE": 4,
    "FENCE_ACTION": 6,
    "FENCE_OPTIONS": 0,
    "AVOID_ENABLE": 0,
}


def fence_in(boat: Autopilot) -> None:
    """The borders first: a fence that is switched on without any keeps the boat from being armed."""
    upload_fence(boat.spare_port, boat.truth.area)
    boat.pilot.set(**PARAMETERS)


def upload_fence(port: int, area: Area) -> None:
    """The fence as a polygon to stay in, keep-outs as polygons to stay out of; returns when the autopilot has it."""
    upload = _Upload(_items(area))
    wire = Wire(port, system=251, hear=upload.hear)
    upload.wire = wire
    try:
        count = mavlink.MAVLink_mission_count_message(AUTOPILOT_SYSTEM, AUTOPILOT, len(upload.items), FENCE)
        for _ in range(5):
            wire.send(count)
            try:
                wait_until(upload.done.is_set, seconds=SECONDS / 5, what="a fence on board")
            except AssertionError:
                continue
            return
        raise AssertionError("the autopilot did not take the fence")
    finally:
        wire.close()


def _items(area: Area) -> list[tuple[int, int, int, int]]:
    """Command, number of corners, latitude and longitude."""
    items = []
    for command, ring in [(INCLUSION, area.fence), *((EXCLUSION, ring) for ring in area.keep_outs)]:
        for longitude, latitude in area.frame.to_degrees(np.asarray(ring)).tolist():
            items.append((command, len(ring), round(latitude * 1e7), round(longitude * 1e7)))
    return items


class _Upload:
    def __init__(self, items: list[tuple[int, int, int, int]]) -> None:
        self.items, self.done = items, threading.Event()
        self.wire: Wire | None = None

    def hear(self, message: Message) -> None:
        kind = message.get_type()
        if kind in ("MISSION_REQUEST", "MISSION_REQUEST_INT") and message.mission_type == FENCE:
            self._send(message.seq)
        elif kind == "MISSION_ACK" and message.mission_type == FENCE and message.type == 0:
            self.done.set()

    def _send(self, number: int) -> None:
        assert self.wire is not None
        command, corners, latitude, longitude = self.items[number]
        self.wire.send(
            mavlink.MAVLink_mission_item_int_message(
                AUTOPILOT_SYSTEM, AUTOPILOT, number, mavlink.MAV_FRAME_GLOBAL, command, 0, 1,
                corners, 0, 0, 0, latitude, longitude, 0, FENCE,
            )
        )  # fmt: skip
