"""Lines in metres as GeoJSON (RFC 7946) wants them: degrees, cut at the date line; and the boat's track with times."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from akrig.files import write_text
from akrig.frame import LocalFrame

DECIMALS = 8  # of a degree: a millimetre


def pieces(frame: LocalFrame, X: Float[np.ndarray, "k 2"]) -> list[Float[np.ndarray, "_ 3"]]:
    """A line in degrees; RFC 7946, 3.1.9: what crosses the antimeridian should be cut in two there.

    Of each piece, longitude, latitude, and where on the line its corners are: 2.5 is halfway between the third and the
    fourth.
    """
    rows = np.column_stack([frame.to_degrees(X), np.arange(len(X), dtype=np.float64)])
    jumps = np.flatnonzero(np.abs(np.diff(rows[:, 0])) > 180) + 1
    parts = np.split(rows, jumps)
    for k, jump in enumerate(jumps.tolist()):
        last, first = _crossing(rows[jump - 1], rows[jump])
        parts[k], parts[k + 1] = np.vstack([parts[k], last]), np.vstack([first, parts[k + 1]])
    return parts


def line_feature(lonlat: np.ndarray, properties: dict[str, Any]) -> dict[str, Any]:
    """A line; a line of one corner is a point."""
    places = np.round(lonlat, DECIMALS).tolist()
    if len(places) == 1:
        return feature("Point", places[0], **properties)
    return feature("LineString", places, **properties)


def write_features(path: Path, features: Sequence[dict[str, Any]]) -> None:
    """One feature to a line; beside, then renamed."""
    lines = ",\n".join(json.dumps(feature, allow_nan=False) for feature in features)
    write_text(path, '{"type": "FeatureCollection", "features": [\n' + lines + "\n]}\n")


def _crossing(before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place between two corners where the date line is: as seen from the first, and from the second."""
    side = 180.0 if before[0] > 0 else -180.0
    to_line, from_line = abs(side - before[0]), abs(-side - after[0])
    share = to_line / (to_line + from_line) if to_line + from_line > 0 else 0.5
    latitude, at = before[1:] + share * (after[1:] - before[1:])
    return np.array([side, latitude, at]), np.array([-side, latitude, at])


def feature(kind: str, coordinates: list[Any], **properties: Any) -> dict[str, Any]:
    return {"type": "Feature", "properties": properties, "geometry": {"type": kind, "coordinates": coordinates}}


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


@dataclass(frozen=True, eq=False)
class TrackPiece:
    """A stretch of the track without a gap, on one side of the date line.

    Args:
        lonlat: of its corners, degrees.
        times: of its corners, seconds since 1970.
    """

    lonlat: np.ndarray
    times: np.ndarray


def timed_pieces(points: Sequence[TrackPoint], *, frame: LocalFrame, max_gap: float = 30.0) -> list[TrackPiece]:
    """In the order of time, cut at the date line and where nothing was heard for `max_gap` seconds."""
    found = []
    for leg in unbroken(points, max_gap):
        times = np.array([point.time_unix for point in leg])
        for piece in pieces(frame, np.array([point.position for point in leg], dtype=np.float64)):
            found.append(TrackPiece(piece[:, :2], np.interp(piece[:, 2], np.arange(len(times)), times)))
    return found


def write_track(path: Path, points: Sequence[TrackPoint], *, frame: LocalFrame, max_gap: float = 30.0) -> None:
    """Lines with the properties `begin`, `end` and, corner by corner, `coordTimes`, as tools that read tracks know."""
    features: list[dict[str, Any]] = []
    for piece in timed_pieces(points, frame=frame, max_gap=max_gap):
        when = [iso_time(time) for time in piece.times.tolist()]
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
