"""The way to a place: legs inside the fence, waits while the boat is not akrig's, new ways from wherever it is then."""

import math
import time
from collections.abc import Callable, Generator, Iterator
from typing import Literal

from akrig.config.survey import SafetySettings
from akrig.errors import BoatRefused
from akrig.survey.area import Area
from akrig.survey.link.alarms import Level
from akrig.survey.link.clock import MissionClock
from akrig.survey.link.guard import Guard
from akrig.survey.link.helm import Helm
from akrig.survey.link.link import Link
from akrig.survey.link.orders import OrderQueue
from akrig.survey.link.readings import MissionReadings
from akrig.survey.link.state import BoatState
from akrig.survey.link.turning import TurningCircle, has_turned, turning_place
from akrig.types import Measurement

NEARER = 1.0  # metres that count as progress
NEARLY = 3.0  # metres beyond the radius at which the boat's own word is believed: its idea of arrival is another
SECONDS_BETWEEN_LOOKS = 0.2  # boat seconds
Place = tuple[float, float]
Outcome = Literal["there", "left out", "detour", "again"]


class Leg:
    """One straight way to a place, and whether the boat is getting on.

    Args:
        radius: nearer than this, the place is reached.
        patience: boat seconds without coming nearer.
    """

    def __init__(self, goal: tuple[float, float], radius: float, *, patience: float) -> None:
        self.goal, self.radius, self.patience = goal, radius, patience
        self._arrivals: int | None = None
        self._nearest, self._since = math.inf, math.nan
        self._distance = math.inf

    def has_arrived(self, position: tuple[float, ...], arrivals: int) -> bool:
        """By its position; or because the boat says so, and is nearly there."""
        self._arrivals = arrivals if self._arrivals is None else self._arrivals
        self._distance = math.dist(position, self.goal)
        nearly = max(3 * self.radius, self.radius + NEARLY)
        return self._distance < self.radius or (arrivals > self._arrivals and self._distance < nearly)

    def wait(self) -> None:
        self._since = math.nan

    def is_stuck(self, now: float) -> bool:
        if self._distance < self._nearest - NEARER or math.isnan(self._since):
            self._nearest, self._since = min(self._nearest, self._distance), now
        return now - self._since > self.patience


