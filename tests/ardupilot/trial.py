"""A sea trial: the pond, a real autopilot on it, and akrig surveying with it over a line that can fail."""

import signal
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from akrig.survey.settings import area_of, load_survey
from tests.ardupilot.autopilot import SPEEDUP, Autopilot, autopilot
from tests.survey.pond import HOME, Pond, write_pond

AT_HOME = 8.0  # metres
A_LASTING_HOLD = 600.0  # seconds of the boat's time
DRIFT = 6.0  # metres that a boat which keeps its place may wander


@dataclass
class Trial(Pond):
    """A mission, and the boat that carries it out."""

    boat: Autopilot

    @property
    def home(self) -> tuple[float, float]:
        home = self.boat.truth.area.home
        assert home is not None
        return home

    def said(self, words: str) -> bool:
        """Whether akrig has told this."""
        return any(words in notice for notice in self.notices)

    def await_notice(self, words: str, *, seconds: float = 60) -> None:
        self.wait_for(lambda: self.said(words), seconds=seconds, what=f"'{words}'")

    def await_metres(self, metres: float, *, seconds: float = 120) -> None:
        """Until the boat has gone so far, in truth, since it was armed first."""
        self.wait_for(lambda: self.metres() >= metres, seconds=seconds, what=f"{metres:.0f} m")

    def metres(self, since: int = 0) -> float:
        places = np.array([sight.place for sight in self.boat.truth.sights(since)[::10] if sight.armed]).reshape(-1, 2)
        return float(np.hypot(*np.diff(places, axis=0).T).sum()) if len(places) > 1 else 0.0

    def check_came_home(self) -> None:
        away = self.boat.truth.distance_to(self.home)
        assert away < AT_HOME, f"the boat is {away:.1f} m from home"

    def check_hold_lasts(self) -> None:
        """Ten minutes later the boat is still where it is now, and never was outside."""
        truth = self.boat.truth
        begin, place = truth.now, truth.latest.place
        self.boat.hurry(A_LASTING_HOLD)
        drift = truth.distance_to(place)
        assert drift < DRIFT, f"the boat drifted {drift:.1f} m, by way of {truth.modes(begin)}"
        truth.check_never_outside(begin)


@contextmanager
def trial(folder: Path, *, hull="motorboat-skid", place=HOME, speedup: float = SPEEDUP, parameters=None, **numbers):
    """The boat is ready to be armed; it is switched off when the test ends.

    Args:
        place: where the boat lies, metres of the pond.
        parameters: of the autopilot, on top of boat.parm.
        numbers: of the mission.
    """
    area = area_of(load_survey(write_pond(folder)).survey)
    with autopilot(folder / "autopilot", area, hull=hull, place=place, speedup=speedup, **(parameters or {})) as boat:
        mission = write_pond(folder, address=f"tcp:127.0.0.1:{boat.line.port}", **numbers)
        yield Trial(mission, folder / "run", boat)


def killed(process) -> None:
    """As by a power cut."""
    process.send_signal(signal.SIGKILL)
    process.wait()
