"""Depths that somebody measured: read from files, given positions, and made into a field."""

import csv
import io
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import compress
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int

from akrig.errors import InvalidField
from akrig.fields.grid import GridField, Raster
from akrig.files import LARGEST, open_file
from akrig.frame import LocalFrame
from akrig.geometry import Box, wrapped_degrees
from akrig.types import Points, Values
from akrig.words import number_in

NAMES = {
    "latitude": ("latitude", "lat"),
    "longitude": ("longitude", "lon", "lng", "long"),
    "depth": ("depth", "depth_m"),
    "time": ("time", "time_unix", "timestamp", "datetime"),
    "status": ("status",),
}
NEEDED = ("latitude", "longitude", "depth")
RAW = ("latitude", "longitude", "depth", "temperature", "epoch_ms")  # a Deeper sonar's log, which has no header
REACH = 3.0  # cells; a gap is filled no farther from a sounding than this


@dataclass(frozen=True, eq=False)
class Soundings:
    """Depths (metres, positive downwards) with their places and times.

    Args:
        lonlat: longitude and latitude, degrees; NaN where there was no position fix.
        time: seconds since 1970 (UTC), if known.
    """

    lonlat: Float[np.ndarray, "n 2"]
    depth: Float[np.ndarray, " n"]
    time: Float[np.ndarray, " n"] | None = None

    def __post_init__(self) -> None:
        times = self.depth if self.time is None else self.time
        if self.lonlat.shape != (len(self.depth), 2) or times.shape != self.depth.shape:
            raise ValueError(
                f"Soundings need lonlat (n, 2), depth (n,) and time (n,); got {self.lonlat.shape}, {self.depth.shape} "
                f"and {times.shape}."
            )
        if not (np.isfinite(self.depth).all() and np.isfinite(times).all()):
            raise ValueError("Soundings need depths and times that are finite; leave out the others.")

    def __len__(self) -> int:
        return len(self.depth)

    @property
    def has_fix(self) -> np.ndarray:
        return np.asarray(np.isfinite(self.lonlat).all(axis=1))

    def only(self, rows: np.ndarray) -> "Soundings":
        return Soundings(self.lonlat[rows], self.depth[rows], None if self.time is None else self.time[rows])


def read_soundings(path: str | Path) -> Soundings:
    """All soundings of a CSV file, in its order.

    Either with a header that has latitude, longitude and depth (or lat, lon, depth_m; time too, as seconds since 1970
    or ISO 8601; rows whose `status` is rejected are left out), or the log of a Deeper sonar, which has no header.
    Latitude and longitude 0, exactly, mean that there was no position fix.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    lines, numbers = _lines(path)
    columns = _columns(path, lines[0])
    if columns is None:
        columns = {str(name): place for place, name in enumerate(RAW)}
    else:
        lines, numbers = lines[1:], numbers[1:]
    if "status" in columns:
        used = [cell.lower() != "rejected" for cell in _cells(lines, columns["status"])]
        lines, numbers = list(compress(lines, used)), list(compress(numbers, used))
    if not lines:
        raise InvalidField(f"{path} has a header but no soundings; export them again.")
    latitude, longitude, depth = (_column(path, lines, columns[key], named=(key, numbers)) for key in NEEDED)
    _check_degrees(path, latitude, longitude, numbers)
    no_fix = (latitude == 0) & (longitude == 0)
    lonlat = np.where(no_fix[:, None], np.nan, np.column_stack([longitude, latitude]))
    times = _times(path, lines, columns, numbers)
    if not np.isfinite(depth if times is None else depth + times).all():
        raise InvalidField(f"{path} has a depth or a time that is not finite; leave out its line.")
    return Soundings(lonlat, depth, times)


def placed(soundings: Soundings, *, max_gap: float = 10.0) -> tuple[Soundings, int]:
    """Those with a position, and how many had to be left out.

    A sounding without a fix lies on the straight way between the fixes before and after it, by its time, if these are
    no more than `max_gap` seconds apart.
    """
    fix = soundings.has_fix
    if soundings.time is None or not fix.any():
        return soundings.only(fix), int((~fix).sum())
    order = np.argsort(soundings.time, kind="stable")
    soundings, fix = soundings.only(order), fix[order]
    assert soundings.time is not None
    at, known = soundings.time[fix], soundings.lonlat[fix]
    after = np.clip(np.searchsorted(at, soundings.time, side="left"), 1, max(len(at) - 1, 1))
    before = after - 1
    after = np.minimum(after, len(at) - 1)
    gap = at[after] - at[before]
    share = (soundings.time - at[before]) / np.where(gap > 0, gap, 1.0)
    step = known[after] - known[before]
    step[:, 0] = wrapped_degrees(step[:, 0])  # the short way, also over the date line
    between = known[before] + np.clip(share, 0, 1)[:, None] * step
    between[:, 0] = wrapped_degrees(between[:, 0])
    inside = (gap <= max_gap) & (soundings.time >= at[before]) & (soundings.time <= at[after])
    lonlat = np.where(fix[:, None], soundings.lonlat, between)
    kept = fix | inside
    return Soundings(lonlat, soundings.depth, soundings.time).only(kept), int((~kept).sum())


def soundings_field(
    soundings: Soundings, frame: LocalFrame, extent: Box, *, cell: float | None = None, name: str = "soundings"
) -> GridField:
    """Depths over an extent in metres of the frame: the median of each cell, and straight in between.

    Cells farther than three cells from any sounding, or not between soundings, have no data.

    Args:
        cell: side of a cell; `None` has about four soundings to a cell, were they spread evenly.
    """
    X = frame.to_metres(soundings.lonlat)
    inside = extent.contains(X)  # NaN is not
    if not inside.any():
        raise InvalidField(
            f"None of the {len(soundings):,} soundings lies in the area; check that they are of the same place, "
            "and that latitude and longitude are not swapped."
        )
    width, height = extent.size
    if cell is None:
        cell = float(np.clip(2 * math.sqrt(width * height / inside.sum()), max(width, height) / 500, height / 4))
    if not cell > 0:
        raise ValueError(f"A cell is larger than 0 metres; got {cell}.")
    shape = (max(2, round(height / cell)), max(2, round(width / cell)))
    medians = _cell_medians(X[inside], soundings.depth[inside], extent=extent, shape=shape)
    return GridField(_filled(medians), extent, name=name, units="m", quantity="depth", crs=frame.crs.to_string())


def _lines(path: Path) -> tuple[list[list[str]], list[int]]:
    """Those that are not empty, and their numbers in the file."""
    try:
        with io.TextIOWrapper(open_file(path, most=LARGEST), encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            found = [(line, reader.line_num) for line in reader if any(cell.strip() for cell in line)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InvalidField(f"{path} is not a CSV file ({error}); export the soundings again.") from error
    if not found:
        raise InvalidField(f"{path} is empty; it should hold latitude, longitude and depth.")
    return [line for line, _ in found], [number for _, number in found]


def _columns(path: Path, first: list[str]) -> dict[str, int] | None:
    """By the header's names; None if it is a line of numbers."""
    cells = [cell.strip().lower() for cell in first]
    if all(number_in(cell) is not None for cell in cells if cell):
        if len(cells) != len(RAW):
            raise InvalidField(
                f"{path} has no header and {len(cells)} columns; akrig reads files with the header latitude, "
                f"longitude, depth, and the {len(RAW)} columns of a Deeper log."
            )
        return None
    columns = {key: cells.index(name) for key, names in NAMES.items() for name in names if name in cells}
    missing = [key for key in NEEDED if key not in columns]
    if missing:
        raise InvalidField(
            f"The header of {path} has no {' and no '.join(missing)}, only {', '.join(cells)}; rename its columns."
        )
    return columns


