"""A conversation with one boat: messages are heard in a thread of their own; a line that breaks is opened again.

The thread also sends the heartbeat of a ground station: a boat that misses it acts on its own failsafe.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from akrig.survey.link.transport import Transport, open_again, open_first

GROUND_STATION = 255  # whose heartbeat ArduPilot waits for, unless it was told otherwise
# Not a ground station's 190: ArduPilot passes no heartbeat on to where it has heard the same system and component,
# and so akrig would never hear that there is another.
COMPONENT = mavlink.MAV_COMP_ID_ONBOARD_COMPUTER
AUTOPILOT = mavlink.MAV_COMP_ID_AUTOPILOT1
READ_TIMEOUT = 0.05
SECONDS_BETWEEN_TICKS = 0.01
SHORTEST_WAIT = 0.5  # seconds on this computer's clock
LONGEST_NAP = 0.2  # seconds until it is seen that nobody wants to wait any more

Message = Any  # pymavlink's classes are made at run time


class Link:
    """Args:
    system: which vehicle to talk to; `None` takes the first that is heard.
    id: what akrig calls itself on the line; the boat's MAV_GCS_SYSID.
    hear: called in the link's thread with every message of the boat.
    tick: called in the link's thread many times a second, also when nothing comes.
    tell: what a person should know.
    """

    def __init__(
        self,
        address: str,
        *,
        system: int | None = None,
        id: int = GROUND_STATION,
        hear: Callable[[Message], None] = lambda message: None,
        tick: Callable[[], None] = lambda: None,
        tell: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self.address, self.system, self.id = address, system, id
        self.speedup = 1.0
        self.autopilot: int | None = None
        self.heartbeats = 0
        self.heard_at = -float("inf")  # the last heartbeat, on this computer's monotonic clock
        self.failure: Exception | None = None
        self.stations: dict[int, float] = {}  # other ground stations by their ids, and when they were last heard
        self.is_interrupted = False  # nobody wants to wait any more
        self._bytes = 0
        self.is_station = True  # a boat that has heard a ground station's heartbeat acts when it falls silent
        self._hear, self._tick, self._tell = hear, tick, tell
        self._codec = mavlink.MAVLink(_Wire(self), srcSystem=id, srcComponent=COMPONENT)
        self._parser = _new_parser()
        self._transport: Transport | None = None
        self._sending = threading.RLock()
        self._arrived = threading.Condition()
        self._acks: dict[int, int] = {}
        self._values: dict[str, float | None] = {}
        self._others: set[int] = set()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="akrig link", daemon=True)

    def start(self) -> None:
        """Raises `LinkLost` if the address cannot be opened now; later it is tried again and again."""
        self._transport = open_first(self.address)
        self._thread.start()

    def close(self) -> None:
        self._ending.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout=5)
        if self._transport is not None:
            self._transport.close()

    @property
    def silence(self) -> float:
        """Seconds of boat time since its last heartbeat."""
        return (time.monotonic() - self.heard_at) * self.speedup

    def wait(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Until something that was heard makes it true; seconds of boat time, but time enough for a busy computer."""
        until = time.monotonic() + max(seconds / self.speedup, SHORTEST_WAIT)
        with self._arrived:
            while not (done := condition()) and not self.is_interrupted and (left := until - time.monotonic()) > 0:
                self._arrived.wait(min(left, LONGEST_NAP))
            return done

    def interrupt(self) -> None:
        """Whoever waits stops waiting; from any thread, also from a signal's handler."""
        self.is_interrupted = True

    @property
    def heard(self) -> str:
        """What has come so far, in words."""
        if self.heartbeats:
            return f"vehicle {self.system}"
        if self.stations:
            return f"only ground stations ({', '.join(map(str, sorted(self.stations)))}), no vehicle"
        return f"{self._bytes} bytes, but no vehicle's heartbeat" if self._bytes else "nothing yet"

    def send(self, message: Message) -> None:
        """A line that is broken just now loses it, as a radio would: what matters is asked again."""
        with self._sending:
            self._codec.send(message)

    def command(self, number: int, *parameters: float, attempts: int = 3, seconds: float = 1.5) -> int | None:
        """Sends a command until it is answered; returns the MAV_RESULT, or `None` if no answer came."""
        values = [*parameters, *[0.0] * (7 - len(parameters))]
        self._acks.pop(number, None)
        for attempt in range(attempts):
            self.order(number, *values, confirmation=attempt)
            # Acceptance in progress is no end yet: some commands take their time.
            if self.wait(lambda: self._acks.get(number, mavlink.MAV_RESULT_IN_PROGRESS) != 5, seconds):
                return self._acks[number]
        return self._acks.get(number)

    def order(self, number: int, *parameters: float, confirmation: int = 0) -> None:
        """Sends a command without waiting."""
        values = [*parameters, *[0.0] * (7 - len(parameters))]
        self.send(mavlink.MAVLink_command_long_message(self.system or 1, AUTOPILOT, number, confirmation, *values))

    def parameter(self, name: str, *, attempts: int = 3, seconds: float = 1.0) -> float | None:
        """A parameter of the boat; `None` if it has none of that name, or does not answer."""
        for _ in range(attempts):
            self.send(mavlink.MAVLink_param_request_read_message(self.system or 1, AUTOPILOT, name.encode(), -1))
            if self.wait(lambda: name in self._values, seconds):
                return self._values[name]
        return None

    def _run(self) -> None:
        next_heartbeat = next_tick = 0.0
        while not self._ending.is_set():
            try:
                self._read()
            except OSError:
                self._open_again()
            now = time.monotonic()
            if now >= next_heartbeat:
                next_heartbeat = now + 1 / self.speedup
                self._heartbeat()
            if now >= next_tick:
                next_tick = now + SECONDS_BETWEEN_TICKS
                self._safely(self._tick)

    def _read(self) -> None:
        assert self._transport is not None
        data = self._transport.read(READ_TIMEOUT)
        if not data:
            return
        self._bytes += len(data)
        try:
            messages = self._parser.parse_buffer(bytearray(data)) or ()
        except Exception:  # pymavlink raises many things on hostile bytes; none may end this thread
            self._parser, messages = _new_parser(), ()
        for message in messages:
            self._receive(message)

    def _open_again(self) -> None:
        assert self._transport is not None
        self._parser = _new_parser()  # half a message of the old line is no beginning of the new one's
        self._transport = open_again(
            self._transport, self.address, ending=self._ending, meanwhile=lambda: self._safely(self._tick)
        )

    def _heartbeat(self) -> None:
        """Who only asks must not be missed afterwards: a question for the time keeps the line open as well."""
        if not self.is_station:
            self.send(mavlink.MAVLink_timesync_message(0, time.monotonic_ns()))
            return
        kind, nobody = mavlink.MAV_TYPE_GCS, mavlink.MAV_AUTOPILOT_INVALID
        self.send(mavlink.MAVLink_heartbeat_message(kind, nobody, 0, 0, mavlink.MAV_STATE_ACTIVE, 3))

    def _receive(self, message: Message) -> None:
        kind = message.get_type()
        if kind == "BAD_DATA" or not self._is_from_boat(message, kind):
            return
        if message.get_srcComponent() == AUTOPILOT:
            if kind == "COMMAND_ACK" and self._is_for_us(message):
                self._acks[message.command] = message.result
            elif kind == "PARAM_VALUE":
                self._values[message.param_id] = message.param_value
            elif kind == "PARAM_ERROR":  # newer firmware says so when it has no such parameter
                self._values[message.param_id] = None
        self._safely(lambda: self._hear(message))
        with self._arrived:
            self._arrived.notify_all()

    def _is_for_us(self, ack: Message) -> bool:
        """Other ground stations on the line get answers, too."""
        return ack.target_system in (0, self.id) and ack.target_component in (0, COMPONENT)

    def _is_from_boat(self, message: Message, kind: str) -> bool:
        """Gimbals, radios and other ground stations have heartbeats of their own: they are not the boat's."""
        system = message.get_srcSystem()
        if kind != "HEARTBEAT":
            return system == self.system
        if message.type == mavlink.MAV_TYPE_GCS:
            self._hear_station(system)
        if message.get_srcComponent() != AUTOPILOT or message.autopilot == mavlink.MAV_AUTOPILOT_INVALID:
            return False
        if self.system is None:
            self.system = system
        if system == self.system:
            self.autopilot = message.autopilot
            self.heard_at = time.monotonic()
            self.heartbeats += 1
        elif system not in self._others:
            self._others.add(system)
            sentence = f"Another vehicle (system {system}) is on this link; akrig talks to system {self.system}. "
            self._safely(lambda: self._tell(sentence + "Choose with link.system."))
        return system == self.system

    def _hear_station(self, system: int) -> None:
        is_new, self.stations[system] = system not in self.stations, time.monotonic()
        if is_new and system == self.id:
            sentence = (
                f"Another ground station calls itself {system}, as akrig does: if akrig stops, the boat does not "
                "notice while that one is heard. Give one another id: `link.id` here, MAV_GCS_SYSID on the boat."
            )
            self._safely(lambda: self._tell(sentence))

    def _safely(self, act: Callable[[], None]) -> None:
        """A fault in what listens must not end the link: it is kept, and raised by whoever steers."""
        try:
            act()
        except Exception as error:
            self.failure = self.failure or error


def _new_parser() -> mavlink.MAVLink:
    parser = mavlink.MAVLink(None)
    parser.robust_parsing = True
    return parser


class _Wire:
    """What pymavlink writes to."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def write(self, data: bytes) -> None:
        try:
            if self._link._transport is not None:
                self._link._transport.write(bytes(data))
        except OSError:
            pass  # the reading thread finds out, and opens it again
