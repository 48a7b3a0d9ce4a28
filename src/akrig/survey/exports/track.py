"""The boat's track as GeoJSON lines with times."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from akrig.frame import LocalFrame
from akrig.survey.exports.geojson import line_feature, pieces, write_features


@dataclass(frozen=True)
class TrackPoint:
    """Where the boat was, and when.

    Args:
        time_unix: seconds since 1970, UTC.
        position: metres in the area's frame.
    """

    time_unix: float
    position: tuple[float, float]

    def __post_init__(self) -> None:
        if not np.isfinite((self.time_unix, *self.position)).all():
            raise ValueError(f"TrackPoint needs finite numbers; got {self.time_unix} and {self.position}.")


def write_track(path: Path, points: Sequence[TrackPoint], *, frame: LocalFrame, max_gap: float = 30.0) -> None:
    """Lines in the order of time, cut at the date line and where nothing was heard for `max_gap` seconds.

    Each has the properties `begin`, `end` and, corner by corner, `coordTimes`, as tools that read tracks know them.
    """
    features: list[dict[str, Any]] = []
    for leg in unbroken(points, max_gap):
        times = np.array([point.time_unix for point in leg])
        for piece in pieces(frame, np.array([point.position for point in leg], dtype=np.float64)):
            when = [iso_time(time) for time in np.interp(piece.at, np.arange(len(times)), times).tolist()]
            features.append(line_feature(piece.lonlat, {"begin": when[0], "end": when[-1], "coordTimes": when}))
    write_features(Path(path), features)


def unbroken(points: Sequence[TrackPoint], max_gap: float) -> list[list[TrackPoint]]:
    """In the order of time."""
    legs: list[list[TrackPoint]] = []
    for point in sorted(points, key=lambda point: point.time_unix):
        if not legs or point.time_unix - legs[-1][-1].time_unix > max_gap:
            legs.append([])
        legs[-1].append(point)
    return legs


def iso_time(time_unix: float) -> str:
    """UTC, to a millisecond."""
    time = datetime.fromtimestamp(round(time_unix, 3), tz=UTC)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
