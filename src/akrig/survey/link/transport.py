"""Bytes to and from a boat: UDP, TCP and serial lines behind one small interface.

By hand, because pymavlink's own connections print, sleep, and hide that a line is broken.
"""

import select
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, runtime_checkable

from akrig.errors import LinkLost

FORMS = "udpin:HOST:PORT, udpout:HOST:PORT, tcp:HOST:PORT, tcpin:HOST:PORT or serial:DEVICE:BAUD"
PEER_MEMORY = 10.0  # seconds: who has not been heard for longer is not answered, unless there is nobody else
UNANSWERED = 10_000  # milliseconds until a TCP line whose other end says nothing counts as broken
LARGEST = 65_535
BUFFER = 4_000_000
SECONDS_BETWEEN_ATTEMPTS = 1.0


@runtime_checkable
class Transport(Protocol):
    """Any `OSError` means that the line is broken and must be opened again."""

    def read(self, timeout: float) -> bytes:
        """What came, at most `timeout` seconds later; empty if nothing did."""
        ...

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


def open_transport(address: str) -> Transport:
    """Opens an address, `ValueError` if it is none."""
    kind, _, rest = address.partition(":")
    if kind == "serial":
        return SerialLine(*_serial(address, rest))
    if kind not in ("udp", "udpin", "udpout", "tcp", "tcpin"):
        raise ValueError(f"{address!r} is no address of a link; akrig knows {FORMS}.")
    place = _place(address, rest)
    if kind == "tcp":
        return TcpClient(socket.create_connection(place, timeout=5))
    if kind == "tcpin":
        return TcpServer(place)
    return UdpSocket(place, listens=kind != "udpout")


def open_first(address: str, *, whose: str = "") -> Transport:
    """`LinkLost` if it cannot be opened now.

    Args:
        whose: line it is, the beginning of a sentence.
    """
    try:
        return open_transport(address)
    except OSError as error:
        raise LinkLost(
            f"{whose}{address} cannot be opened ({error.strerror or error}); check the address, the cable, and that "
            "no other program uses it."
        ) from error


def open_again(
    broken: Transport, address: str, *, ending: threading.Event, meanwhile: Callable[[], None] = lambda: None
) -> Transport:
    """Tried every second until it succeeds; the broken one if that is not to be waited for."""
    broken.close()
    while not ending.wait(SECONDS_BETWEEN_ATTEMPTS):
        meanwhile()
        with suppress(OSError):
            return open_transport(address)
    return broken


def check_address(address: str) -> None:
    """`ValueError` for what can never be opened."""
    kind, _, rest = address.partition(":")
    if kind == "serial":
        _serial(address, rest)
    elif kind in ("udp", "udpin", "udpout", "tcp", "tcpin"):
        _place(address, rest)
    else:
        raise ValueError(f"{address!r} is no address of a link; akrig knows {FORMS}.")


def _place(address: str, rest: str) -> tuple[str, int]:
    host, _, port = rest.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65_536:
        raise ValueError(f"{address!r} needs a host and a port, as in {address.partition(':')[0]}:127.0.0.1:14550.")
    return host, int(port)


def _serial(address: str, rest: str) -> tuple[str, int]:
    device, _, baud = rest.rpartition(":")
    if not device or not baud.isdigit():
        raise ValueError(f"{address!r} needs a device and its speed, as in serial:/dev/ttyUSB0:57600.")
    return device, int(baud)


class UdpSocket:
    """UDP: listens and answers whoever speaks, or speaks first."""

    def __init__(self, place: tuple[str, int], *, listens: bool) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._fixed = None if listens else place
        self._peers: dict[tuple[str, int], float] = {}
        self._knowing = threading.Lock()  # one thread hears, others speak
        try:
            self._socket.bind(place if listens else ("", 0))
        except OSError:
            self._socket.close()
            raise
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)  # while the computer is busy

    def read(self, timeout: float) -> bytes:
        if not select.select([self._socket], [], [], timeout)[0]:
            return b""
        try:
            data, sender = self._socket.recvfrom(LARGEST)
        except (BlockingIOError, ConnectionRefusedError):  # nobody listens at the other end yet
            return b""
        with self._knowing:
            self._peers[sender] = time.monotonic()
        return data

    def write(self, data: bytes) -> None:
        for peer in [self._fixed] if self._fixed else self._listeners():
            # As if lost on the way: whoever needs an answer asks again.
            with suppress(BlockingIOError, ConnectionRefusedError):
                self._socket.sendto(data, peer)

    def _listeners(self) -> list[tuple[str, int]]:
        """All heard lately; a boat that is silent may still listen, so the last one heard stays."""
        with self._knowing:
            last = max(self._peers.values(), default=0.0)
            self._peers = {peer: at for peer, at in self._peers.items() if last - at < PEER_MEMORY}
            return list(self._peers)

    def close(self) -> None:
        self._socket.close()


class TcpClient:
    """A TCP connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._socket.settimeout(5)
        # A boat that was switched off says no goodbye; without this, nobody would notice for a quarter of an hour.
        with suppress(AttributeError, OSError):
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNANSWERED)

    def read(self, timeout: float) -> bytes:
        if not select.select([self._socket], [], [], timeout)[0]:
            return b""
        data = self._socket.recv(LARGEST)
        if not data:
            raise ConnectionResetError("The other end closed the connection.")
        return data

    def write(self, data: bytes) -> None:
        self._socket.sendall(data)

    def close(self) -> None:
        self._socket.close()


class TcpServer:
    """TCP, waiting for the boat to call; one caller at a time, the newest counts."""

    def __init__(self, place: tuple[str, int]) -> None:
        self._server = socket.create_server(place)
        self._stream: TcpClient | None = None

    def read(self, timeout: float) -> bytes:
        waiting = [self._server] if self._stream is None else [self._server, self._stream._socket]
        ready = select.select(waiting, [], [], timeout)[0]
        if self._server in ready:
            if self._stream is not None:
                self._stream.close()
            self._stream = TcpClient(self._server.accept()[0])
            return b""
        if not ready or self._stream is None:
            return b""
        try:
            return self._stream.read(0)
        except OSError:
            self._stream.close()
            self._stream = None
            return b""

    def write(self, data: bytes) -> None:
        stream = self._stream  # the reading thread may drop it meanwhile
        if stream is not None:
            stream.write(data)

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()
        self._server.close()


class SerialLine:
    """A serial line, such as a telemetry radio."""

    def __init__(self, device: str, baud: int) -> None:
        import serial  # pyserial, only where there is a serial line

        self._line = serial.Serial(device, baud, timeout=0, write_timeout=2)

    def read(self, timeout: float) -> bytes:
        end = time.monotonic() + timeout
        while not (waiting := self._line.in_waiting):
            if time.monotonic() >= end:
                return b""
            time.sleep(0.005)
        return self._line.read(waiting)

    def write(self, data: bytes) -> None:
        self._line.write(data)

    def close(self) -> None:
        self._line.close()
