"""A small lake, a boat in a process of its own, and surveys in processes that can be killed: for tests."""

import csv
import json
import socket
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from akrig.config import read_settings
from akrig.geo import Area
from akrig.journal.events import read_journal
from akrig.journal.folder import RunFolder
from akrig.survey.folders import create_survey
from akrig.survey.settings import area_of, load_survey
from tests.forked import Forked

METRE = 1 / 111_320  # degrees of latitude
LATITUDE, LONGITUDE = 47.30, 8.50
FENCE = [(0, 0), (110, 0), (110, 70), (60, 80), (0, 70)]
KEEP_OUT = [(50, 30), (60, 30), (60, 42), (50, 42)]
HOME = (20, 20)

MISSION = """
area = "pond.geojson"
[budget]
distance = {distance}
[link]
address = "udpin:127.0.0.1:{port}"
connect = 30
[depth]
spacing = 3
max_jump = 2
[safety]
margin = 6
patience = {patience}
stuck = 60
silence = 30
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
"""


def degrees(place: tuple[float, float]) -> list[float]:
    return [LONGITUDE + place[0] * METRE / np.cos(np.radians(LATITUDE)), LATITUDE + place[1] * METRE]


def write_pond(folder: Path, **numbers) -> Path:
    """A mission file and its area; returns the mission file."""

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
        "port": free_port(),
        "patience": 60,
        "speedup": 40,
        "wind": 1.0,
        "current": 0.05,
        "outliers": 0.01,
    }
    mission = folder / "pond.toml"
    mission.write_text(MISSION.format(**{**given, "dropouts": 0.02, **numbers}))
    return mission


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class Harbour:
    """A mission with its boat on the water, and the folder of its survey."""

    mission: Path
    run: Path
    fault_port: int
    truth: Path

    def fault(self, *words: str) -> str:
        """Make something go wrong on the boat, `harbour.fault("gps", "for", "30")`."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
            line.settimeout(5)
            line.sendto(" ".join(words).encode(), ("127.0.0.1", self.fault_port))
            return line.recv(2000).decode()

    def survey(self, *, resume: bool = False, room: int | None = None) -> Forked:
        """Args:
        room: bytes that any file may grow to, as on a full disk.
        """
        arguments = ["resume", str(self.run)] if resume else ["survey", str(self.mission), "--out", str(self.run)]
        return Forked(*arguments, "--no-report", out=self.mission.parent / "survey.log", room=room)

    @property
    def events(self) -> list[dict]:
        return read_journal(self.run / "journal.jsonl").events

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

    def true_places(self) -> np.ndarray:
        """Where the boat really was, while it was armed and the survey was not over."""
        last = max(event["unix"] for event in self.events if event["event"] == "notice")
        with self.truth.open() as file:
            rows = [row for row in csv.DictReader(file) if row.get("battery") and float(row["time_unix"]) <= last]
        return np.array([[float(row["x"]), float(row["y"])] for row in rows if row["armed"] == "1"])

    def check_never_outside(self) -> None:
        clearance = self.area.clearance(self.true_places())
        assert clearance.min() > 0, f"the boat was {-clearance.min():.1f} m outside"

    def distance_home(self) -> float:
        """Of the boat's last true place."""
        return float(np.hypot(*(self.true_places()[-1] - np.array(self.area.home))))


@contextmanager
def harbour(folder: Path, **numbers):
    """Starts the boat of a small mission; both end with the test."""
    mission = write_pond(folder, **numbers)
    found = Harbour(mission, folder / "run", free_port(), folder / "truth.csv")
    options = ["--fault-port", str(found.fault_port), "--truth", str(found.truth)]
    process = Forked("boat", str(mission), *options, out=folder / "boat.log")
    try:
        yield found
    finally:
        process.kill()
        process.wait()


@contextmanager
def under_way(found: Harbour, **how):
    """A survey that is killed at the latest when the test ends."""
    process = found.survey(**how)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def prepared(found: Harbour) -> RunFolder:
    """A survey's folder that has not begun."""
    return create_survey(load_survey(found.mission), found.run)


def readings(found) -> int:
    return sum(event["event"] == "measurement" for event in found.events)


def begun(found):
    return lambda: readings(found) >= 8


def finished(process, found, *, seconds=150) -> int:
    try:
        return process.wait(seconds)
    except Exception:
        raise AssertionError(f"the survey did not end; the terminal says:\n{found.terminal}") from None


def check_kept(found) -> None:
    """Every reading that the model was given is an accepted sounding of the journal, once."""
    used = [event["time"] for event in found.events if event["event"] == "measurement"]
    heard = [event["time"] for event in found.events if event["event"] == "sounding"]
    assert used
    assert len(set(used)) == len(used)
    assert set(used) <= set(heard)


def last_mode(found) -> str:
    return [line for line in found.truth.read_text().splitlines() if line.count(",") == 8][-1].split(",")[6]