class Steering:
    """In the mission's thread; the readings that come meanwhile are passed on."""

    def __init__(
        self,
        area: Area,
        state: BoatState,
        link: Link,
        *,
        guard: Guard,
        helm: Helm,
        orders: OrderQueue,
        safety: SafetySettings,
        turning: TurningCircle,
        readings: MissionReadings,
        clock: MissionClock,
        tell: Callable[[Level, str], None],
    ) -> None:
        self._area, self._state, self._link, self._guard, self._helm, self._orders = (
            area, state, link, guard, helm, orders,
        )  # fmt: skip
        self._safety, self._turning, self._readings, self._clock, self._tell = safety, turning, readings, clock, tell
        self._skips = 0
        self.goal: Place | None = None  # where the boat is sent just now

    @property
    def is_over(self) -> bool:
        return self._guard.ending is not None

    def go(self, goal: Place) -> Iterator[Measurement]:
        """There, by way of the operator's detours; returns early if it is skipped, or the survey must end."""
        self._skips = self._orders.skips
        while not self.is_over:
            detour = self._orders.detours[0] if self._orders.detours else None
            outcome = yield from self._towards(detour or goal)
            if detour is not None and outcome != "detour":
                self._orders.detours.remove(detour)
                self._skips = self._orders.skips  # a skipped detour is no skipped waypoint
            elif outcome != "detour":
                return

    def _towards(self, goal: Place) -> Iterator[Measurement]:
        """Along the allowed way from wherever the boat is, and anew whenever it is somewhere else."""
        outcome: Outcome = "again"
        while outcome == "again":
            route = self._area.route(self._position, goal, margin=self._safety.margin)
            if route is not None:
                outcome = yield from self._along([(x, y) for x, y in route.tolist()], goal)
            elif self._guard.border.clearance(self._position) >= 0:
                there = f"({goal[0]:.0f}, {goal[1]:.0f})"
                self._tell("warning", f"There is no way to {there} inside the fence: it is left out.")
                return "left out"
            else:  # outside: the guard holds the boat, and somebody must bring it back
                yield from self._readings.taken()
                outcome = self._interruption(goal) or "again"
            self._sleep()
        return outcome

    def _along(self, route: list[Place], goal: Place) -> Iterator[Measurement]:
        for place in route:
            outcome = yield from self._back_off(place, goal)
            if outcome is None:
                outcome = yield from self._turn(place, goal)
                if outcome == "there":
                    outcome = yield from self._to(place, goal)
            if outcome != "there":
                return outcome
        return "there"

    def _back_off(self, place: Place, goal: Place) -> Generator[Measurement, None, Outcome | None]:
        """Away from a border that the boat was stopped at; astern until it has room to turn round.

        Returns `None` when it can go on as usual.
        """
        border, watch = self._guard.border, self._guard.border_watch
        if not watch.must_back_off or self._guard.must_engage or not self._guard.is_clear:
            return None  # or on its way to be engaged, and then from the beginning
        is_ahead = has_turned(self._position, self._heading, goal=place)
        if border.has_room(self._position):
            can_go_on = is_ahead or self._can_turn
        else:
            can_go_on = border.clearance(place) <= border.clearance(self._position)  # no way out of here
        if can_go_on:
            watch.must_back_off = False
            return None
        self._helm.go_astern(not is_ahead)
        outcome = yield from self._to(place, goal, until=lambda: self._can_turn, away=True)
        if self._guard.is_clear and not self._guard.must_engage:
            self._helm.go_astern(False)
        if outcome == "there" and self._can_turn:
            watch.must_back_off = False
            return None
        return outcome

    @property
    def _can_turn(self) -> bool:
        """Is there room here, and ahead, where the boat swings out to while it comes about?"""
        ahead = self._turning.room_ahead(self._position, self._heading)
        return all(self._guard.border.has_room(place) for place in (self._position, ahead))

    def _to(
        self, place: Place, goal: Place, *, until: Callable[[], bool] = lambda: False, away: bool = False
    ) -> Generator[Measurement, None, Outcome]:
        """Straight, until it is there or something else is true; `away` from a border."""
        self.goal = place
        leg = Leg(place, self._safety.goal_radius, patience=self._safety.stuck)
        self._guard.border.leg(self._position, place, away=away)
        while not ((until() or leg.has_arrived(self._position, self._state.arrivals)) and self._guard.is_clear):
            yield from self._readings.taken()
            outcome = self._interruption(goal) or self._steer(leg)
            if outcome is not None:
                return outcome
            self._sleep()
        return "there"

    def _turn(self, place: Place, goal: Place) -> Generator[Measurement, None, Outcome]:
        """Until a place is ahead, if it is astern."""
        begin, heading, radius = self._position, self._heading, self._turning.radius
        abeam = turning_place(self._area, begin, heading=heading, goal=place, margin=self._safety.margin, radius=radius)
        if abeam is None:
            return "there"
        left = self.goal
        at_goal = left is not None and math.dist(begin, left) < 2 * self._safety.goal_radius
        self._turning.begin(left if left is not None and at_goal else begin, heading)
        return (yield from self._to(abeam, goal, until=lambda: self._has_turned(place)))

    def _has_turned(self, place: Place) -> bool:
        if self._turning.widened(self._position):
            self._tell(
                "info",
                f"The boat needs {self._turning.radius:g} m ahead of it to turn round: new waypoints are farther from "
                f"the borders. Next time, say so: safety.turning_radius = {self._turning.radius:g}.",
            )
        return has_turned(self._position, self._heading, goal=place)

    def _interruption(self, goal: Place) -> Outcome | None:
        if self._link.failure is not None:
            self._guard.hold()
            raise self._link.failure
        if self.is_over or self._orders.skips != self._skips:
            return "left out"
        return "detour" if self._orders.detours and self._orders.detours[0] != goal else None

    def _steer(self, leg: Leg) -> Outcome | None:
        if not self._guard.is_clear:
            leg.wait()
        elif self._guard.must_engage:
            self._take_up_again()
            return "again"  # it may have been carried off meanwhile
        elif not self._area.allows_leg(self._position, leg.goal):
            return "again"  # from where it is now, the straight way is barred
        else:
            self._helm.steer(leg.goal)
            if not self._helm.is_under_way:
                leg.wait()
            elif leg.is_stuck(self._clock.heard):
                self._guard.pause(
                    "stuck",
                    f"The boat has not come nearer to its waypoint for {leg.patience:.0f} s: it is stopped. "
                    "Look for weeds in the thrusters, then say `resume` or `return`.",
                )
                self._guard.hold()
        return None

    def _take_up_again(self) -> None:
        try:
            self._helm.engage()
        except BoatRefused as error:
            if self._guard.is_clear:
                self._guard.pause("pilot", str(error))

    @property
    def _position(self) -> Place:
        latest = self._state.track.latest
        assert latest is not None  # it was waited for
        return latest.position

    @property
    def _heading(self) -> float:
        latest = self._state.track.latest
        assert latest is not None
        return latest.heading

    def _sleep(self) -> None:
        time.sleep(max(SECONDS_BETWEEN_LOOKS / self._link.speedup, 0.002))
