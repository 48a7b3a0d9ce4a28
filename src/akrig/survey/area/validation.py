"""From corners in degrees to an area in metres, or to a sentence that says what is wrong with them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from shapely import Point, Polygon, union_all
from shapely.validation import explain_validity

from akrig.frame import LocalFrame, wrapped_longitude
from akrig.survey.area.area import DECIMALS, Area, InvalidArea, degrees_words
from akrig.words import capital, plural

SMALLEST, LARGEST = 10.0, 20_000.0  # metres across
ORIGIN_DECIMALS = 6
SWAPPED = "latitude and longitude look swapped: longitude comes first"

LonLat = Sequence[Any] | np.ndarray  # of longitude and latitude; that these are numbers is checked


@dataclass(frozen=True, eq=False)
class Drawn:
    """Corners in degrees (longitude, latitude), and what to call them in a message."""

    label: str
    lonlat: LonLat


def area_from(
    name: str, fence: LonLat, keep_outs: Sequence[LonLat] = (), home: Sequence[float] | np.ndarray | None = None
) -> Area:
    """An area about the middle of its fence; all places are longitude and latitude, degrees.

    Args:
        fence: at least three corners; the first may be repeated at the end.
        keep_outs: polygons likewise.
        home: a place in the fence and in no keep-out.
    """
    return make_area(
        name,
        Drawn("the fence", fence),
        keep_outs=[Drawn(f"keep-out {number}", ring) for number, ring in enumerate(keep_outs, start=1)],
        home=None if home is None else Drawn("home", [home]),
    )


def make_area(name: str, fence: Drawn, *, keep_outs: Sequence[Drawn] = (), home: Drawn | None = None) -> Area:
    """Like `area_from`, with names of its own for the parts."""
    corners = _corners(fence)
    holes = [_corners(keep_out) for keep_out in keep_outs]
    frame = _frame_about(corners)
    outline = Polygon(_in_metres(frame, corners, fence.label))
    _check_size(outline, fence.label)
    _check_simple(outline, frame, fence.label)
    for keep_out, hole in zip(keep_outs, holes, strict=True):
        _check_keep_out(keep_out.label, hole, frame=frame, outline=outline, fence=fence.label)
    islands = [Polygon(frame.to_metres(hole)) for hole in holes]
    closed = union_all(islands)
    if outline.difference(closed).area < 1:
        raise InvalidArea(f"Nothing is left of {fence.label}: the keep-outs cover it; draw them smaller.")
    harbour = None
    if home is not None:
        lonlat = _places(home)
        _check_home(lonlat, frame=frame, outline=outline, labels=(home.label, fence.label))
        for keep_out, island in zip(keep_outs, islands, strict=True):
            if island.contains(Point(frame.to_metres(lonlat)[0])):
                raise InvalidArea(f"Home, {degrees_words(lonlat[0])}, lies in {keep_out.label}; move one of them.")
        harbour = tuple(frame.to_metres(lonlat)[0].tolist())
    return Area(frame, frame.to_metres(corners), tuple(frame.to_metres(hole) for hole in holes), harbour, name)


def _corners(drawn: Drawn) -> np.ndarray:
    """Without those that the next one repeats; of the last, the next is the first."""
    lonlat = _places(drawn)
    while len(lonlat) > 1 and np.array_equal(lonlat[0], lonlat[-1]):
        lonlat = lonlat[:-1]
    corners = lonlat[(lonlat != np.roll(lonlat, -1, axis=0)).any(axis=1)]
    if len(corners) < 3:
        found = plural(len(corners), "different corner")
        raise InvalidArea(f"{capital(drawn.label)} has {found}; a polygon needs at least 3.")
    return corners


def _places(drawn: Drawn) -> np.ndarray:
    """Longitude and latitude, checked and rounded, so that an area written down and read again is the same."""
    try:
        lonlat = np.array([[float(value) for value in place[:2]] for place in drawn.lonlat], dtype=np.float64)
    except (TypeError, ValueError, LookupError, OverflowError) as error:
        raise InvalidArea(f"{capital(drawn.label)} holds something that is no longitude and latitude.") from error
    if lonlat.ndim != 2 or lonlat.shape[1] != 2:
        raise InvalidArea(f"{capital(drawn.label)} has no corners that are longitude and latitude.")
    for number, (longitude, latitude) in enumerate(lonlat.tolist(), start=1):
        if problem := _problem(longitude, latitude):
            place = f"{drawn.label}, corner {number}" if len(lonlat) > 1 else drawn.label
            raise InvalidArea(f"In {place}, {problem}.")
    lonlat = np.round(lonlat, DECIMALS)
    return np.column_stack([wrapped_longitude(lonlat[:, 0]), lonlat[:, 1]])


def _problem(longitude: float, latitude: float) -> str | None:
    if not np.isfinite([longitude, latitude]).all():
        return f"longitude {longitude} and latitude {latitude} are not both numbers"
    if abs(latitude) <= 90 and -180 <= longitude <= 360:
        return None
    if abs(longitude) <= 90 and abs(latitude) <= 360:
        return f"the latitude {latitude:g} is beyond 90 degrees: {SWAPPED}"
    return (
        f"longitude {longitude:g} and latitude {latitude:g} are not degrees on Earth; "
        "save the drawing in WGS84 (EPSG:4326), not in metres"
    )


def _frame_about(corners: np.ndarray) -> LocalFrame:
    """About the middle of the corners' bounding box; directions in space know neither date line nor poles."""
    longitude, latitude = np.radians(corners).T
    level = np.cos(latitude)
    x, y, z = np.mean([level * np.cos(longitude), level * np.sin(longitude), np.sin(latitude)], axis=1)
    rough = LocalFrame(*np.degrees([np.arctan2(y, x), np.arctan2(z, np.hypot(x, y))]).tolist())
    X = rough.to_metres(corners)
    if not np.isfinite(X).all():
        return rough  # larger than half the Earth; its size will be refused
    middle = rough.to_degrees((X.min(axis=0) + X.max(axis=0))[None] / 2)[0]
    longitude, latitude = np.round(middle, ORIGIN_DECIMALS).tolist()
    return LocalFrame(longitude if abs(latitude) < 90 else 0.0, latitude)  # at a pole, any meridian would do


