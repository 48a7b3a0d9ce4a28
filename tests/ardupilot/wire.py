"""A MAVLink connection to the autopilot that opens itself again when the autopilot restarts."""

import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

os.environ.setdefault("MAVLINK20", "1")

from pymavlink.dialects.v20 import ardupilotmega as mavlink

AUTOPILOT_SYSTEM, AUTOPILOT = 1, mavlink.MAV_COMP_ID_AUTOPILOT1
SECONDS_BETWEEN_ATTEMPTS = 0.05
READ_TIMEOUT = 0.2
LARGEST = 65_535

Message = Any  # pymavlink's classes are made at run time


class Wire:
    """Args:
    system: whose messages these are; never 255, whose heartbeat the autopilot's failsafe waits for.
    hear: called in the wire's thread with every message of the autopilot.
    opened: called in the wire's thread whenever the connection stands, to ask for streams.
    """

    def __init__(
        self,
        port: int,
        *,
        system: int = 250,
        hear: Callable[[Message], None],
        opened: Callable[["Wire"], None] = lambda wire: None,
    ) -> None:
        self._port, self._hear, self._opened = port, hear, opened
        self._codec = mavlink.MAVLink(_Socket(self), srcSystem=system, srcComponent=mavlink.MAV_COMP_ID_MISSIONPLANNER)
        self._socket: socket.socket | None = None
        self._sending, self._ending = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"wire {port}", daemon=True)
        self._thread.start()

    def send(self, message: Message) -> None:
        """Lost if the connection does not stand."""
        with self._sending:
            self._codec.send(message)

    def command(self, number: int, *parameters: float) -> None:
        values = [*parameters, *[0.0] * (7 - len(parameters))]
        self.send(mavlink.MAVLink_command_long_message(AUTOPILOT_SYSTEM, AUTOPILOT, number, 0, *values))

    def ask_only_for(self, rates: dict[int, float]) -> None:
        """Streams by message number, times per second of the boat's time; all others are switched off."""
        self.send(mavlink.MAVLink_request_data_stream_message(AUTOPILOT_SYSTEM, AUTOPILOT, 0, 0, 0))
        for number, rate in rates.items():
            self.command(mavlink.MAV_CMD_SET_MESSAGE_INTERVAL, number, 1e6 / rate)

    def close(self) -> None:
        self._ending.set()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                with socket.create_connection(("127.0.0.1", self._port), timeout=READ_TIMEOUT) as self._socket:
                    self._converse(self._socket)
            except OSError:
                self._ending.wait(SECONDS_BETWEEN_ATTEMPTS)
        self._socket = None

    def _converse(self, connection: socket.socket) -> None:
        parser = mavlink.MAVLink(None)
        parser.robust_parsing = True
        self._opened(self)
        while not self._ending.is_set():
            try:
                data = connection.recv(LARGEST)
            except TimeoutError:
                continue
            if not data:
                return
            for message in parser.parse_buffer(bytearray(data)) or ():
                if message.get_srcSystem() == AUTOPILOT_SYSTEM and message.get_type() != "BAD_DATA":
                    self._hear(message)


class _Socket:
    """What pymavlink writes to."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def write(self, data: bytes) -> None:
        connection = self._wire._socket
        if connection is not None:
            with suppress(OSError):  # the reading thread finds out
                connection.sendall(bytes(data))


def wait_until(condition: Callable[[], bool], *, seconds: float, what: str) -> None:
    """On this computer's clock."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise AssertionError(f"{what} did not happen within {seconds:.0f} s")
        time.sleep(0.01)
