"""The line between akrig and the autopilot: TCP, passed on byte by byte, and all that can happen to it."""

import select
import socket
import threading
from contextlib import suppress

LARGEST = 65_535
GLANCE = 0.02  # seconds
SECONDS_BETWEEN_ATTEMPTS = 0.05


class Line:
    """Akrig connects to `port`, the line to the autopilot's; that stays connected whether akrig is there or not.

    Args:
        far: the autopilot's port.

    Attributes:
        stalled: nothing moves, either way; all of it comes late, when it moves again.
        loses_up: what akrig says is lost on the way to the boat.
        loses_down: what the boat says is lost.
        brought: all that came through from the boat to akrig, one piece for each connection of akrig.
    """

    def __init__(self, far: int) -> None:
        self._far = far
        self.stalled = self.loses_up = self.loses_down = False
        self.brought: list[bytearray] = []
        self._server: socket.socket | None = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self._akrig: socket.socket | None = None
        self._boat: socket.socket | None = None
        self._lock = threading.RLock()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="line", daemon=True)
        self._thread.start()

    def restore(self) -> None:
        """Everything passes again."""
        with self._lock:
            self.stalled = self.loses_up = self.loses_down = False
            if self._server is None:
                self._server = socket.create_server(("127.0.0.1", self.port))

    def cut(self) -> None:
        """Akrig's connection breaks, and nobody answers at its port until `restore`."""
        with self._lock:
            self._hang_up()
            if self._server is not None:
                self._server.close()
                self._server = None

    def close(self) -> None:
        self._ending.set()
        self._thread.join(timeout=5)
        self.cut()
        if self._boat is not None:
            self._boat.close()

    def _run(self) -> None:
        while not self._ending.is_set():
            with self._lock:
                if self._boat is None:
                    self._call_the_boat()
                watched = [] if self.stalled else [end for end in (self._akrig, self._boat) if end is not None]
                ready = self._ready([*watched, *([self._server] if self._server else [])])
                if self._server is not None and self._server in ready:
                    self._answer()
                elif self._akrig is not None and self._akrig in ready:
                    self._carry_up()
                elif self._boat is not None and self._boat in ready:
                    self._carry_down()
            if not ready:
                self._ending.wait(GLANCE / 4)  # outside the lock, for others to get it

    def _ready(self, ends: list[socket.socket]) -> list[socket.socket]:
        return select.select(ends, [], [], GLANCE)[0] if ends else []

    def _call_the_boat(self) -> None:
        try:
            self._boat = socket.create_connection(("127.0.0.1", self._far), timeout=1)
        except OSError:
            self._ending.wait(SECONDS_BETWEEN_ATTEMPTS)

    def _answer(self) -> None:
        assert self._server is not None
        self._hang_up()  # one at a time, the newest counts
        self._akrig, _ = self._server.accept()
        self._akrig.settimeout(1)
        self.brought.append(bytearray())

    def _hang_up(self) -> None:
        if self._akrig is not None:
            self._akrig.close()
            self._akrig = None

    def _carry_up(self) -> None:
        data = _read(self._akrig)
        if not data:
            self._hang_up()
        elif self._boat is not None and not self.loses_up:
            with suppress(OSError):
                self._boat.sendall(data)

    def _carry_down(self) -> None:
        data = _read(self._boat)
        if not data:
            assert self._boat is not None
            self._boat.close()
            self._boat = None  # switched off; akrig's end stays, as a radio's would
        elif self._akrig is not None and not self.loses_down:
            try:
                self._akrig.sendall(data)
                self.brought[-1] += data
            except OSError:
                self._hang_up()


def _read(end: socket.socket | None) -> bytes:
    assert end is not None
    try:
        return end.recv(LARGEST)
    except OSError:
        return b""
