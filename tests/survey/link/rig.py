"""What the tests of the link share: an area, the simulated boat in a process, and a vehicle that drives it."""

import json
import math
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from akrig.config.survey import DepthSettings, LinkSettings, SafetySettings, SurveySettings
from akrig.frame import LocalFrame
from akrig.survey.area import Area
from akrig.survey.link import MavlinkVehicle, Recorders, Sounding
from akrig.survey.link.orders import Order

FRAME = LocalFrame(9.3, 47.5)
LAKE = np.array([[-100.0, -100.0], [100.0, -100.0], [100.0, 100.0], [-100.0, 100.0]])
ISLAND = np.array([[20.0, -20.0], [40.0, -20.0], [40.0, 40.0], [20.0, 40.0]])
SPEEDUP = 25.0


def lake(*keep_outs: np.ndarray, home: tuple[float, float] | None = (0.0, 0.0)) -> Area:
    return Area(FRAME, LAKE, keep_outs, home)


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wire(x: float, y: float) -> tuple[int, int]:
    """Latitude and longitude of local metres, times 1e7."""
    longitude, latitude = FRAME.to_degrees(np.array([[x, y]], dtype=float))[0]
    return round(latitude * 1e7), round(longitude * 1e7)


def parsed(message: Any, *, system: int = 1, component: int = 1) -> Any:
    """As it comes out of the wire."""
    packet = message.pack(mavlink.MAVLink(None, srcSystem=system, srcComponent=component))
    return mavlink.MAVLink(None).parse_buffer(packet)[0]


def until(question: Callable[[], Any], *, seconds: float = 30.0) -> Any:
    """The first answer that is true; seconds on this computer's clock."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if answer := question():
            return answer
        time.sleep(0.02)
    raise AssertionError(f"did not happen within {seconds} s")


class Book:
    """Writes down everything, and is a mailbox."""

    def __init__(self) -> None:
        self.soundings: list[tuple[Sounding, int, float]] = []
        self.notices: list[tuple[str, str]] = []
        self.telemetry: list[dict[str, Any]] = []
        self.orders: list[Order] = []
        self.answers: dict[str, tuple[bool, str]] = {}

    @property
    def recorders(self) -> Recorders:
        return Recorders(
            lambda sounding, id, moment: self.soundings.append((sounding, id, moment)),
            lambda level, message, moment, unix: self.notices.append((level, message)),
            self.telemetry.append,
            self,
        )

    def said(self, words: str) -> bool:
        return any(words in message for _, message in list(self.notices))

    def waiting(self) -> list[Order]:
        orders, self.orders = self.orders, []
        return orders

    def answer(self, order: Order, *, accepted: bool, text: str) -> None:
        self.answers[order.id] = (accepted, text)


class Afloat:
    """A simulated boat on the water, in a process of its own, and its faults."""

    def __init__(self, process: subprocess.Popen, port: int) -> None:
        self.port, self._process = port, process

    @property
    def address(self) -> str:
        return f"udpin:127.0.0.1:{self.port}"

    def tell(self, line: str) -> dict[str, Any]:
        """What the boat is like then, in truth."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    @property
    def state(self) -> dict[str, Any]:
        return self.tell("state")

    @property
    def mode(self) -> str:
        return self.state["mode"]

    def away_from(self, x: float, y: float) -> float:
        return math.dist(self.state["position"], (x, y))


@contextmanager
def afloat(*, speedup: float = SPEEDUP, **settings: Any) -> Iterator[Afloat]:
    settings = {"sonar_outlier_rate": 0.0, "sonar_dropout_rate": 0.0, "speedup": speedup, **settings}
    port, script = free_port(), Path(__file__).with_name("boat_process.py")
    place = [str(FRAME.longitude), str(FRAME.latitude)]
    command = [sys.executable, str(script), str(port), *place, json.dumps(settings)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Afloat(process, port)
        finally:
            process.kill()


@contextmanager
def aboard(
    address: str, book: Book, *, area: Area | None = None, connect: float = 20.0, stuck: float = 60.0, **depth: Any
) -> Iterator[MavlinkVehicle]:
    settings = SurveySettings(
        link=LinkSettings(address=address, connect=connect),
        safety=SafetySettings(stuck=stuck),
        depth=DepthSettings(**{"rate": 2.0, "deepest": 80.0, **depth}),
    )
    vehicle = MavlinkVehicle(area or lake(), settings, speed=2.0, recorders=book.recorders)
    try:
        vehicle.connect()
        yield vehicle
    finally:
        vehicle.close()
