"""A boat without sockets or clock: messages are packed and parsed as on the wire, time is stepped by hand."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from akrig.frame import LocalFrame
from akrig.geometry import Box
from akrig.survey.boat import STEP, Boat, BoatSettings
from akrig.survey.boat.beds import Flat
from akrig.survey.boat.dialect import Mode, mavlink

FRAME = LocalFrame(9.3, 47.5)
BED = Flat(5.0, Box((-500, -500), (500, 500)))
GROUND = (255, 190)
POSITION_ONLY = 0b110111111000


class Rig:
    """Ground station and boat in one place."""

    def __init__(self, *, bed=BED, **settings) -> None:
        self.boat = Boat(BoatSettings(**settings), frame=FRAME, bed=bed)
        self.heard: list[Any] = []

    def run(self, seconds: float) -> list[Any]:
        """What the boat sends meanwhile."""
        begin = len(self.heard)
        for _ in range(round(seconds / STEP)):
            self.boat.step()
            self.heard += self.boat.drain()
        return self.heard[begin:]

    def run_until(self, question, *, seconds: float) -> list[Any]:
        """Steps until the question is answered with yes."""
        begin = len(self.heard)
        for _ in range(round(seconds / STEP)):
            if question():
                return self.heard[begin:]
            self.run(STEP)
        raise AssertionError(f"did not happen within {seconds} s")

    def send(self, message: Any, *, source: tuple[int, int] = GROUND) -> list[Any]:
        """The replies."""
        packet = message.pack(mavlink.MAVLink(None, *source))
        for parsed in mavlink.MAVLink(None).parse_buffer(packet):
            self.boat.handle(parsed)
        replies = self.boat.drain()
        self.heard += replies
        return replies

    def command(self, number: int, *params: float, target: tuple[int, int] = (1, 1)) -> int | None:
        """The result, `None` if nothing came back."""
        filled = (*params, *(0.0,) * (7 - len(params)))
        replies = self.send(mavlink.MAVLink_command_long_message(*target, number, 0, *filled))
        results = [reply.result for reply in of(replies, "COMMAND_ACK") if reply.command == number]
        return results[0] if results else None

    def mode(self, mode: Mode) -> int | None:
        return self.command(mavlink.MAV_CMD_DO_SET_MODE, 1, mode)

    def arm(self, *, force: bool = False) -> int | None:
        return self.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1, 21196 if force else 0)

    def ready(self, mode: Mode = Mode.GUIDED) -> "Rig":
        """Settled, armed, in this mode."""
        self.settled()
        assert self.arm() == mavlink.MAV_RESULT_ACCEPTED
        assert self.mode(mode) == mavlink.MAV_RESULT_ACCEPTED
        return self

    def settled(self) -> "Rig":
        """In GUIDED, and nothing keeps it from being armed."""
        self.run_until(lambda: self.boat.mode is not Mode.INITIALIZING, seconds=5)
        assert self.mode(Mode.GUIDED) == mavlink.MAV_RESULT_ACCEPTED
        self.run_until(lambda: not self.boat.autopilot.objections, seconds=60)
        return self

    def beat(self, *, system: int = GROUND[0]) -> list[Any]:
        """A heartbeat of a ground station."""
        return self.send(mavlink.MAVLink_heartbeat_message(6, 8, 0, 0, 4, 3), source=(system, GROUND[1]))

    def go_to(self, x: float, y: float, *, mask: int = POSITION_ONLY) -> list[Any]:
        """A GUIDED target, in metres of the frame."""
        latitude, longitude = on_the_wire(x, y)
        return self.send(
            mavlink.MAVLink_set_position_target_global_int_message(
                0, 1, 1, mavlink.MAV_FRAME_GLOBAL_RELATIVE_ALT_INT, mask, latitude, longitude, *(0.0,) * 9
            )
        )

    def stream(self, number: int, *, rate: float) -> int | None:
        return self.command(mavlink.MAV_CMD_SET_MESSAGE_INTERVAL, number, 1e6 / rate)

    def away_from(self, x: float, y: float) -> float:
        """Metres, in truth."""
        return float(np.hypot(self.boat.position[0] - x, self.boat.position[1] - y))


def on_the_wire(x: float, y: float) -> tuple[int, int]:
    """Latitude and longitude times 1e7."""
    longitude, latitude = FRAME.to_degrees(np.array([[x, y]], dtype=float))[0]
    return round(latitude * 1e7), round(longitude * 1e7)


def of(messages: Iterable[Any], kind: str) -> list[Any]:
    return [message for message in messages if message.get_type() == kind]


def texts(messages: Iterable[Any]) -> list[str]:
    return [message.text for message in of(messages, "STATUSTEXT")]
