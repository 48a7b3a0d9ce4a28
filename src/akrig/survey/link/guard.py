"""Watches over the boat in the link's thread, also while the planner thinks; acts at once when something is wrong.

It never fights: when somebody else changed the mode, the boat is theirs until they give it back. But somebody who is
not at the sticks does not see the boat drift: the border and the battery are watched for them, too.
"""

import threading
import time
from collections.abc import Callable

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from akrig.config.survey import SafetySettings
from akrig.survey.area import Area
from akrig.survey.link.alarms import ENDS_BY_ITSELF, Ending, Kind, Level, Pause
from akrig.survey.link.border import Border, BorderWatch, stopping_distance
from akrig.survey.link.decoding import Position
from akrig.survey.link.grace_periods import GracePeriods
from akrig.survey.link.link import Link
from akrig.survey.link.mode_watch import Intent, ModeWatch
from akrig.survey.link.modes import AT_THE_STICKS
from akrig.survey.link.state import BoatState
from akrig.survey.link.watches import BatteryWatch, SonarWatch

GPS_GRACE = 3.0  # boat seconds without a trusted position before the boat is stopped
NO_POSITION = 3.0  # seconds on this computer's clock


class Guard:
    """Args:
    link_timeout: seconds without a heartbeat after which the link is lost.
    tell: what happened and what was done about it.

    Attributes:
        is_engaging: akrig is putting the boat into GUIDED and arming it: that it is not armed yet is nobody's doing.
        must_engage: the boat must be put into GUIDED before it can be steered on.
    """

    def __init__(
        self, area: Area, state: BoatState, link: Link, *, safety: SafetySettings, link_timeout: float,
        tell: Callable[[Level, str], None],
    ) -> None:  # fmt: skip
        self.pauses: dict[Kind, Pause] = {}
        self.ending: Ending | None = None
        self.is_homeward, self.must_engage, self.is_engaging = False, True, False
        self.border = Border(area, stopping_distance(safety.margin))
        self.sonar = SonarWatch(state, silence=safety.silence, say=self.say)
        self._state, self._link, self._tell = state, link, tell
        self._link_timeout, self._patience = link_timeout, safety.patience
        self._lock, self._intent = threading.RLock(), Intent()
        self._in_charge, self._restarts = False, 0
        self._periods = GracePeriods(state.clock, link)
        self.border_watch = BorderWatch(self, state, periods=self._periods, on_breach=safety.on_breach)
        self.battery = BatteryWatch(state.health, self._periods, share=safety.battery, volts=safety.volts)
        self._modes = ModeWatch(self, state, link, periods=self._periods, intent=self._intent)
        self._told: set[str] = set()  # what is said once in a pause
        self._news: list[tuple[Level, str]] = []

    # -- for whoever steers (any thread) --------------------------------------------------------------------------

    @property
    def is_clear(self) -> bool:
        """May the boat be steered?"""
        return not self.pauses and self.ending is None and not self._modes.is_undecided

    @property
    def is_in_charge(self) -> bool:
        """Is the boat akrig's? Before that, and after, nothing may be ordered."""
        return self._in_charge

    def take_charge(self) -> None:
        """From now on the boat is akrig's, and watched."""
        with self._lock:
            self._in_charge = True
            self._restarts = self._state.clock.restarts
            self.sonar.begin()
            self._periods.begin()

    def give_up_charge(self) -> None:
        with self._lock:
            self._in_charge = False

    def begin_engaging(self) -> bool:
        """Akrig is about to put the boat into GUIDED and to arm it; no if somebody or something was faster."""
        with self._lock:
            if self.ending is not None or (self._in_charge and not self.is_clear):
                return False
            self.must_engage, self.is_engaging = False, True
            self._intent.ask("GUIDED", current=self._state.health.mode)
            return True

    def note_requested_mode(self, mode: str) -> None:
        """Akrig itself changes the mode: that is nobody taking over."""
        with self._lock:
            self._intent.ask(mode, current=self._state.health.mode)

    def pause(self, kind: Kind, message: str, *, level: Level = "alarm") -> None:
        with self._lock:
            self.note_pause(kind, message, level)
        self._report_news()

    def end(self, ending: Ending) -> None:
        """The first reason counts; on the way home, only what keeps the boat from getting there."""
        with self._lock:
            if self.ending is None and not (self.is_homeward and ending.course == "return"):
                self.ending = ending

    def come_home(self) -> None:
        with self._lock:
            self.ending, self.is_homeward, self.must_engage = None, True, True

    def resume(self) -> str | None:
        """The operator wants to go on; a sentence if that cannot be.

        Without a position that can be trusted, the boat goes on as soon as it has one; not if it was outside before.
        """
        latest, trouble = self._state.track.latest, self._state.gps_trouble
        known = self._state.track.last_trusted or latest
        with self._lock:
            if known is not None and self.border.clearance(known.position) < 0:
                was = "is" if trouble is None else f"has no position ({trouble}), and when it had one it was"
                return f"the boat {was} outside the fence or in a keep-out; bring it back by hand first"
            if latest is None or trouble is not None:
                self.note_pause("gps", f"The position cannot be trusted ({trouble}): the boat is stopped until it can.")
            self.take_back()
            if latest is not None:
                self.border_watch.forgive(latest.position)
        return None

    def hold(self) -> None:
        """Keep the place with a trusted position; without one, stop the motors. Not if a pilot is at the sticks."""
        if self.is_at_the_sticks:
            return
        has_position = self._state.gps_trouble is None
        knows_loiter = self._state.modes is None or self._state.modes.is_ardupilot
        self.order_mode("LOITER" if has_position and knows_loiter else "HOLD")

    @property
    def is_holding(self) -> bool:
        return self._state.health.mode in ("LOITER", "HOLD")

    # -- in the link's thread --------------------------------------------------------------------------------------

    def tick(self) -> None:
        with self._lock:
            if self._in_charge:
                self._check()
        self._report_news()  # last of all, and unlocked: a journal that cannot be written must not keep it from acting

    def _check(self) -> None:
        missed = self._periods.missed()
        self.sonar.leave_out(missed)
        self._check_link(missed)
        if "link" not in self.pauses:
            self._check_restart()
            self._modes.check()
            self._modes.check_hearing()
            self.border_watch.check()
            self.border_watch.check_rest()
            self._check_gps()
            self._check_battery()
            self._check_sonar()
        self._check_patience()

    def _check_link(self, missed: float) -> None:
        """A boat that nobody listened to, because this computer slept, was as much alone as one that fell silent."""
        silence, longest = self._link.silence, self._periods.at_least(self._link_timeout)
        if max(missed, self._periods.asleep()) > longest:
            self._modes.link_back_at = time.monotonic()
        if silence > longest:
            self.note_pause("link", f"No word from the boat for {silence:.0f} s: waiting for it to come back.")
        elif "link" in self.pauses:
            self.lift("link")
            self._periods.all_over()
            self._modes.link_back_at = time.monotonic()
            self.say("info", "The boat is heard again.")

    def _check_restart(self) -> None:
        restarted = self._state.clock.restarts > self._restarts
        if restarted or self._state.health.mode == "INITIALIZING":
            self._restarts = self._state.clock.restarts
            self._state.forget_position()
            self._intent.forget()
            self.note_pause(
                "restart",
                "The boat has restarted. Its motors stay off until you say `resume`: keep hands clear, then go on.",
            )

    def _check_gps(self) -> None:
        trouble = self._state.gps_trouble
        # Without positions, time stamps may not come either: this silence is counted on this computer's clock.
        lost = self._state.silence(Position) > max(2 * GPS_GRACE / self._link.speedup, NO_POSITION)
        if lost:
            trouble = "no position comes from the boat"
        if trouble is None:
            self._periods.over("gps")
            # The boat's own failsafe needs a second more to clear, and refuses GUIDED until then.
            if "gps" in self.pauses and self._periods.longer_than("trusted", GPS_GRACE):
                self.lift("gps")
                self.say("info", "The position can be trusted again.")
                if self.pauses and not self.is_taken_over:
                    self.hold()  # whoever else holds it, better at its place than adrift
            return
        self._periods.over("trusted")
        if (lost or self._periods.longer_than("gps", GPS_GRACE)) and "gps" not in self.pauses:
            self.note_pause("gps", f"The position cannot be trusted ({trouble}): the boat is stopped until it can.")
            if not self.is_taken_over and not self.is_at_the_sticks:
                self.order_mode("HOLD")

    def _check_battery(self) -> None:
        trouble = self.battery.trouble()
        if trouble is None or not self.is_surveying:
            return
        if self.is_at_the_sticks or ("pilot" in self.pauses and not self._state.health.armed):
            self.say_once("battery", "alarm", f"The battery is {trouble}: whoever has the boat, bring it home.")
        elif "restart" not in self.pauses:
            self.come_home_with(f"The battery is {trouble}", f"The battery was {trouble}.")

    def come_home_with(self, what: str, reason: str) -> None:
        """Whatever it waits for, unless that ends by itself."""
        if self.is_surveying:
            self.say("alarm", f"{what}: the boat comes home.")
            self.end(Ending("return", reason))
            self.take_back()

    def _check_sonar(self) -> None:
        if self.pauses:
            self.sonar.begin()
        elif self.is_surveying and (ending := self.sonar.check()) is not None:
            self.end(ending)

    def _check_patience(self) -> None:
        longest = self._patience / self._link.speedup
        overdue = [pause for pause in self.pauses.values() if time.monotonic() - pause.since > longest]
        if overdue and self.ending is None:
            self.say("alarm", f"Waited {self._patience:.0f} s; the survey ends here.")
            self.end(Ending("hold", overdue[0].message))

    # -- small things ----------------------------------------------------------------------------------------------

    def note_pause(self, kind: Kind, message: str, level: Level = "alarm") -> None:
        if kind not in self.pauses:
            self.pauses[kind] = Pause(kind, message, time.monotonic())
            self.say(level, message)

    def lift(self, kind: Kind) -> None:
        del self.pauses[kind]
        self.must_engage = True
        self.border.forget()
        self._told.clear()

    def take_back(self) -> None:
        """From a pilot, the operator, a border: the mode that the boat is in now is nobody taking over any more."""
        if self._intent.mode is not None and "restart" not in self.pauses:
            self._intent.adopt(self._state.health.mode)
        if self._state.health.mode != "GUIDED":
            self.must_engage = True  # also if it is so new that nobody has said yet who did it
        self._periods.over("changed")
        for kind in list(self.pauses):
            if kind not in ENDS_BY_ITSELF:
                self.lift(kind)

    @property
    def is_surveying(self) -> bool:
        return self.ending is None and not self.is_homeward

    @property
    def is_ours(self) -> bool:
        return self.is_engaging or not self.is_taken_over

    @property
    def is_at_the_sticks(self) -> bool:
        """Does a person steer by hand? No boat chooses that by itself: also while it is not said yet who did."""
        taken = "pilot" in self.pauses or self._modes.is_undecided
        return taken and self._state.health.mode in AT_THE_STICKS

    @property
    def is_taken_over(self) -> bool:
        return "pilot" in self.pauses or "restart" in self.pauses

    def order_mode(self, mode: str) -> None:
        """Without waiting; it is given again until the boat confirms."""
        modes = self._state.modes
        if modes is not None:
            self.note_requested_mode(mode)
            self._link.order(mavlink.MAV_CMD_DO_SET_MODE, *modes.parameters(mode))

    def say_once(self, what: str, level: Level, message: str) -> None:
        """In one pause."""
        if what not in self._told:
            self._told.add(what)
            self.say(level, message)

    def say(self, level: Level, message: str) -> None:
        self._news.append((level, message))

    def _report_news(self) -> None:
        with self._lock:
            news, self._news = self._news, []
        for level, message in news:
            self._tell(level, message)
