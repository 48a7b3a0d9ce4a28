"""The pond with akrig's own simulated boat on it, in a process of its own: for tests."""

import csv
import socket
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.forked import Forked
from tests.survey.pond import Pond, free_port, write_pond


@dataclass
class Harbour(Pond):
    """A mission with its boat on the water."""

    fault_port: int
    truth: Path

    def fault(self, *words: str) -> str:
        """Make something go wrong on the boat, `harbour.fault("gps", "for", "30")`."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
            line.settimeout(5)
            line.sendto(" ".join(words).encode(), ("127.0.0.1", self.fault_port))
            return line.recv(2000).decode()

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
def harbour(folder: Path, *, failsafe: bool = True, **numbers):
    """Starts the boat of a small mission; both end with the test.

    Args:
        failsafe: whether the boat acts when akrig falls silent, as it also does when akrig has ended; without it, a
            change of mode is akrig's doing, or the pilot's.
    """
    mission = write_pond(folder, **numbers, **({} if failsafe else {"accept": '["FS_GCS_ENABLE"]'}))
    found = Harbour(mission, folder / "run", free_port(), folder / "truth.csv")
    options = ["--fault-port", str(found.fault_port), "--truth", str(found.truth)]
    options += [] if failsafe else ["--param", "FS_GCS_ENABLE=0"]
    process = Forked("boat", str(mission), *options, out=folder / "boat.log")
    try:
        yield found
    finally:
        process.kill()
        process.wait()


def last_mode(found: Harbour) -> str:
    return [line for line in found.truth.read_text().splitlines() if line.count(",") == 8][-1].split(",")[6]
