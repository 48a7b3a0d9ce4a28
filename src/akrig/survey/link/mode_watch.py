"""Watches the boat's mode: done as asked, changed by a person, or by the boat itself; in the link's thread."""

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from akrig.survey.link.failsafe import Failsafe
from akrig.survey.link.grace_periods import GracePeriods
from akrig.survey.link.link import Link
from akrig.survey.link.modes import FAILSAFE, STARTING
from akrig.survey.link.state import BoatState, Health

if TYPE_CHECKING:
    from akrig.survey.link.guard import Guard

Verdict = Literal["done", "pending", "overdue", "taken"]
Doer = Literal["pilot", "lost link", "deaf boat", "lost position", "low battery", "own fence", "boat"]
BY_CAUSE: dict[str, Doer] = {
    "ground station": "deaf boat",
    "position": "lost position",
    "battery": "low battery",
    "fence": "own fence",
    "other": "boat",
}
SECONDS_TO_CONFIRM = 3.0  # boat seconds after which an order is given again
DISARMED_GRACE = 2.0
DECIDING = 1.5  # boat seconds until it is said who changed the mode: the boat's own words may come after its mode
RECENTLY = 6.0  # boat seconds: words older than that do not explain a mode
HEARING_AGAIN = 3.0  # boat seconds without a failsafe, after which the boat hears akrig again even if it did not say so
MOST_ATTEMPTS = 2  # to keep the place, before the motors are stopped instead


class Intent:
    """What was asked for last counts; a mode asked for before may still come in late, and is nobody taking over."""

    def __init__(self) -> None:
        self.mode: str | None = None
        self.attempts = 0
        self._confirmed = False
        self._before = ""  # the mode when it was asked for
        self._asked_at = 0.0
        self._expected: dict[str, float] = {}  # modes that were asked for and not seen yet, and when

    def ask(self, mode: str, *, current: str) -> None:
        """Akrig itself changes the mode."""
        self.attempts = self.attempts + 1 if mode == self.mode else 1
        self.mode = mode
        if mode != current:
            self._confirmed, self._before = False, current
        self._asked_at = self._expected[mode] = time.monotonic()

    def adopt(self, mode: str) -> None:
        """The boat chose a mode by itself, and that is fine."""
        self.mode, self._confirmed = mode, True

    def forget(self) -> None:
        self.mode = None
        self._expected.clear()

    def verdict(self, current: str, *, patience: float) -> Verdict:
        """Of the mode that the boat is in; seconds on this computer's clock."""
        now = time.monotonic()
        expected = now - self._expected.pop(current, -math.inf) <= patience
        if current == self.mode:
            self._confirmed, self.attempts = True, 0
            return "done"
        if expected:
            self._confirmed, self._before = False, current
        if self._confirmed or current != self._before:
            return "taken"
        return "overdue" if now - self._asked_at > patience else "pending"


@dataclass(frozen=True)
class Takeover:
    """Args:
    why: the boat's own words, if it did it by itself and said so.
    """

    mode: str
    doer: Doer
    why: str = ""


def takeover(health: Health, *, failsafe: Failsafe | None, link_was_lost: bool, gps_trouble: str | None) -> Takeover:
    """A boat that acts by itself is armed, chooses one of a few modes, and mostly says why; all else is a person.

    Args:
        failsafe: what the boat said about the time when the mode changed.
        link_was_lost: it was not heard until a moment ago.
    """
    mode = health.mode
    if mode not in FAILSAFE or not health.armed:
        return Takeover(mode, "pilot")
    if link_was_lost:
        return Takeover(mode, "lost link")
    if failsafe is not None:
        return Takeover(mode, BY_CAUSE[failsafe.cause], failsafe.words)
    if health.is_fence_breached:  # ArduPilot does this without a word
        return Takeover(mode, "own fence", "it is breached")
    if health.critical:  # it did not say why, or its words were lost on the way
        return Takeover(mode, "boat" if gps_trouble is None else "lost position", gps_trouble or "a failsafe")
    return Takeover(mode, "pilot")


