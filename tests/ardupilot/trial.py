"""A sea trial: the pond, a real autopilot on it, and akrig surveying with it over a line that can fail."""

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from akrig.survey.settings import area_of, load_survey
from tests.ardupilot.autopilot import SPEEDUP, Autopilot, autopilot
from tests.forked import Forked
from tests.survey.pond import HOME, Pond, check_kept, finished, under_way, write_pond

AT_HOME = 8.0  # metres
A_LASTING_HOLD = 600.0  # seconds of the boat's time
DRIFT = 6.0  # metres that a boat which keeps its place may wander


@dataclass
class Trial(Pond):
    """A mission, and the boat that carries it out.

    Attributes:
        written: what the journal held when it was last looked at; it only grows.
    """

    boat: Autopilot
    written: bytes = b""

    @property
    def home(self) -> tuple[float, float]:
        home = self.boat.truth.area.home
        assert home is not None
        return home

    # -- waiting ---------------------------------------------------------------------------------------------------

    def said(self, words: str) -> int:
        """How often akrig has told this."""
        return sum(words in notice for notice in self.notices)

    def await_notice(self, words: str, *, times: int = 1, seconds: float = 60) -> None:
        self.wait_for(lambda: self.said(words) >= times, seconds=seconds, what=f"'{words}'")

    def await_mode(self, mode: str, *, seconds: float = 30) -> None:
        """As the autopilot itself tells it."""
        self.wait_for(lambda: self.boat.truth.mode == mode, seconds=seconds, what=f"{mode}")

    def await_metres(self, metres: float, *, since: int = 0, seconds: float = 120) -> None:
        """Until the boat has gone so far, in truth, steered by akrig."""
        self.wait_for(lambda: self.metres(since) >= metres, seconds=seconds, what=f"{metres:.0f} m in GUIDED")

    def metres(self, since: int = 0) -> float:
        sights = [sight for sight in self.boat.truth.sights(since)[::10] if sight.armed and sight.mode == "GUIDED"]
        places = np.array([sight.place for sight in sights]).reshape(-1, 2)
        return float(np.hypot(*np.diff(places, axis=0).T).sum()) if len(places) > 1 else 0.0

    def distance_to(self, place: tuple[float, float]) -> float:
        """Of the boat in truth from a longitude and latitude."""
        x, y = self.boat.truth.area.frame.to_metres(np.array([place]))[0].tolist()
        return self.boat.truth.distance_to((x, y))

    def check_goes_on(self) -> None:
        """The boat is steered on within a minute."""
        self.await_metres(5, since=self.boat.truth.now, seconds=60)

    # -- at the end ------------------------------------------------------------------------------------------------

    def call_home(self, process: Forked) -> None:
        """The operator ends the survey: it does, with the boat at home."""
        assert self.order("return").accepted
        finished(process, self)
        assert self.ended == "came home: The operator called the boat home."
        self.check_came_home()

    def check_came_home(self) -> None:
        away = self.boat.truth.distance_to(self.home)
        assert away < AT_HOME, f"the boat is {away:.1f} m from home; the terminal says:\n{self.terminal}"

    def check_hold_lasts(self) -> None:
        """Ten minutes later the boat is still where it is now, and never was outside."""
        truth = self.boat.truth
        begin, place = truth.now, truth.latest.place
        self.boat.hurry(A_LASTING_HOLD)
        drift = truth.distance_to(place)
        assert drift < DRIFT, f"the boat drifted {drift:.1f} m, by way of {truth.modes(begin)}"
        truth.check_never_outside(begin)

    def check_journal(self) -> None:
        """It only grows, readings are soundings, and time only goes forwards."""
        data = (self.run / "journal.jsonl").read_bytes()
        assert data.startswith(self.written), "what was written before is gone or changed"
        self.written = data[: data.rfind(b"\n") + 1]
        check_kept(self)
        times = [event["time"] for event in self.events if event["event"] in ("sounding", "rejected")]
        assert all(later > earlier for earlier, later in pairwise(times)), "a sounding's time went back"


@contextmanager
def trial(folder: Path, *, hull="motorboat-skid", place=HOME, speedup: float = SPEEDUP, parameters=None, **numbers):
    """The boat is ready to be armed; it is switched off when the test ends.

    Args:
        place: where the boat lies, metres of the pond.
        parameters: of the autopilot, on top of boat.parm.
        numbers: of the mission.
    """
    survey = load_survey(write_pond(folder)).survey
    assert survey is not None
    how = {"hull": hull, "place": place, "speedup": speedup, **(parameters or {})}
    with autopilot(folder / "autopilot", area_of(survey), **how) as boat:
        mission = write_pond(folder, address=f"tcp:127.0.0.1:{boat.line.port}", **{"patience": 600, **numbers})
        yield Trial(mission, folder / "run", boat)


@contextmanager
def surveying(found: Trial, *, resume: bool = False, metres: float = 15):
    """A survey that is under way, its boat some metres from where it was; killed at the latest when the test ends."""
    begin = found.boat.truth.now
    with under_way(found, resume=resume) as process:
        found.await_metres(metres, since=begin)
        yield process
