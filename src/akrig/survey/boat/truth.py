"""Where the boat really was, on disk: so that a test can prove that it never left its fence."""

from pathlib import Path
from typing import IO

from akrig.survey.boat.world import STEP, Boat

COLUMNS = "time_unix,longitude,latitude,x,y,heading,mode,armed,battery"
INTERVAL = 0.25  # boat seconds


class TruthFile:
    """A CSV file, a line every quarter of a boat second, each on disk before the next."""

    def __init__(self, path: Path) -> None:
        self._file: IO[str] = path.open("w", buffering=1, encoding="utf-8")
        self._file.write(COLUMNS + "\n")
        self._every = round(INTERVAL / STEP)

    def step(self, boat: Boat) -> None:
        """Call after each step of the boat."""
        if boat.steps % self._every:
            return
        (longitude, latitude), (x, y) = boat.lonlat, boat.position
        self._file.write(
            f"{boat.unix_time:.2f},{longitude:.9f},{latitude:.9f},{x:.3f},{y:.3f},{boat.heading:.4f},"
            f"{boat.mode.name},{int(boat.is_armed)},{boat.battery.share:.4f}\n"
        )

    def close(self) -> None:
        self._file.close()
