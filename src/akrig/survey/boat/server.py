"""The boat as a process: UDP on loopback, paced so that boat time runs `speedup` times as fast as the clock."""

import logging
import selectors
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import IO, Any

from akrig.errors import AkrigError
from akrig.survey.boat.dialect import mavlink
from akrig.survey.boat.faults import ScheduledFault, UnknownFault, parse_fault
from akrig.survey.boat.protocol import COMPONENT
from akrig.survey.boat.world import STEP, Boat, due_faults

Address = tuple[str, int]
LOOPBACK = "127.0.0.1"
MOST_STATIONS = 16
MOST_LAG = 1.0  # seconds behind the clock that are not caught up
MOST_STEPS = 400  # between two looks at the sockets
COLUMNS = "time_unix,longitude,latitude,x,y,heading,mode,armed,battery"
INTERVAL = 0.25  # boat seconds between two lines of them
log = logging.getLogger(__name__)


class PortTaken(AkrigError, OSError):
    """Another process listens where the boat wants to."""


def serve(
    boat: Boat,
    *,
    to: Sequence[Address],
    fault_port: int | None = None,
    schedule: Sequence[ScheduledFault] = (),
    truth: Path | None = None,
    stop: threading.Event | None = None,
    tell: Callable[[str], None] = log.warning,
) -> None:
    """Runs until `stop` is set.

    Args:
        to: where heartbeats go; whoever sends the boat a message is answered too.
        fault_port: for lines such as `gps for 30`, each answered with a line.
        schedule: faults at boat seconds.
        truth: a CSV file for where the boat really is.
        tell: gets one sentence per fault, and one if the machine cannot keep pace.
    """
    with ExitStack() as opened:
        selector = opened.enter_context(selectors.DefaultSelector())
        link = BoatPort(to)
        opened.enter_context(link.socket)
        selector.register(link.socket, selectors.EVENT_READ, lambda: link.receive(boat))
        if fault_port is not None:
            faults = FaultPort(fault_port)
            opened.enter_context(faults.socket)
            selector.register(faults.socket, selectors.EVENT_READ, lambda: faults.answer(boat, tell))
        recorder = opened.enter_context(closing(TruthFile(truth))) if truth is not None else None
        _run(boat, selector, link, pending=list(schedule), recorder=recorder, stop=stop, tell=tell)


def _run(
    boat: Boat, selector: selectors.BaseSelector, link: "BoatPort", *, pending: list[ScheduledFault],
    recorder: "TruthFile | None", stop: threading.Event | None, tell: Callable[[str], None],
) -> None:  # fmt: skip
    pace = RealTimePacer(tell)
    while stop is None or not stop.is_set():
        for key, _ in selector.select(pace.wait()):
            key.data()
        for _ in range(pace.due(boat)):
            for fault in due_faults(pending, boat.time) if pending else ():
                tell(f"Fault: {boat.inject(fault)}.")
            boat.step()
            if recorder is not None:
                recorder.step(boat)
            link.send(boat)
        link.send(boat)


