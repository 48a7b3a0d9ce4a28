"""Soundings with positions: what a log holds, less what has no place."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from akrig.fields.soundings import Soundings, placed, read_soundings
from akrig.frame import LocalFrame
from akrig.geometry import wrapped_degrees
from akrig.journal.legs import UnreadableLog
from akrig.survey.logs.fixes import MAX_GAP
from akrig.survey.logs.kind import log_of
from akrig.survey.logs.thinning import is_astray
from akrig.types import Points, Values
from akrig.words import plural

# Metres between two fixes, if they are more than `MAX_GAP` seconds apart: sonars that report a fix only after they have
# moved fall silent while they drift.
STILL = 5.0

HeardSoundings = tuple[Soundings, tuple[tuple[int, str], ...]]  # and how many were left out, and why


@dataclass(frozen=True, eq=False)
class Pings:
    """Soundings, and what was left out to get there.

    Args:
        total: soundings in the log.
        left_out: how many, and why.
    """

    lonlat: Points
    depth: Values
    time: Values | None
    total: int
    left_out: tuple[tuple[int, str], ...] = ()

    def only(self, chosen: np.ndarray, why: str) -> "Pings":
        """Those; the others are counted."""
        left_out = (*self.left_out, (int((~chosen).sum()), why))
        time = None if self.time is None else self.time[chosen]
        return Pings(self.lonlat[chosen], self.depth[chosen], time, self.total, left_out)


def read_pings(path: Path) -> Pings:
    """Of one of `LOGS`; each with its own or a nearby fix."""
    soundings, omitted = log_of(path).maker(path)
    total, num_fixes = len(soundings) + sum(count for count, _ in omitted), int(soundings.has_fix.sum())
    if num_fixes < 2:
        raise UnreadableLog(
            f"{path} has {'one' if num_fixes else 'no'} position fix among {plural(total, 'sounding')}; a map "
            "needs more. Was the receiver on, and outdoors?"
        )
    stray = _stray(soundings)
    num_heard = len(soundings)
    soundings = Soundings(np.where(stray[:, None], np.nan, soundings.lonlat), soundings.depth, soundings.time)
    found, _ = placed(soundings.only(_is_near_fixes(soundings)), max_gap=np.inf)
    left_out = (
        *omitted,
        (int(stray.sum()), "stray fixes"),
        (num_heard - len(found), f"without a fix within {MAX_GAP:g} s or {STILL:g} m"),
    )
    return Pings(found.lonlat, found.depth, found.time, total, left_out)


def read_table(path: Path) -> HeardSoundings:
    return read_soundings(path), ()


def frame_about(lonlat: Points) -> LocalFrame:
    """The middle of their extent; longitudes are counted from the first, so that the date line is no border."""
    longitude = lonlat[0, 0] + wrapped_degrees(lonlat[:, 0] - lonlat[0, 0])
    middle = [float(values.min() + values.max()) / 2 for values in (longitude, lonlat[:, 1])]
    return LocalFrame(round(wrapped_degrees(middle[0]), 6), round(middle[1], 6))


def _stray(soundings: Soundings) -> np.ndarray:
    """Which soundings carry a fix that cannot be."""
    stray = np.zeros(len(soundings), dtype=bool)
    if soundings.time is not None:
        rows = _fixes_by_time(soundings)
        X = _metres(soundings, rows)
        stray[rows] = is_astray(X, soundings.time[rows])
    return stray


def _is_near_fixes(soundings: Soundings) -> np.ndarray:
    """Which have a fix, or lie in time between two that are near each other in time or in space."""
    has = soundings.has_fix
    if soundings.time is None:
        return has
    rows = _fixes_by_time(soundings)
    at, X = soundings.time[rows], _metres(soundings, rows)
    is_near = (np.diff(at) <= MAX_GAP) | (np.linalg.norm(np.diff(X, axis=0), axis=1) <= STILL)
    gap = np.searchsorted(at, soundings.time, side="right") - 1
    between = (gap >= 0) & (gap < len(is_near))
    return has | (between & is_near[np.clip(gap, 0, max(len(is_near) - 1, 0))])


def _fixes_by_time(soundings: Soundings) -> np.ndarray:
    assert soundings.time is not None
    rows = np.flatnonzero(soundings.has_fix)
    return rows[np.argsort(soundings.time[rows], kind="stable")]


def _metres(soundings: Soundings, rows: np.ndarray) -> np.ndarray:
    """About the fix in the middle of the log, wherever a stray one may lie; infinite where that is too far."""
    lonlat = soundings.lonlat[rows]
    return np.nan_to_num(frame_about(lonlat[len(rows) // 2 :][:1]).to_metres(lonlat), nan=1e9)
