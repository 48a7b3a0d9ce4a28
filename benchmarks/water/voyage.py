"""One survey on a real autopilot, with an operator who sees to it when it waits, and notes of all that happened."""

import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from akrig.survey.mailbox import OrderNotTaken
from tests.ardupilot.autopilot import Autopilot
from tests.ardupilot.trial import AT_HOME, Trial
from tests.forked import Forked

STILL = 90.0  # boat seconds without any way made, after which the operator says `resume`
GOES_ON = 3.0  # metres
SECONDS_TO_GO_ON = 90.0  # boat seconds, arming and a turn on the spot included
MOST_HELP = 4  # times the operator says `resume` before the boat is called home
LONGEST = 900.0  # seconds on this computer's clock, for one survey
GLANCE = 0.1


class OutOfTime(Exception):
    """The survey took longer than any should."""


@dataclass
class Stretch:
    """One process of akrig: what of the journal and of the line's connections is its own."""

    first_event: int
    first_connection: int
    last_event: int | None = None
    last_connection: int | None = None


@dataclass
class Voyage:
    """Args:
    trial: the boat is ready.

    Attributes:
        others: from and up to which sights somebody or something else had the boat.
        resumes: what became of every `resume`, in words; "" where it worked.
        helps: what akrig had said last whenever the operator had to see to a boat that made no way.
        grew: whether the journal only grew.
    """

    trial: Trial
    others: list[tuple[int, int | None]] = field(default_factory=list)
    resumes: list[str] = field(default_factory=list)
    helps: list[str] = field(default_factory=list)
    stretches: list[Stretch] = field(default_factory=list)
    grew: bool = True
    background: tuple[float, float] = (0.0, 0.0)
    process: Forked | None = None
    _written: bytes = b""
    _until: float = field(default_factory=lambda: time.monotonic() + LONGEST)

    @property
    def boat(self) -> Autopilot:
        return self.trial.boat

    # -- akrig's process -------------------------------------------------------------------------------------------

    def begin(self) -> None:
        self._start(resume=False)

    def resume(self) -> None:
        """`akrig resume`, after akrig was ended."""
        begin = self.boat.truth.now
        self._start(resume=True)
        self.resumes.append(self._why_not_on(begin))

    @property
    def is_over(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def end_with(self, number: int) -> None:
        """A signal, and akrig is gone."""
        if self.process is not None:
            self._signal(number)
            self._await(lambda: self.is_over)
            self._close_stretch()

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self._close_stretch()

    @contextmanager
    def asleep(self) -> Iterator[None]:
        """Akrig's process is stopped, and knows nothing of it."""
        self._signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        if self.process is not None:
            self.process.send_signal(number)

    def _start(self, *, resume: bool) -> None:
        events = len(self.trial.events) if resume else 0
        self.stretches.append(Stretch(events, len(self.boat.line.brought)))
        self.process = self.trial.survey(resume=resume)

    def _close_stretch(self) -> None:
        stretch = self.stretches[-1]
        if stretch.last_event is not None:
            return
        journal = self.trial.run / "journal.jsonl"
        data = journal.read_bytes() if journal.exists() else b""
        self.grew = self.grew and data.startswith(self._written)
        self._written = data[: data.rfind(b"\n") + 1]
        stretch.last_event = len(self.trial.events) if data else 0
        stretch.last_connection = len(self.boat.line.brought)

    # -- the operator ----------------------------------------------------------------------------------------------

    def tell_resume(self) -> None:
        """`akrig tell RUN resume`, again a little later if it is refused with a reason; the last answer counts."""
        if self.is_over:
            return
        why_not = "no answer"
        for _ in range(3):
            begin = self.boat.truth.now
            try:
                answer = self.trial.order("resume", seconds=30)
            except OrderNotTaken:
                if self.is_over:
                    return
                continue
            why_not = answer.text if not answer.accepted else self._why_not_on(begin)
            if not why_not:
                break
            self.boat.let_pass(10)
        self.resumes.append(why_not)

    def carry_on(self, *, metres: float = math.inf) -> bool:
        """Until the boat has gone so far, or the survey is over; whether it still runs.

        Whenever the boat waits for a person, there is one: `resume`, and in the end `return`.
        """
        while not self.is_over and self.trial.metres() < metres:
            begin = self.boat.truth.now
            if not self._await(lambda begin=begin: self.is_over or self._makes_way(begin), boat_seconds=STILL):
                self.helps.append((self.trial.notices or ["nothing"])[-1])
                if len(self.helps) <= MOST_HELP:
                    self.tell_resume()
                else:
                    self._tell_return()
        if self.is_over:
            self._close_stretch()
        return not self.is_over

    def _makes_way(self, begin: int) -> bool:
        return self.trial.metres(begin) > GOES_ON

    def _tell_return(self) -> None:
        with suppress(OrderNotTaken):
            self.trial.order("return", seconds=30)

    def _why_not_on(self, begin: int) -> str:
        """Whether the boat makes way again, or the survey has come to a good end already."""
        went_on = self._await(lambda: self.is_over or self._makes_way(begin), boat_seconds=SECONDS_TO_GO_ON)
        if went_on and (not self.is_over or self._code() == 0):
            return ""
        said = self.trial.terminal.strip().splitlines()[-1:]
        return f"the boat did not go on: {' '.join(said)}"

    def _code(self) -> int | None:
        return None if self.process is None else self.process.poll()

    # -- who has the boat ------------------------------------------------------------------------------------------

    @contextmanager
    def in_other_hands(self) -> Iterator[None]:
        begin = self.boat.truth.now
        try:
            yield
        finally:
            self.others.append((begin, self.boat.truth.now))

    @contextmanager
    def current(self, speed: float, towards: float) -> Iterator[None]:
        """Metres per second, compass degrees; afterwards the water is as it was."""
        self.flow(speed, towards)
        try:
            yield
        finally:
            self.flow(*self.background)

    def flow(self, speed: float, towards: float) -> None:
        self.boat.pilot.set(SIM_TIDE_SPEED=speed, SIM_TIDE_DIR=(towards + 180.0) % 360.0)  # it counts where from

    def await_home(self, boat_seconds: float) -> None:
        truth = self.boat.truth
        self._await(lambda: truth.distance_to(self.trial.home) < AT_HOME, boat_seconds=boat_seconds)

    def pause(self, boat_seconds: float) -> None:
        """While the boat is off and tells no time."""
        time.sleep(boat_seconds / self.boat.speedup)

    # -- waiting ---------------------------------------------------------------------------------------------------

    def _await(self, condition: Callable[[], bool], *, boat_seconds: float = math.inf) -> bool:
        until = self.boat.truth.latest.boot + boat_seconds
        while not condition():
            if time.monotonic() > self._until:
                raise OutOfTime
            if self.boat.truth.latest.boot > until:
                return False
            time.sleep(GLANCE)
        return True
