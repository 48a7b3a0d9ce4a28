"""Watches over the boat in the link's thread, also while the planner thinks; acts at once when something is wrong.

It never fights: when somebody else changed the mode, the boat is theirs until they give it back.
"""

import threading
import time
from collections.abc import Callable

import numpy as np
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from akrig.geo import Area
from akrig.vehicles.mavlink.alarms import ENDS_BY_ITSELF, Ending, Kind, Level, Limits, Pause
from akrig.vehicles.mavlink.link import Link
from akrig.vehicles.mavlink.modes import FAILSAFE, STARTING
from akrig.vehicles.mavlink.observer import Observer

SECONDS_TO_CONFIRM = 3.0  # boat seconds after which an order is given again
GPS_GRACE = 3.0  # boat seconds without a trusted position before the boat is stopped
BATTERY_GRACE = 5.0
SHORTEST_SILENCE = 1.5  # seconds on this computer's clock


class Guard:
    """Args:
    tell: what happened and what was done about it.
    """

    def __init__(
        self, area: Area, observer: Observer, link: Link, *, limits: Limits, tell: Callable[[Level, str], None]
    ) -> None:
        self.pauses: dict[Kind, Pause] = {}
        self.ending: Ending | None = None
        self.is_homeward = False
        self.must_engage = True  # the boat must be put into GUIDED before it can be steered on
        self._area, self._observer, self._link, self._limits, self._tell = area, observer, link, limits, tell
        self._lock = threading.RLock()
        self._in_charge = False
        self._asked: str | None = None  # the mode that akrig last asked for
        self._confirmed = False
        self._asked_at = 0.0
        self._mode_before = ""
        self._link_was_lost = False
        self._restarts = 0
        self._since: dict[str, float] = {}

    # -- for whoever steers (any thread) --------------------------------------------------------------------------

    @property
    def is_clear(self) -> bool:
        """May the boat be steered?"""
        return not self.pauses and self.ending is None

    def take_charge(self) -> None:
        """From now on the boat is akrig's, and watched."""
        with self._lock:
            self._in_charge = True
            self._restarts = self._observer.clock.restarts
            self._observer.pinged_at = time.monotonic()

    def give_up_charge(self) -> None:
        with self._lock:
            self._in_charge = False

    def asks_for(self, mode: str) -> None:
        """Akrig itself changes the mode: that is nobody taking over."""
        with self._lock:
            self._asked, self._confirmed = mode, False
            self._asked_at = time.monotonic()
            self._mode_before = self._observer.health.mode

    def pause(self, kind: Kind, message: str, *, level: Level = "alarm") -> None:
        with self._lock:
            if kind in self.pauses:
                return
            self.pauses[kind] = Pause(kind, message, self._observer.clock.now)
        self._tell(level, message)

    def end(self, ending: Ending) -> None:
        """The first reason counts; on the way home, only what keeps the boat from getting there."""
        with self._lock:
            if self.ending is None and not (self.is_homeward and ending.course == "return"):
                self.ending = ending

    def come_home(self) -> None:
        with self._lock:
            self.ending, self.is_homeward, self.must_engage = None, True, True

    def resume(self) -> str | None:
        """The operator wants to go on; a sentence if that cannot be."""
        latest = self._observer.track.latest
        if latest is None or self._observer.health.gps_trouble(self._limits.max_hdop):
            return "the boat has no position it can trust"
        if self._clearance(latest.position) < 0:
            return "the boat is outside the fence or in a keep-out; bring it back by hand first"
        with self._lock:
            for pause in list(self.pauses.values()):
                if pause.kind not in ENDS_BY_ITSELF:
                    self._lift(pause.kind)
        return None

    def hold(self) -> None:
        """Keep the place with a trusted position; without one, stop the motors."""
        has_position = self._observer.health.gps_trouble(self._limits.max_hdop) is None
        knows_loiter = self._observer.modes is None or self._observer.modes.is_ardupilot
        stuck = "stuck" in self.pauses
        self._order_mode("LOITER" if has_position and knows_loiter and not stuck else "HOLD")

    @property
    def is_holding(self) -> bool:
        return self._observer.health.mode in ("LOITER", "HOLD")

    # -- in the link's thread --------------------------------------------------------------------------------------

    def tick(self) -> None:
        with self._lock:
            if not self._in_charge:
                return
            self._check_link()
            if "link" in self.pauses:
                return
            self._check_restart()
            self._check_mode()
            self._check_position()
            self._check_gps()
            self._check_battery()
            self._check_sonar()
            self._check_patience()

    def _check_link(self) -> None:
        silence = self._link.silence
        # A simulated boat's seconds may be too short for a busy computer.
        if silence > max(self._limits.link_timeout, SHORTEST_SILENCE * self._link.speedup):
            self._link_was_lost = True
            self.pause("link", f"No word from the boat for {silence:.0f} s: waiting for it to come back.")
            self._check_patience()
        elif "link" in self.pauses:
            self._lift("link")
            self._since.clear()
            self._tell("info", "The boat is heard again.")

    def _check_restart(self) -> None:
        if self._observer.clock.restarts > self._restarts:
            self._restarts = self._observer.clock.restarts
            self._observer.forget_position()
            self._asked = None
            self.pause(
                "restart",
                "The boat has restarted. Its motors stay off until you say `resume`: keep hands clear, then go on.",
            )

    def _check_mode(self) -> None:
        health = self._observer.health
        if "restart" in self.pauses or self._asked is None or health.mode in STARTING:
            return
        if health.mode == self._asked:
            self._confirmed = True
            if self._asked == "GUIDED" and not health.armed and not self._longer_than("disarmed", 2.0):
                return
            if self._asked == "GUIDED" and not health.armed:
                self.pause("pilot", "Somebody disarmed the boat: waiting until you say `resume`.")
            else:
                self._since.pop("disarmed", None)
                self._given_back(health.mode)
            return
        if self._confirmed or health.mode != self._mode_before:
            self._somebody_changed(health.mode)
        elif time.monotonic() - self._asked_at > max(SECONDS_TO_CONFIRM / self._link.speedup, 0.5):
            self._order_mode(self._asked)

    def _somebody_changed(self, mode: str) -> None:
        if self._link_was_lost and mode in FAILSAFE:
            self._link_was_lost = False
            self._tell("info", f"The boat put itself into {mode} while the link was lost; akrig takes it up again.")
            self._asked, self._confirmed, self.must_engage = mode, True, True
            return
        if "pilot" not in self.pauses:
            self.pause(
                "pilot",
                f"Somebody changed the mode to {mode}: the boat is theirs. akrig waits for GUIDED, or for `resume`.",
            )

    def _given_back(self, mode: str) -> None:
        pause = self.pauses.get("pilot")
        if pause is not None and mode == "GUIDED":
            self._lift("pilot")
            self._tell("info", "The boat is in GUIDED again: the survey goes on.")

    def _check_position(self) -> None:
        latest = self._observer.track.latest
        if latest is None or not latest.trusted or "breach" in self.pauses or "pilot" in self.pauses:
            return
        clearance = self._clearance(latest.position)
        if clearance < self._limits.breach and self._is_leaving(clearance):
            where = "outside the fence or in a keep-out" if clearance < 0 else f"{clearance:.1f} m from a border"
            if self._limits.on_breach == "return" and self._is_surveying:
                self.end(Ending("return", f"The boat was {where}."))
                self._tell("alarm", f"The boat is {where}: it comes home.")
            else:
                self.pause("breach", f"The boat is {where}: it is stopped. Say `resume` or `return`.")
                self.hold()

    def _is_leaving(self, clearance: float) -> bool:
        """Near the border, but on the way back in, is no breach."""
        before = self._since.get("clearance", clearance)
        self._since["clearance"] = clearance
        return clearance < 0 or clearance < before - 1e-6

    def _check_gps(self) -> None:
        trouble = self._observer.health.gps_trouble(self._limits.max_hdop)
        latest = self._observer.track.latest
        if trouble is None and (latest is None or self._observer.clock.now - latest.time > 2 * GPS_GRACE):
            trouble = "no position comes from the boat"
        if trouble is None:
            self._since.pop("gps", None)
            if "gps" in self.pauses:
                self._lift("gps")
                self._tell("info", "The position can be trusted again: the survey goes on.")
        elif self._longer_than("gps", GPS_GRACE) and "gps" not in self.pauses:
            self.pause("gps", f"The position cannot be trusted ({trouble}): the boat is stopped until it can.")
            if "pilot" not in self.pauses and "restart" not in self.pauses:
                self._order_mode("HOLD")

    def _check_battery(self) -> None:
        battery = self._observer.health.battery
        if battery is None or battery >= self._limits.battery:
            self._since.pop("battery", None)
        elif self._is_surveying and self._longer_than("battery", BATTERY_GRACE):
            self._tell("alarm", f"The battery is at {battery:.0%}: the boat comes home.")
            self.end(Ending("return", f"The battery was at {battery:.0%}."))

    def _check_sonar(self) -> None:
        silent = (time.monotonic() - self._observer.pinged_at) * self._link.speedup
        if self.pauses:
            self._observer.pinged_at = time.monotonic()
        elif silent > self._limits.silence and self._is_surveying:
            self._tell("alarm", f"No sounding for {silent:.0f} s: the boat comes home.")
            self.end(Ending("return", f"The sonar was silent for {silent:.0f} s."))

    def _check_patience(self) -> None:
        now = self._observer.clock.now
        overdue = [pause for pause in self.pauses.values() if now - pause.since > self._limits.patience]
        if overdue and self.ending is None:
            self._tell("alarm", f"Waited {self._limits.patience:.0f} s; the survey ends here.")
            self.end(Ending("hold", overdue[0].message))

    def _lift(self, kind: Kind) -> None:
        del self.pauses[kind]
        self.must_engage = True

    @property
    def _is_surveying(self) -> bool:
        return self.ending is None and not self.is_homeward

    def _longer_than(self, what: str, seconds: float) -> bool:
        begin = self._since.setdefault(what, time.monotonic())
        return (time.monotonic() - begin) * self._link.speedup > seconds

    def _clearance(self, position: tuple[float, float]) -> float:
        return float(self._area.clearance(np.array([position]))[0])

    def _order_mode(self, mode: str) -> None:
        """Without waiting; it is given again until the boat confirms."""
        modes = self._observer.modes
        if modes is None:
            return
        if self._asked != mode:
            self.asks_for(mode)
        self._asked_at = time.monotonic()
        self._link.order(mavlink.MAV_CMD_DO_SET_MODE, *modes.parameters(mode))
