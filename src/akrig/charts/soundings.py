"""Soundings to make a map of: out of any log, in metres, without what cannot be, and in the order of their ways."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from akrig.config import read_settings
from akrig.files import content_of, open_file, written_beside
from akrig.frame import LocalFrame
from akrig.journal.folder import RunFolder
from akrig.journal.legs import UnreadableLog, read_legs
from akrig.survey.logs.pings import frame_about
from akrig.survey.logs.placing import PlacedSoundings, check_places, read_placed
from akrig.survey.logs.raster import is_raster, read_raster_points
from akrig.survey.logs.replay import margin_about
from akrig.survey.logs.thinning import is_outlier, is_remote
from akrig.survey.logs.tracks import Legs, ways_of
from akrig.survey.settings import area_of
from akrig.types import Points, Samples, Values
from akrig.words import plural

LARGEST = 200_000.0  # metres across: the plane is 0.01 % too long at its ends
LEGS_ACROSS = 20.0  # the longest way across, in legs


@dataclass(frozen=True, eq=False)
class ChartData:
    """Args:
    X: metres of the frame, or as the log had them.
    legs: the number of each one's stretch of the way; they come one after the other.
    quantity: what was read, as far as the log says.
    note: for a person.
    """

    X: Points
    y: Values
    legs: Legs
    frame: LocalFrame | None
    quantity: str
    units: str
    note: str

    def __len__(self) -> int:
        return len(self.y)

    @property
    def margin(self) -> float:
        """Metres that the map reaches beyond the outermost."""
        return margin_about(self.X)

    def only(self, rows: np.ndarray) -> Samples:
        return Samples(self.X[rows], self.y[rows])


def read_chart_data(log: Path, *, frame: LocalFrame | None = None) -> ChartData:
    """Of a run folder, or of any file that is read as a log, or of a GeoTIFF whose cells are soundings.

    Args:
        frame: that the places are wanted in, if the log knows where on Earth they are.
    """
    placed = _of_folder(log) if log.is_dir() else read_raster_points(log) if is_raster(log) else _of_file(log)
    if not len(placed.y):
        raise UnreadableLog(f"{log} holds no soundings to make a map of.")
    X, left_out = placed.X, []
    kept = ~is_remote(X)
    left_out.append((int((~kept).sum()), "far from all others"))
    if placed.is_table:
        wrong = is_outlier(X[kept], placed.y[kept])
        left_out.append((int(wrong.sum()), "unlike all around"))
        kept[kept] = ~wrong
    X, y, time = X[kept], placed.y[kept], None if placed.time is None else placed.time[kept]
    check_places(log, X)
    place = placed.frame
    if placed.frame is not None and (frame is not None or len(X) < len(kept)):
        lonlat = placed.frame.to_degrees(X)
        place = frame or frame_about(lonlat)  # what was left out may have lain far away
        X = place.to_metres(lonlat)
    order, legs = ways_of(X, y, time, length=float(np.linalg.norm(np.ptp(X, axis=0))) / LEGS_ACROSS)
    is_depth = placed.frame is not None and not placed.is_table
    words = [f"{count} {why}" for count, why in left_out if count]
    note = "; ".join([*placed.notes, *([f"left out: {', '.join(words)}"] if words else [])])
    about = {"quantity": "depth", "units": "m"} if is_depth else {"quantity": "value", "units": ""}
    return ChartData(X[order], y[order], legs[order], place, note=f"{note}.", **about)


def _of_file(log: Path) -> PlacedSoundings:
    placed = read_placed(log, largest=LARGEST)
    if not placed.is_table:
        return placed
    # A table's times may only count its rows, which may be sorted by anything.
    is_counted = placed.time is not None and np.array_equal(placed.time, np.arange(len(placed.time)))
    time = None if is_counted else placed.time
    return PlacedSoundings(placed.X, placed.y, time, None, placed.notes, is_table=True)


def _of_folder(log: Path) -> PlacedSoundings:
    """A run's readings; those of a survey are depths."""
    readings = [reading for leg in read_legs(log) for reading in leg]
    settings = read_settings(RunFolder.open(log).config)
    X = np.array([reading.position for reading in readings])
    y, time = (np.array([getattr(reading, name) for reading in readings]) for name in ("value", "time"))
    if X.shape[1] != 2:
        raise UnreadableLog(f"{log} is of {X.shape[1]} dimensions; a map needs two.")
    frame = None
    if settings.survey is not None:
        frame = area_of(settings.survey).frame
    elif settings.frame is not None:
        frame = LocalFrame(settings.frame.longitude, settings.frame.latitude)
    return PlacedSoundings(X, y, time, frame, (f"{log}: {plural(len(y), 'reading')}",), is_table=frame is None)


def write_chart_data(path: Path, data: ChartData) -> None:
    """Numbers only, to the last digit."""
    frame = None if data.frame is None else [data.frame.longitude, data.frame.latitude]
    about = {"frame": frame, "quantity": data.quantity, "units": data.units, "note": data.note}
    with written_beside(path, synced=True) as beside, beside.open("wb") as file:
        np.savez(file, X=data.X, y=data.y, legs=data.legs, about=np.array(json.dumps(about)))


def load_chart_data(path: Path) -> ChartData:
    advice = "delete it, and call the same command again"
    with content_of(path, advice=advice), open_file(path) as file, np.load(file) as found:
        about: dict[str, Any] = json.loads(str(found["about"]))
        frame = None if about["frame"] is None else LocalFrame(*about["frame"])
        return ChartData(found["X"], found["y"], found["legs"], frame, about["quantity"], about["units"], about["note"])