class RealTimePacer:
    """How many steps are due; a machine that is too slow loses time rather than hurrying after it, and says so once."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell, self._told = tell, False
        self._next = time.monotonic()

    def wait(self) -> float:
        """Seconds until the next step is due; never long, so that a stop is noticed."""
        return min(max(self._next - time.monotonic(), 0.0), 0.1)

    def due(self, boat: Boat) -> int:
        interval = STEP / boat.parameters["SIM_SPEEDUP"]
        behind = time.monotonic() - self._next
        if behind < 0:
            return 0
        if behind > MOST_LAG + interval:
            self._next += behind - interval
            behind = interval
            if not self._told:
                self._told = True
                self._tell(
                    f"This machine cannot keep pace with a speedup of {boat.parameters['SIM_SPEEDUP']:g}; "
                    "boat time runs slower; try a smaller --speedup."
                )
        steps = min(int(behind / interval) + 1, MOST_STEPS)
        self._next += steps * interval
        return steps


class BoatPort:
    """The MAVLink socket, and the ground stations that are known."""

    def __init__(self, to: Sequence[Address]) -> None:
        self.socket = _open(0)
        self._given = tuple(dict.fromkeys(to))
        self._learnt: dict[Address, float] = {}
        self._mav = mavlink.MAVLink(None, srcComponent=COMPONENT)

    def receive(self, boat: Boat) -> None:
        """All that is waiting; what is answered goes to whoever asked, as on ArduPilot's ports."""
        for data, sender in _waiting(self.socket):
            messages = _parsed(data)
            if messages:
                self._learn(sender)
            for message in messages:
                self.send(boat)
                boat.handle(message)
                self._send(boat.drain(), system=boat.protocol.system, to=[sender])
                if boat.passes_on(message):
                    self._pass_on(message, sender)

    def send(self, boat: Boat) -> None:
        """What the boat has to say of itself, to all."""
        self._send(boat.drain(), system=boat.protocol.system, to=(*self._given, *self._learnt))

    def _send(self, messages: Sequence[Any], *, system: int, to: Sequence[Address]) -> None:
        self._mav.srcSystem = system
        for message in messages:
            packet = message.pack(self._mav)
            self._mav.seq = (self._mav.seq + 1) % 256
            for address in to:
                self._post(packet, address)

    def _pass_on(self, message: Any, sender: Address) -> None:
        """So that ground stations hear of each other."""
        for address in (*self._given, *self._learnt):
            if address != sender:
                self._post(bytes(message.get_msgbuf()), address)

    def _post(self, packet: bytes, address: Address) -> None:
        try:
            self.socket.sendto(packet, address)
        except OSError as error:  # no one listens there, or the buffer is full: radio loses packets too
            log.debug("Not sent to %s: %s", address, error)

    def _learn(self, sender: Address) -> None:
        if sender in self._given:
            return
        self._learnt[sender] = time.monotonic()
        if len(self._learnt) > MOST_STATIONS:
            self._learnt.pop(min(self._learnt, key=self._learnt.__getitem__))


class FaultPort:
    """Lines of text in, a line of text back."""

    def __init__(self, port: int) -> None:
        self.socket = _open(port)

    def answer(self, boat: Boat, tell: Callable[[str], None]) -> None:
        for data, sender in _waiting(self.socket):
            try:
                line = f"ok: {boat.inject(parse_fault(data.decode('utf-8', 'replace')))}"
                tell(f"Fault: {line.removeprefix('ok: ')}.")
            except UnknownFault as error:
                line = f"error: {error}"
            try:
                self.socket.sendto(line.encode() + b"\n", sender)
            except OSError as error:
                log.debug("No answer to %s: %s", sender, error)


class TruthFile:
    """Where the boat really was, so that a test can prove that it never left its fence: a CSV file.

    A line every quarter of a boat second, each on disk before the next.
    """

    def __init__(self, path: Path) -> None:
        self._file: IO[str] = path.open("w", buffering=1, encoding="utf-8")
        self._file.write(COLUMNS + "\n")
        self._every = round(INTERVAL / STEP)

    def step(self, boat: Boat) -> None:
        """Call after each step of the boat."""
        if boat.steps % self._every:
            return
        (longitude, latitude), (x, y) = boat.lonlat, boat.position
        self._file.write(
            f"{boat.unix_time:.2f},{longitude:.9f},{latitude:.9f},{x:.3f},{y:.3f},{boat.heading:.4f},"
            f"{boat.mode.name},{int(boat.is_armed)},{boat.battery.share:.4f}\n"
        )

    def close(self) -> None:
        self._file.close()


def _open(port: int) -> socket.socket:
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        opened.bind((LOOPBACK, port))
    except OSError as error:
        opened.close()
        raise PortTaken(
            f"UDP port {port} on {LOOPBACK} cannot be opened ({error.strerror}); try another one."
        ) from None
    opened.setblocking(False)
    return opened


def _waiting(source: socket.socket) -> list[tuple[bytes, Address]]:
    found = []
    while len(found) < 1000:
        try:
            found.append(source.recvfrom(65535))
        except BlockingIOError:
            break
        except ConnectionError:  # an earlier packet of ours was not wanted
            continue
    return found


def _parsed(data: bytes) -> list[Any]:
    """The good messages of a datagram; a parser of its own, so that half a packet cannot swallow the next one."""
    parser = mavlink.MAVLink(None)
    parser.robust_parsing = True
    try:
        messages = parser.parse_buffer(data) or []
    except Exception:  # pymavlink raises many things on hostile bytes
        log.debug("A datagram of %d bytes made no sense.", len(data), exc_info=True)
        return []
    return [message for message in messages if message.get_type() != "BAD_DATA"]
