"""All soundings as CSV: those the map is made of, and those it is not, with the reason."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from akrig.files import write_text
from akrig.frame import LocalFrame
from akrig.survey.exports.geojson import iso_time

Status = Literal["used", "kept", "rejected"]
HEADER = ("time", "latitude", "longitude", "depth_m", "raw_depth_m", "status", "reason")


@dataclass(frozen=True)
class SoundingRow:
    """One sounding as it came and as it was taken.

    Args:
        time_unix: seconds since 1970, UTC.
        position: metres in the area's frame; None if there was no fix.
        depth: corrected for transducer and water level, metres; None if that could not be done.
        raw_depth: as the sonar said.
        status: `used` by the model, `kept` as good but not used by it, or `rejected`.
        reason: why it was rejected, or only kept.
    """

    time_unix: float
    position: tuple[float, float] | None
    depth: float | None
    raw_depth: float | None
    status: Status
    reason: str = ""

    def __post_init__(self) -> None:
        if self.status not in get_args(Status):
            raise ValueError(f"A sounding is {', '.join(get_args(Status))}; got {self.status!r}.")
        if not math.isfinite(self.time_unix):
            raise ValueError(f"A sounding has a time; got {self.time_unix}.")
        if self.status == "used" and (self.position is None or self.depth is None):
            raise ValueError("A sounding that was used has a position and a depth.")


def write_soundings(path: Path, rows: Sequence[SoundingRow], *, frame: LocalFrame) -> None:
    """In the order given; degrees to a millimetre, depths to a millimetre, what is not known is empty."""
    places = np.array([row.position or (np.nan, np.nan) for row in rows], dtype=np.float64).reshape(-1, 2)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for row, (longitude, latitude) in zip(rows, frame.to_degrees(places).tolist(), strict=True):
        degrees = [_fixed(latitude, 8), _fixed(longitude, 8)]
        depths = [_fixed(row.depth, 3), _fixed(row.raw_depth, 3)]
        writer.writerow([iso_time(row.time_unix), *degrees, *depths, row.status, row.reason])
    write_text(Path(path), text.getvalue())


def _fixed(value: float | None, decimals: int) -> str:
    return "" if value is None or not math.isfinite(value) else f"{value:.{decimals}f}"
