"""From pings to soundings: each gets the position at its time, and what is implausible is refused with its reason."""

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from akrig.config.survey import DepthSettings
from akrig.survey.link.track import Track
from akrig.survey.link.waterlevel import WaterLevel

RECENT = 7  # accepted soundings whose median a new one is compared with
RECENT_SECONDS = 10.0
BELIEVED = 3  # so many refused in a row that agree with each other are a step in the bottom, not a fish
WAIT_FOR_POSITION = 1.5  # seconds: a ping without a later position by then has none


@dataclass(frozen=True)
class Ping:
    """What a sonar said: unix seconds, metres below the transducer, per cent or `None`."""

    time: float
    depth: float
    confidence: int | None = None


@dataclass(frozen=True)
class Sounding:
    """A ping with its place and verdict.

    Args:
        time: unix seconds.
        position: local metres; `None` if it has none.
        depth: corrected, metres.
        raw: as it came.
        reason: why it is refused; `None` if it is accepted.
    """

    time: float
    position: tuple[float, float] | None
    depth: float
    raw: float
    reason: str | None = None


class Sounder:
    """Args:
    settings: how the transducer is mounted, and which depths are plausible.
    level: of the water, if depths are to be those below a datum.
    """

    def __init__(self, track: Track, settings: DepthSettings, *, level: WaterLevel | None = None) -> None:
        self._track, self._settings, self._level = track, settings, level
        self._waiting: deque[tuple[Ping, str | None]] = deque()
        self._recent: deque[Sounding] = deque(maxlen=RECENT)
        self._doubted: deque[float] = deque(maxlen=BELIEVED)

    def hear(self, ping: Ping, *, trouble: str | None) -> None:
        """A ping arrived; its verdict comes when a position after its time is known, or is overdue.

        Args:
            trouble: why positions cannot be trusted just now; `None` if they can.
        """
        ping = Ping(ping.time - self._settings.latency, ping.depth, ping.confidence)
        self._waiting.append((ping, trouble))

    def soundings(self, now: float) -> Iterator[Sounding]:
        """Of all pings whose position is known by now, or never will be; accepted, or refused with the reason."""
        while self._waiting:
            ping, trouble = self._waiting[0]
            latest = self._track.latest
            # One that lies far ahead was heard before the boat told the date: it must not keep the others waiting.
            if (latest is None or latest.time < ping.time) and abs(now - ping.time) < WAIT_FOR_POSITION:
                return
            self._waiting.popleft()
            yield self._judge(ping, trouble)

    def _judge(self, ping: Ping, trouble: str | None) -> Sounding:
        fix = self._track.at(ping.time)
        position = None if fix is None else self._transducer_at(fix.position, fix.heading)
        depth = ping.depth + self._settings.transducer
        level = None if self._level is None else self._level.at(ping.time)
        if level is not None:
            depth -= level
        reason = self._implausible(ping, depth)
        if self._level is not None and level is None:
            reason = reason or "no water level is known for this time"
        if trouble is not None or position is None or (fix is not None and not fix.trusted):
            reason = reason or trouble or "no position at this time"
        sounding = Sounding(ping.time, position, depth, ping.depth, reason or self._jump(ping.time, depth))
        if sounding.reason is None:
            self._recent.append(sounding)
            self._doubted.clear()
        return sounding

    def _transducer_at(self, position: tuple[float, float], heading: float) -> tuple[float, float]:
        ahead, right = self._settings.forward, self._settings.right
        cos, sin = math.cos(heading), math.sin(heading)
        return position[0] + ahead * cos + right * sin, position[1] + ahead * sin - right * cos

    def _implausible(self, ping: Ping, depth: float) -> str | None:
        wanted = self._settings
        if not math.isfinite(ping.depth) or ping.depth <= 0:
            return "no echo"
        if not wanted.shallowest <= ping.depth <= wanted.deepest:
            return f"out of range ({ping.depth:.2f} m is not between {wanted.shallowest:g} and {wanted.deepest:g})"
        if ping.confidence is not None and ping.confidence < wanted.min_confidence:
            return f"confidence too low ({ping.confidence} % of {wanted.min_confidence})"
        return None

    def _jump(self, time: float, depth: float) -> str | None:
        recent = [sounding.depth for sounding in self._recent if time - sounding.time < RECENT_SECONDS]
        allowed = self._settings.max_jump
        if recent and abs(depth - median(recent)) <= allowed:
            return None
        self._doubted.append(depth)
        if not recent:
            # The first of all, and the first after a gap, could be a fish: the next one must agree.
            last = list(self._doubted)[-2:]
            return None if len(last) == 2 and max(last) - min(last) <= allowed else "the first one, not confirmed yet"
        if len(self._doubted) == BELIEVED and max(self._doubted) - min(self._doubted) <= allowed / 2:
            self._recent.clear()  # the bottom itself has a step here
            return None
        return f"jump ({depth:.2f} m, the last ones were about {median(recent):.2f})"
