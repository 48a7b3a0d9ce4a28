"""The water level over time, from a gauge: depths become those below its datum."""

import csv
import io
from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from akrig.errors import AkrigError
from akrig.files import UnreadableFile, read_text

EARLIEST, LATEST = 1800, 9000  # years of a gauge's records; beyond, zones lead out of the calendar
TIME_NAMES = ("time", "time_utc", "utc", "date", "datetime", "timestamp")
LEVEL_NAMES = ("level", "level_m", "water_level", "water_level_m", "height", "value")


class UnusableWaterLevel(AkrigError, ValueError):
    """A water-level file that cannot be read, or does not cover the survey."""


@dataclass(frozen=True)
class WaterLevel:
    """Args:
    times: unix seconds, ascending.
    levels: metres above the datum.
    source: for messages.
    """

    times: tuple[float, ...]
    levels: tuple[float, ...]
    source: str = ""

    def at(self, time: float) -> float | None:
        """By a straight line between its neighbours; `None` before the first and after the last."""
        if not self.times[0] <= time <= self.times[-1]:
            return None
        k = min(bisect_right(self.times, time), len(self.times) - 1)
        begin, end = self.times[k - 1], self.times[k]
        share = (time - begin) / (end - begin)
        return self.levels[k - 1] + share * (self.levels[k] - self.levels[k - 1])

    def check_covers(self, begin: float, end: float) -> None:
        if self.times[0] > begin or self.times[-1] < end:
            raise UnusableWaterLevel(
                f"{self.source} covers {_utc(self.times[0])} to {_utc(self.times[-1])}, but the survey may last from "
                f"{_utc(begin)} to {_utc(end)}; take a longer series, or survey without depth.water_level."
            )


def read_water_level(path: Path) -> WaterLevel:
    """A CSV with columns time (ISO 8601, UTC unless it says otherwise) and level (metres)."""
    try:
        text = read_text(path)
    except FileNotFoundError:
        raise UnusableWaterLevel(f"There is no water-level file {path}.") from None
    except UnreadableFile as error:
        raise UnusableWaterLevel(f"The water level cannot be read: {error}") from None
    except OSError as error:
        raise UnusableWaterLevel(f"The water-level file {path} cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise UnusableWaterLevel(f"{path} is not a text file in UTF-8; save it as CSV (UTF-8).") from None
    try:
        points = _points(path, csv.DictReader(io.StringIO(text, newline="")))
    except csv.Error as error:
        raise UnusableWaterLevel(f"{path} is not a CSV file ({error}); save it as CSV (UTF-8).") from None
    if len(points) < 2:
        raise UnusableWaterLevel(f"{path} needs at least two water levels; it has {len(points)}.")
    for (before, _), (after, _) in pairwise(points):
        if after <= before:
            raise UnusableWaterLevel(f"{path} is not in the order of time at {_utc(after)}; sort it.")
    return WaterLevel(tuple(time for time, _ in points), tuple(level for _, level in points), str(path))


def _points(path: Path, rows: csv.DictReader) -> list[tuple[float, float]]:
    names = {name.strip().lower(): name for name in rows.fieldnames or []}
    time_name = next((names[name] for name in TIME_NAMES if name in names), None)
    level_name = next((names[name] for name in LEVEL_NAMES if name in names), None)
    if time_name is None or level_name is None:
        raise UnusableWaterLevel(
            f"{path} needs columns time and level in its first line; it has {rows.fieldnames!s:.200}."
        )
    return [_point(path, rows.line_num, row[time_name], row[level_name]) for row in rows]


def _point(path: Path, line: int, time: str | None, level: str | None) -> tuple[float, float]:
    try:
        moment = datetime.fromisoformat((time or "").strip())
        if not EARLIEST <= moment.year <= LATEST:
            raise ValueError(f"the year {moment.year}")
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        value = float(level or "")
    except (ValueError, OverflowError):
        raise UnusableWaterLevel(
            f"{path}, line {line}: {time!r:.40} and {level!r:.40} are not a time (such as 2026-05-01T12:00:00Z) and "
            "metres."
        ) from None
    if value != value or abs(value) > 1e4:
        raise UnusableWaterLevel(f"{path}, line {line}: a water level of {value:g} m cannot be.")
    return seconds, value


def _utc(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M UTC")