class ModeWatch:
    """Args:
    guard: is told to pause, to hold, to come home.
    """

    def __init__(self, guard: "Guard", state: BoatState, link: Link, *, periods: GracePeriods, intent: Intent) -> None:
        self._guard, self._state, self._link, self._periods, self._intent = guard, state, link, periods, intent
        self.link_back_at = -float("inf")  # when the boat was listened to again, on this computer's clock

    @property
    def is_undecided(self) -> bool:
        """The mode was changed, and it is not known yet by whom."""
        return self._periods.is_running("changed")

    def check(self) -> None:
        health = self._state.health
        if "restart" in self._guard.pauses or self._intent.mode is None or health.mode in STARTING:
            return
        verdict = self._intent.verdict(
            health.mode, patience=self._periods.at_least(SECONDS_TO_CONFIRM) / self._link.speedup
        )
        if verdict != "taken":
            self._periods.over("changed")
        if "pilot" in self._guard.pauses and health.mode == "GUIDED" and health.armed:
            self._is_given_back()
        elif verdict == "done":
            self._check_armed(health.mode)
        elif verdict == "taken":
            self._find_out_who()
        elif verdict == "overdue" and ("pilot" not in self._guard.pauses or "breach" in self._guard.pauses):
            refused = self._intent.mode == "LOITER" and self._intent.attempts >= MOST_ATTEMPTS
            self._guard.order_mode("HOLD" if refused else self._intent.mode)

    def _is_given_back(self) -> None:
        self._intent.adopt("GUIDED")
        for kind in ("pilot", "breach"):
            if kind in self._guard.pauses:
                self._guard.lift(kind)
        self._guard.say("info", "The boat is in GUIDED again: the survey goes on.")

    def _check_armed(self, mode: str) -> None:
        is_to_be_armed = self._guard.is_engaging or self._guard.must_engage
        if mode != "GUIDED" or self._state.health.armed or is_to_be_armed:
            self._periods.over("disarmed")
        elif self._periods.longer_than("disarmed", DISARMED_GRACE):
            own = self._recent_failsafe()
            who = "Somebody disarmed the boat" if own is None else f"The boat disarmed itself ({own.words})"
            self._guard.note_pause("pilot", f"{who}: waiting until you say `resume`.")

    def _find_out_who(self) -> None:
        if "pilot" in self._guard.pauses:
            return
        since_link = (time.monotonic() - self.link_back_at) * self._link.speedup
        found = takeover(
            self._state.health,
            failsafe=self._recent_failsafe(),
            link_was_lost=since_link < self._periods.at_least(SECONDS_TO_CONFIRM),
            gps_trouble=self._state.gps_trouble,
        )
        has_said_why = found.doer not in ("pilot", "boat") or self._recent_failsafe() is not None
        if has_said_why or self._periods.longer_than("changed", self._periods.at_least(DECIDING)):
            self._periods.over("changed")
            self._answer(found)

    def _recent_failsafe(self) -> Failsafe | None:
        return self._state.failsafes.since(self._state.clock.heard - RECENTLY)

    def _answer(self, found: Takeover) -> None:
        """To a mode that akrig did not ask for."""
        mode = found.mode
        if found.doer == "pilot":
            self._guard.note_pause(
                "pilot",
                f"Somebody changed the mode to {mode}: the boat is theirs. akrig waits for GUIDED, or for `resume`.",
            )
            return
        self._intent.adopt(mode)
        itself = f"The boat put itself into {mode}"
        if found.doer == "lost link":
            self._guard.say("info", f"{itself} while the link was lost; akrig takes it up again.")
            self._guard.must_engage = True
            if self._guard.pauses and not self._guard.is_taken_over:
                self._guard.hold()  # whatever it waits for: at its place, not adrift
        elif found.doer == "deaf boat":
            self._guard.note_pause(
                "deaf", f"{itself} because it misses akrig or its own radio ({found.why}): waiting until it hears."
            )
        elif found.doer == "lost position":
            self._guard.note_pause("gps", f"{itself} ({found.why}): it is stopped until it has a position.")
        elif found.doer == "low battery":
            self._guard.must_engage = True
            self._guard.come_home_with(
                f"{itself} ({found.why})", f"The boat's own battery failsafe acted: {found.why}."
            )
        elif found.doer == "own fence":
            self._guard.note_pause("breach", f"{itself} at its own fence ({found.why}). Say `resume` or `return`.")
            self._guard.hold()
        else:
            self._guard.note_pause(
                "failsafe", f"{itself} ({found.why}): akrig waits until you say `resume` or `return`."
            )

    def check_hearing(self) -> None:
        """Is a boat that did not hear akrig at ease again?"""
        if "deaf" not in self._guard.pauses:
            return
        if self._state.health.critical:
            self._periods.over("hearing")
        if self._state.failsafes.is_over("ground station") or (
            not self._state.health.critical and self._periods.longer_than("hearing", HEARING_AGAIN)
        ):
            self._periods.over("hearing")
            self._guard.lift("deaf")
            self._guard.say("info", "The boat hears akrig again.")
            if self._guard.pauses and not self._guard.is_taken_over:
                self._guard.hold()
