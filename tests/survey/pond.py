"""A small lake, its mission file, and a survey on it in a process that can be killed: for tests, whatever the boat."""

import json
import socket
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from akrig.config import read_settings
from akrig.journal.events import from_line
from akrig.journal.folder import RunFolder
from akrig.journal.soundings import SoundingReferences
from akrig.survey.area import Area
from akrig.survey.folders import create_survey
from akrig.survey.mailbox import Answer, await_answer, give_order
from akrig.survey.settings import area_of, load_survey
from tests.forked import Forked

METRE = 1 / 111_320  # degrees of latitude
LATITUDE, LONGITUDE = 47.30, 8.50
FENCE = [(0, 0), (110, 0), (110, 70), (60, 80), (0, 70)]
KEEP_OUT = [(50, 30), (60, 30), (60, 42), (50, 42)]
HOME = (20, 20)

MISSION = """
area = "pond.geojson"
cell = 1.0
[budget]
distance = {distance}
[link]
address = "{address}"
connect = 30
[depth]
spacing = 3
max_jump = 2
[safety]
margin = 6
patience = {patience}
stuck = 60
silence = {silence}
accept = {accept}
[pilot]
num_lines = 2
[vehicle]
speed = 1.5
[kernel]
num_lengthscales = 5
[simulation]
bed = "lake"
speedup = {speedup}
wind = {wind}
current = {current}
outlier_rate = {outliers}
dropout_rate = {dropouts}
{more}
"""


def degrees(place: tuple[float, float]) -> tuple[float, float]:
    """Longitude and latitude of a place in metres of the pond."""
    return float(LONGITUDE + place[0] * METRE / np.cos(np.radians(LATITUDE))), LATITUDE + place[1] * METRE


def write_pond(folder: Path, **numbers) -> Path:
    """A mission file and its area; returns the mission file.

    Args:
        numbers: of the mission; `more` is any further text of the file.
    """

    def ring(corners):
        return [[degrees(place) for place in [*corners, corners[0]]]]

    features = [
        {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": ring(FENCE)}},
        {
            "type": "Feature",
            "properties": {"role": "keep-out"},
            "geometry": {"type": "Polygon", "coordinates": ring(KEEP_OUT)},
        },
        {
            "type": "Feature",
            "properties": {"role": "home"},
            "geometry": {"type": "Point", "coordinates": degrees(HOME)},
        },
    ]
    (folder / "pond.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    given = {
        "distance": 340,
        "address": f"udpin:127.0.0.1:{free_port()}",
        "patience": 60,
        "silence": 30,
        "accept": "[]",
        "speedup": 40,
        "wind": 1.0,
        "current": 0.05,
        "outliers": 0.01,
        "dropouts": 0.02,
        "more": "",
    }
    mission = folder / "pond.toml"
    mission.write_text(MISSION.format(**{**given, **numbers}))
    return mission


def free_port(kind: socket.SocketKind = socket.SOCK_DGRAM) -> int:
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class Pond:
    """A mission file, and the folder of its survey."""

    mission: Path
    run: Path
    _events: list[dict] = field(default_factory=list, init=False)
    _read: int = field(default=0, init=False)  # bytes of the journal
    _soundings: SoundingReferences = field(default_factory=SoundingReferences, init=False)

    def survey(self, *, resume: bool = False, room: int | None = None) -> Forked:
        """Args:
        room: bytes that any file may grow to, as on a full disk.
        """
        arguments = ["resume", str(self.run)] if resume else ["survey", str(self.mission), "--out", str(self.run)]
        return Forked(*arguments, "--no-report", out=self.mission.parent / "survey.log", room=room)

    def order(self, word, place: tuple[float, float] | None = None, *, seconds: float = 60) -> Answer:
        """`akrig tell`; a place is longitude and latitude."""
        folder = RunFolder.open(self.run)
        return await_answer(folder, give_order(folder, word, place), seconds=seconds)

    @property
    def events(self) -> list[dict]:
        """Of the journal so far; what was read once is not read again, for tests look many times a second."""
        with (self.run / "journal.jsonl").open("rb") as file:
            file.seek(self._read)
            lines = file.read().splitlines(keepends=True)
        for line in lines:
            if line.endswith(b"\n"):
                self._events.append(self._soundings.resolved(from_line(line)))
                self._read += len(line)
        return self._events

    @property
    def notices(self) -> list[str]:
        return [event["message"] for event in self.events if event["event"] == "notice"]

    @property
    def ended(self) -> str | None:
        ends = [event["reason"] for event in self.events if event["event"] == "end"]
        return ends[-1] if ends else None

    @property
    def terminal(self) -> str:
        return (self.mission.parent / "survey.log").read_text()

    @property
    def area(self) -> Area:
        survey = read_settings(self.run / "config.toml").survey
        assert survey is not None
        return area_of(survey)

    def wait_for(self, condition, *, seconds: float = 90, what: str = "it") -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if (self.run / "journal.jsonl").exists() and condition():
                return
            time.sleep(0.05)
        raise AssertionError(f"{what} did not happen; the terminal says:\n{self.terminal}")


@contextmanager
def under_way(found: Pond, **how):
    """A survey that is killed at the latest when the test ends."""
    process = found.survey(**how)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def prepared(found: Pond) -> RunFolder:
    """A survey's folder that has not begun."""
    return create_survey(load_survey(found.mission), found.run)


def readings(found: Pond) -> int:
    return sum(event["event"] == "measurement" for event in found.events)


def begun(found: Pond):
    return lambda: readings(found) >= 8


def finished(process: Forked, found: Pond, *, seconds=150) -> int:
    try:
        return process.wait(seconds)
    except Exception:
        raise AssertionError(f"the survey did not end; the terminal says:\n{found.terminal}") from None


def check_kept(found: Pond) -> None:
    """Every reading that the model was given is an accepted sounding of the journal, once."""
    used = [event["sounding"] for event in found.events if event["event"] == "measurement"]
    heard = [event for event in found.events if event["event"] in ("sounding", "rejected")]
    accepted = {event["id"] for event in heard if event["event"] == "sounding"}
    assert used
    assert len(set(used)) == len(used)
    assert set(used) <= accepted
    for name in ("id", "time"):
        assert all(before[name] < after[name] for before, after in pairwise(heard)), f"the {name} does not grow"