def _in_metres(frame: LocalFrame, corners: np.ndarray, label: str) -> np.ndarray:
    X = frame.to_metres(corners)
    across = np.ptp(X, axis=0).max()
    if not across <= LARGEST:  # also when it is NaN
        size = f"{across / 1000:.0f} km across" if np.isfinite(across) else "larger than a continent"
        longitudes, latitudes = np.sort(corners, axis=0).T
        raise InvalidArea(
            f"{capital(label)} is {size} (latitude {latitudes[0]:g} to {latitudes[-1]:g}, longitude {longitudes[0]:g} "
            f"to {longitudes[-1]:g}); a survey is at most {LARGEST / 1000:g} km across, so look for a mistyped corner."
        )
    return X


def _check_size(outline: Polygon, label: str) -> None:
    west, south, east, north = outline.bounds
    if max(east - west, north - south) < SMALLEST:
        raise InvalidArea(
            f"{capital(label)} is only {max(east - west, north - south):.2g} m across; a survey needs {SMALLEST:g} m, "
            "so check that the coordinates are degrees with all their decimals."
        )
    if outline.buffer(0).area < 1:
        raise InvalidArea(f"The corners of {label} lie on one line; draw a polygon around water.")


def _check_simple(outline: Polygon, frame: LocalFrame, label: str) -> None:
    if outline.is_valid:
        return
    reason = explain_validity(outline)
    found = re.search(r"\[(\S+) (\S+)\]", reason)
    where = ""
    if found:
        where = " at " + degrees_words(frame.to_degrees(np.array([[float(found[1]), float(found[2])]]))[0])
    raise InvalidArea(f"The border of {label} crosses or touches itself{where}; move or delete a corner there.")


def _check_keep_out(label: str, corners: np.ndarray, *, frame: LocalFrame, outline: Polygon, fence: str) -> None:
    if _lies_in(outline, frame, corners):
        _check_simple(Polygon(frame.to_metres(corners)), frame, label)
        return
    hint = f"; {SWAPPED}" if _lies_in(outline, frame, _swapped(corners)) else "; delete it or move it into the fence"
    raise InvalidArea(f"{capital(label)} lies outside {fence}, near {degrees_words(corners[0])}{hint}.")


def _check_home(lonlat: np.ndarray, *, frame: LocalFrame, outline: Polygon, labels: tuple[str, str]) -> None:
    if outline.covers(Point(frame.to_metres(lonlat)[0])):
        return
    label, fence = labels
    metres = Point(frame.to_metres(lonlat)[0]).distance(outline)
    hint = f", {metres:.0f} m away from it; move home into the fence" if metres < LARGEST else ""
    if np.isfinite(frame.to_metres(_swapped(lonlat))).all() and outline.covers(
        Point(frame.to_metres(_swapped(lonlat))[0])
    ):
        hint = f"; {SWAPPED}"
    raise InvalidArea(f"{capital(label)}, {degrees_words(lonlat[0])}, lies outside {fence}{hint}.")


def _lies_in(outline: Polygon, frame: LocalFrame, corners: np.ndarray) -> bool:
    """At least a part of it."""
    X = frame.to_metres(corners)
    return bool(np.isfinite(X).all()) and outline.buffer(0).intersection(Polygon(X).buffer(0)).area > 0


def _swapped(corners: np.ndarray) -> np.ndarray:
    """Latitude first; none where that is no place on Earth."""
    turned = corners[:, ::-1].copy()
    turned[np.abs(turned[:, 1]) > 90] = np.nan
    return turned
