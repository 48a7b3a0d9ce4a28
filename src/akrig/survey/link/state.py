"""What is known of the boat, from the events it sends: its clock, its health, its track, and the sonar's pings."""

import math
import time
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from akrig.frame import LocalFrame
from akrig.survey.link import decoding
from akrig.survey.link.clock import BoatClock
from akrig.survey.link.failsafe import FailsafeLog
from akrig.survey.link.modes import Modes
from akrig.survey.link.soundings import Ping
from akrig.survey.link.track import Fix, Track

SECONDS_BEFORE_FALLING_BACK = 10.0  # that a better sonar must be silent


@dataclass
class Health:
    """The latest that the boat said about itself; `None` is not said yet."""

    mode: str = ""
    armed: bool = False
    critical: bool = False  # a failsafe of its own is active
    is_fence_breached: bool = False  # its own fence, on board
    battery: float | None = None  # share left
    voltage: float | None = None
    fix_type: int | None = None
    satellites: int | None = None
    hdop: float | None = None
    filter_ok: bool | None = None
    depth: float | None = None
    texts: deque[str] = field(default_factory=lambda: deque(maxlen=20))

    @property
    def objections(self) -> list[str]:
        """What keeps it from being armed, in its own words, each once."""
        return list(dict.fromkeys(text for text in tuple(self.texts) if text.startswith(("PreArm:", "Arm:"))))

    def gps_trouble(self, max_hdop: float) -> str | None:
        """Why its position cannot be trusted."""
        if self.fix_type is None:
            return "no word from the GPS"
        if self.fix_type < 3:
            return "no GPS fix"
        if self.hdop is not None and self.hdop > max_hdop:
            return f"GPS too coarse (HDOP {self.hdop:.1f})"
        if self.filter_ok is False:
            return "the boat's filter has no position"
        return None


class BoatState:
    """Takes in every event, in the link's thread; any thread may look.

    Args:
        source: the message with the depth, "auto" for the best that comes, or "" if the sonar is not on this link.
        max_hdop: a coarser position is not trusted.
    """

    def __init__(self, frame: LocalFrame, *, source: str, max_hdop: float) -> None:
        self.clock, self.health, self.track, self.failsafes = BoatClock(), Health(), Track(), FailsafeLog()
        self.modes: Modes | None = None
        self.target: tuple[int, int] | None = None  # as the boat confirms it, in 1e-7 degrees
        self.arrivals = 0
        self.pinged_at = math.nan  # unix seconds, by the boat's clock
        self._frame, self._source, self._max_hdop = frame, source, max_hdop
        self._heading = 0.0  # by its attitude
        self._sonars: dict[tuple[int, bool, int], float] = {}  # when each was last heard
        self._heard_at: dict[type, float] = {}

    @property
    def gps_trouble(self) -> str | None:
        """Why its position cannot be trusted."""
        return self.health.gps_trouble(self._max_hdop)

    def update(self, event: decoding.Event) -> Ping | None:
        """Returns the ping, if the event is one of the sonar that is listened to."""
        self._heard_at[type(event)] = time.monotonic()
        match event:
            case decoding.Heartbeat(modes, mode, armed, critical):
                self.modes = self.modes or modes
                self.health.mode, self.health.armed, self.health.critical = mode, armed, critical
            case decoding.GpsStatus() | decoding.PowerStatus() | decoding.FilterStatus() | decoding.FenceStatus():
                for name, value in event._asdict().items():
                    setattr(self.health, name, value)
            case decoding.TimeStamp(boot_ms, unix_us):
                self.clock.hear(boot_ms, unix_us)
            case decoding.Position():
                self._add_fix(event, self.clock.hear(event.boot_ms))
            case decoding.Attitude(boot_ms, heading):
                self.clock.hear(boot_ms)
                self._heading = heading
            case decoding.Text(text):
                self.health.texts.append(text)
                self.failsafes.hear(text, self.clock.heard)
            case decoding.Target():
                self.target = event
            case decoding.Arrival():
                self.arrivals += 1
            case decoding.DepthReport():
                return self._ping(event)
        return None

    def note(self, ping: Ping) -> Ping:
        """A ping of whichever sonar is listened to."""
        self.pinged_at = self.clock.heard
        self.health.depth = ping.depth if math.isfinite(ping.depth) else None
        return ping

    def silence(self, kind: type) -> float:
        """Seconds on this computer's clock since such an event came."""
        return time.monotonic() - self._heard_at.get(kind, -math.inf)

    def forget_position(self) -> None:
        """After a restart: what was known of GPS and filter is no longer true."""
        self.health.fix_type = self.health.hdop = self.health.filter_ok = self.target = None

    def _add_fix(self, event: decoding.Position, moment: float) -> None:
        if event.latitude == 0 and event.longitude == 0:
            return  # no position yet
        (x, y) = self._frame.to_metres(np.array([[event.longitude, event.latitude]]))[0].tolist()
        if math.isfinite(x + y):  # else it is on the other side of the Earth
            heading = self._heading if event.heading is None else event.heading
            self.track.add(Fix(moment, (x, y), heading, event.speed, self.gps_trouble is None))

    def _ping(self, report: decoding.DepthReport) -> Ping | None:
        moment = self.clock.now if report.boot_ms is None else self.clock.hear(report.boot_ms)
        if self._source in (report.kind, "auto") and self._is_best(report.source):
            return self.note(Ping(moment, report.depth, report.confidence))
        return None

    def _is_best(self, sonar: tuple[int, bool, int]) -> bool:
        """Does no better one speak of the depth these days?

        Two that look down hang at different places, and would make a step of every other sounding.
        """
        now = time.monotonic()
        self._sonars[sonar] = now
        return not any(other < sonar and now - at <= SECONDS_BEFORE_FALLING_BACK for other, at in self._sonars.items())
