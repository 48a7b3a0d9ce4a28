"""How near to a border the boat may be just now, and the watch that stops it there and lets it back off."""

from typing import TYPE_CHECKING, Literal

import numpy as np

from akrig.survey.area import Area
from akrig.survey.link.alarms import Ending
from akrig.survey.link.grace_periods import GracePeriods
from akrig.survey.link.state import BoatState
from akrig.survey.link.track import Fix

if TYPE_CHECKING:
    from akrig.survey.link.guard import Guard

SLACK = 0.5  # metres that a boat which lies near a border may come nearer: positions wander
SETTLED = 4.0  # boat seconds in which a boat that is told to hold comes to rest
A_MOMENT = 1.0  # boat seconds
NEARER = 0.1  # metres in a moment: it drifts, and a hold lets it drift some metres before it does anything
MUCH_NEARER = 0.5  # metres in a moment: it is not at rest yet, or something stronger has it
MOST_TIMES = 3  # that it backs off by itself in a while: after that a person must look
A_WHILE = 600.0  # boat seconds


def stopping_distance(margin: float) -> float:
    """Metres from a border at which the boat is stopped: it needs the rest of the margin to come to rest."""
    return margin / 2


class Border:
    """A breach is a place outside, or one nearer to a border than the limit, unless the boat was there already.

    Args:
        limit: metres; a way that begins or ends nearer to a border (at a jetty) may be half as near as it is itself.
    """

    def __init__(self, area: Area, limit: float) -> None:
        self._area, self._limit, self._floor = area, limit, limit
        self._best = -np.inf  # the largest clearance since the boat was last let go

    def clearance(self, position: tuple[float, ...]) -> float:
        """Metres, negative outside."""
        return float(self._area.clearance(np.array([position], dtype=float))[0])

    def has_room(self, position: tuple[float, ...]) -> bool:
        """Is it as far from every border as a boat should be?"""
        return self.clearance(position) >= self._limit

    def leg(self, begin: tuple[float, ...], end: tuple[float, ...], *, away: bool = False) -> None:
        """The boat goes along a straight way that is allowed.

        Args:
            away: from a border that it lies near to: it must not come nearer than positions wander.
        """
        count = max(2, int(np.hypot(*np.subtract(end, begin))) + 2)
        nearest = float(self._area.clearance(np.linspace(begin, end, count)).min())
        nearest = max(nearest, 0.0)
        self._floor = min(self._limit, max(nearest / 2, nearest - SLACK if away else 0.0))

    def forget(self) -> None:
        """Somebody brought the boat here, and knows: only from here on it must not come nearer."""
        self._best = -np.inf

    def breach(self, position: tuple[float, ...]) -> float | None:
        """Its clearance, if that is a breach."""
        clearance = self.clearance(position)
        if clearance < 0:
            return clearance
        self._best = max(self._best, clearance)
        allowed = self._floor if self._best >= self._floor else self._best - SLACK
        return clearance if clearance < allowed else None


class BorderWatch:
    """In the link's thread.

    Args:
        guard: is told to pause, to hold, to come home.

    Attributes:
        must_back_off: the boat was stopped near a border, and gets away from it before it goes anywhere else.
    """

    def __init__(
        self, guard: "Guard", state: BoatState, *, periods: GracePeriods, on_breach: Literal["hold", "return"]
    ) -> None:
        self._guard, self._state, self._periods, self._on_breach = guard, state, periods, on_breach
        self.must_back_off = False
        self._times: list[float] = []  # when it began to back off, boat seconds

    def forgive(self, position: tuple[float, float]) -> None:
        """A person has looked, and says that it may be tried again."""
        self._times.clear()
        self._let_go(position)

    def check(self) -> None:
        latest, guard = self._state.track.latest, self._guard
        if latest is None or not latest.trusted or "breach" in guard.pauses:
            return
        clearance = guard.border.breach(latest.position)
        if clearance is None:
            return
        where = "outside the fence or in a keep-out" if clearance < 0 else f"{clearance:.1f} m from a border"
        health = self._state.health
        if not health.armed and not guard.is_ours:
            guard.say_once("drifting", "alarm", f"The boat is {where}, its motors are off: fetch it.")
        elif guard.is_at_the_sticks:
            guard.say_once("sticks", "alarm", f"The boat is {where}, in {health.mode}: whoever steers, bring it back.")
        elif self._on_breach == "return" and clearance >= 0 and not guard.pauses:
            if guard.is_surveying:
                self.must_back_off = True
                guard.end(Ending("return", f"The boat was {where}."))
                guard.say("alarm", f"The boat is {where}: it comes home.")
        else:
            self._stop(where, is_inside=clearance >= 0)

    def check_rest(self) -> None:
        """A boat that was stopped at a border, and lies inside it, need not wait for a person."""
        latest, guard = self._state.track.latest, self._guard
        is_alone = self.must_back_off and guard.pauses.keys() == {"breach"} and guard.ending is None
        nearer = np.inf if latest is None or not latest.trusted else self._nearer(latest)
        if not is_alone or latest is None or nearer > MUCH_NEARER:
            self._periods.over("at the border")
        elif guard.is_holding and self._periods.longer_than("at the border", A_MOMENT if nearer > NEARER else SETTLED):
            if self._may_back_off:
                self._times = [*self._times[1 - MOST_TIMES :], self._state.clock.heard]
                guard.lift("breach")
                self._let_go(latest.position)
                guard.say("info", "The boat backs off from the border.")
            else:
                words = "The boat does not get away from the border: it holds its place. Say `resume` or `return`."
                guard.say_once("at the border", "alarm", words)

    def _stop(self, where: str, *, is_inside: bool) -> None:
        guard, self.must_back_off = self._guard, is_inside
        by_itself = is_inside and self._may_back_off and not guard.pauses
        then = ", then backs off by itself." if by_itself else ". Say `resume` or `return`."
        guard.note_pause("breach", f"The boat is {where}: it is stopped{then}")
        guard.hold()

    def _nearer(self, latest: Fix) -> float:
        """Metres that the boat came nearer to the border in a moment; infinite if it is outside already."""
        border, before = self._guard.border, self._state.track.at(latest.time - A_MOMENT)
        clearance = border.clearance(latest.position)
        if clearance < 0:
            return np.inf
        return 0.0 if before is None else border.clearance(before.position) - clearance

    def _let_go(self, position: tuple[float, float]) -> None:
        """From here on the boat may only get away; until it has room, and has a way of its own again."""
        if self.must_back_off:
            self._guard.border.leg(position, position, away=True)

    @property
    def _may_back_off(self) -> bool:
        return sum(abs(self._state.clock.heard - time) < A_WHILE for time in self._times) < MOST_TIMES
