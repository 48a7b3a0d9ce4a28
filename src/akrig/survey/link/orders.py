"""What an operator may ask while the survey runs, and how each wish is answered."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, get_args, runtime_checkable

import numpy as np

from akrig.survey.area import Area
from akrig.survey.link.alarms import Ending
from akrig.survey.link.guard import Guard
from akrig.survey.link.state import BoatState

Word = Literal["hold", "resume", "return", "skip", "goto"]
WORDS: tuple[str, ...] = get_args(Word)
SECONDS_TO_CONFIRM = 15.0  # boat seconds for the boat to do what was asked
SECONDS_BETWEEN_LOOKS = 0.2


@dataclass(frozen=True)
class Order:
    """Args:
    place: longitude and latitude, of "goto".
    """

    id: str
    word: Word
    place: tuple[float, float] | None = None


@runtime_checkable
class Mailbox(Protocol):
    """Where orders come from, and answers go to."""

    def waiting(self) -> list[Order]: ...

    def answer(self, order: Order, *, accepted: bool, text: str) -> None: ...


class NoMailbox:
    def waiting(self) -> list[Order]:
        return []

    def answer(self, order: Order, *, accepted: bool, text: str) -> None:
        pass


@dataclass(frozen=True)
class _Pending:
    order: Order
    is_done: Callable[[], bool]
    done: str
    until: float


class OrderQueue:
    """Carries orders out, in the link's thread; what needs the boat's confirmation is answered when that comes.

    Attributes:
        skips: how many waypoints the operator wants skipped.
        detours: places to go to first, local metres.
    """

    def __init__(self, mailbox: Mailbox, area: Area, state: BoatState, guard: Guard, *, margin: float) -> None:
        self.skips = 0
        self.detours: list[tuple[float, float]] = []
        self._mailbox, self._area, self._state, self._guard, self._margin = mailbox, area, state, guard, margin
        self._pending: list[_Pending] = []
        self._looked_at = 0.0

    def tick(self, speedup: float) -> None:
        now = time.monotonic()
        if now - self._looked_at < SECONDS_BETWEEN_LOOKS:
            return
        self._looked_at = now
        for order in self._mailbox.waiting():
            getattr(self, f"_{order.word}")(order, now + max(SECONDS_TO_CONFIRM / speedup, 3.0))
        for pending in list(self._pending):
            if pending.is_done() or now > pending.until:
                self._pending.remove(pending)
                done = pending.is_done()
                self._mailbox.answer(pending.order, accepted=done, text=pending.done if done else self._why_not())

    def _why_not(self) -> str:
        """The boat has not done it: what it waits for, and what it says itself."""
        health, waits = self._state.health, [pause.message for pause in self._guard.pauses.values()]
        state = f"the boat is in {health.mode or 'no mode yet'}, {'armed' if health.armed else 'not armed'}"
        reasons = [*waits, *(f"it says: {words}" for words in health.objections)]
        return f"not done yet, {state}" + (f" ({' '.join(reasons)})" if reasons else "; look at the boat")

    def _hold(self, order: Order, until: float) -> None:
        self._guard.pause("operator", "The operator holds the boat.", level="info")
        if "pilot" in self._guard.pauses or self._guard.is_at_the_sticks:  # never fight the pilot
            text = "somebody else steers the boat; the survey waits, also when it is given back"
            self._mailbox.answer(order, accepted=True, text=text)
            return
        self._guard.hold()
        self._pending.append(_Pending(order, lambda: self._guard.is_holding, "the boat holds its place", until))

    def _resume(self, order: Order, until: float) -> None:
        why_not = self._guard.resume()
        if why_not is not None:
            self._mailbox.answer(order, accepted=False, text=why_not)
            return
        waits = [pause.message for pause in self._guard.pauses.values()]  # what is left ends by itself
        if waits:
            self._mailbox.answer(
                order, accepted=True, text=f"it goes on as soon as it can: {' '.join(waits)}".rstrip(".")
            )
            return
        guided = self._state.health
        self._pending.append(_Pending(order, lambda: guided.mode == "GUIDED" and guided.armed, "it goes on", until))

    def _return(self, order: Order, until: float) -> None:
        why_not = self._guard.resume()
        self._guard.end(Ending("return", "The operator called the boat home."))
        waits = [pause.message.rstrip(".") for pause in self._guard.pauses.values()]
        why_not = why_not or "; ".join(waits)
        text = f"the boat comes home as soon as it can: {why_not}" if why_not else "the boat comes home"
        self._mailbox.answer(order, accepted=True, text=text)

    def _skip(self, order: Order, until: float) -> None:
        self.skips += 1
        self._mailbox.answer(order, accepted=True, text="on to the next waypoint")

    def _goto(self, order: Order, until: float) -> None:
        assert order.place is not None
        place = self._area.frame.to_metres(np.array([order.place]))[0]
        latest = self._state.track.latest
        why_not = None
        if not np.isfinite(place).all() or not self._area.allows(place[None])[0]:
            why_not = "this place is outside the fence or in a keep-out"
        elif not self._area.allows(place[None], margin=self._margin)[0]:
            why_not = f"this place is nearer than {self._margin:g} m to the fence or a keep-out"
        elif latest is None or self._area.route(latest.position, tuple(place), margin=self._margin) is None:
            why_not = "there is no way there inside the fence"
        if why_not is None:
            x, y = place.tolist()
            self.detours.append((x, y))
        self._mailbox.answer(order, accepted=why_not is None, text=why_not or "the boat goes there first")