def _cells(lines: list[list[str]], place: int) -> list[str]:
    return [line[place].strip() if place < len(line) else "" for line in lines]


def _column(path: Path, lines: list[list[str]], place: int, *, named: tuple[str, list[int]]) -> Values:
    """Numbers, all finite."""
    cells = _cells(lines, place)
    try:
        values = np.array(cells, dtype=np.float64)
    except ValueError:
        values = np.array([math.nan if (value := number_in(cell)) is None else value for cell in cells])
    if not np.isfinite(values).all():
        row, (key, numbers) = int(np.argmin(np.isfinite(values))), named
        raise InvalidField(
            f"{path}, line {numbers[row]}: the {key} is {cells[row]!r}, not a number; mend or delete the line."
        )
    return values


def _check_degrees(path: Path, latitude: Values, longitude: Values, numbers: list[int]) -> None:
    off = (np.abs(latitude) > 90) | (np.abs(longitude) > 360)
    if off.any():
        row = int(np.argmax(off))
        swapped = "; latitude and longitude look swapped" if abs(longitude[row]) <= 90 else ""
        raise InvalidField(
            f"{path}, line {numbers[row]}: latitude {latitude[row]:g} and longitude {longitude[row]:g} are not on "
            f"Earth{swapped}."
        )


def _times(path: Path, lines: list[list[str]], columns: dict[str, int], numbers: list[int]) -> Values | None:
    """None if there is no such column, or a line has no time."""
    if "epoch_ms" in columns:
        return _column(path, lines, columns["epoch_ms"], named=("time", numbers)) / 1000
    if "time" not in columns:
        return None
    times = np.array([_seconds(cell) for cell in _cells(lines, columns["time"])], dtype=np.float64)
    return None if np.isnan(times).any() else times


def _seconds(text: str) -> float:
    """Since 1970; a time without a zone is UTC. NaN if it is none."""
    number = number_in(text)
    if number is not None:
        return number
    try:
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):  # such as a year 1 with a zone
        return math.nan


def _cell_medians(X: Points, depth: Values, *, extent: Box, shape: tuple[int, int]) -> Raster:
    rows, cols = shape
    share = (X - np.array(extent.lower)) / np.array(extent.size)
    col, row = np.clip((share * (cols, rows)).astype(np.intp), 0, (cols - 1, rows - 1)).T
    cells, found = group_medians(row * cols + col, depth)
    medians = np.full(rows * cols, np.nan)
    medians[cells] = found
    return medians.reshape(shape)


def group_medians(group: Int[np.ndarray, " n"], values: Values) -> tuple[np.ndarray, np.ndarray]:
    """The groups, in order, and the median of the values of each."""
    order = np.lexsort((values, group))
    groups, first, counts = np.unique(group[order], return_index=True, return_counts=True)
    ordered = values[order]
    return groups, (ordered[first + (counts - 1) // 2] + ordered[first + counts // 2]) / 2


def _filled(medians: Raster) -> Raster:
    """Gaps between cells with data, by linear interpolation over triangles; far from data they stay."""
    from scipy.interpolate import griddata
    from scipy.spatial import KDTree, QhullError

    known = np.isfinite(medians)
    have, lack = np.argwhere(known).astype(np.float64), np.argwhere(~known)
    if not len(lack):
        return medians
    near = KDTree(have).query(lack, distance_upper_bound=REACH)[0] <= REACH
    lack = lack[near]
    filled = medians.copy()
    try:
        filled[tuple(lack.T)] = griddata(have, medians[known], lack.astype(np.float64), method="linear")
    except (QhullError, ValueError):
        return medians  # too few cells, or all on one line: nothing lies between them
    return filled
