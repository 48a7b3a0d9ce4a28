"""Logs of NMEA 0183 sentences, as chart plotters and loggers write them."""

import math
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np

from akrig.fields.soundings import Soundings
from akrig.files import read_lines
from akrig.journal.legs import UnreadableLog
from akrig.survey.logs.fixes import places_at
from akrig.survey.logs.pings import HeardSoundings
from akrig.survey.sentences import fields_of, number_in_field
from akrig.words import plural

FOOT = 0.3048
DAY = 86400.0
TIMED = {"RMC": 0, "GGA": 0, "GLL": 4, "ZDA": 0}  # where the time of day is
PLACED = {"RMC": 2, "GGA": 1, "GLL": 0}  # where the latitude is
CENTURY = 80  # years of two digits from here on are of the last century


@dataclass
class _Found:
    """What was met so far; sentences are known by the number of their line."""

    clock: list[tuple[int, float]] = field(default_factory=list)
    fixes: dict[float, tuple[float, float]] = field(default_factory=dict)
    depths: dict[str, list[tuple[int, float]]] = field(default_factory=lambda: {"DPT": [], "DBT": []})
    damaged: int = 0
    day: float = 0.0
    last: float = -math.inf


def read(path: Path) -> HeardSoundings:
    """Depths of DPT, with its offset to the water line, or of DBT, whichever there are more of.

    Times are those of RMC, GGA, GLL and ZDA; a depth has that of its line between theirs.
    """
    found = _Found()
    for number, line in enumerate(read_lines(path)):
        _take(number, line.decode("ascii", "replace"), found)
    depths = max(found.depths.values(), key=len)
    if not depths:
        raise UnreadableLog(
            f"{path} holds NMEA sentences, but no DPT and no DBT; was the sonar connected to the logger?"
        )
    if not found.fixes:
        raise UnreadableLog(f"{path} has no position fix (RMC, GGA or GLL) among {plural(len(depths), 'sounding')}.")
    lines, depth = np.array(depths, dtype=np.float64).T
    known, clock = np.array(found.clock, dtype=np.float64).T
    time = np.interp(lines, known, clock)
    fix_time = np.array(list(found.fixes), dtype=np.float64)
    lonlat = places_at(time, fix_time, np.array(list(found.fixes.values())))
    lonlat[(lines < known[0]) | (lines > known[-1])] = np.nan  # nobody knows when they came
    left_out = ((found.damaged, "damaged sentences"), (int((~np.isfinite(depth)).sum()), "without a bottom"))
    is_sounding = np.isfinite(depth)
    return Soundings(lonlat[is_sounding], depth[is_sounding], time[is_sounding]), left_out


def _take(number: int, line: str, found: _Found) -> None:
    begin = line.rfind("$")  # loggers put their own time before it
    if begin < 0:
        return
    fields = fields_of(line[begin:])
    if fields is None:
        found.damaged += line[begin + 3 : begin + 6] in found.depths
        return
    kind, fields = fields[0][-3:], fields[1:]
    if kind in found.depths:
        depth = _depth(kind, fields)
        if depth is None:
            found.damaged += 1
        else:
            found.depths[kind].append((number, depth))
    elif kind in TIMED:
        _take_fix(number, kind, fields, found)


def _depth(kind: str, fields: list[str]) -> float | None:
    """Metres; of DPT below the water line, if it says how far above the transducer that is. NaN without a bottom."""
    numbers = [number_in_field(text) for text in fields[:3]]
    if kind == "DPT":
        depth = numbers[0] if numbers else None
        offset = numbers[1] if len(numbers) > 1 else None  # negative to the keel
        return None if depth is None else depth + max(0.0, offset if offset and math.isfinite(offset) else 0.0)
    feet, metres = (numbers[k] if len(numbers) > k else None for k in (0, 2))
    if metres is not None and math.isfinite(metres):
        return metres
    return metres if feet is None else feet * FOOT


def _take_fix(number: int, kind: str, fields: list[str], found: _Found) -> None:
    day = _date(kind, fields)
    if day is not None:
        found.day = day
    seconds = _time_of_day(fields[TIMED[kind]] if len(fields) > TIMED[kind] else "")
    if seconds is None:
        return
    time = found.day + seconds
    if day is None and time < found.last - DAY / 2:  # past midnight
        found.day, time = found.day + DAY, time + DAY
    found.last = time
    found.clock.append((number, time))
    if kind in PLACED and _has_fix(kind, fields):
        latitude = _angle(fields[PLACED[kind] :][:2], "NS", degrees=2)
        longitude = _angle(fields[PLACED[kind] + 2 :][:2], "EW", degrees=3)
        if latitude is not None and longitude is not None and abs(latitude) <= 90 and abs(longitude) <= 180:
            found.fixes.setdefault(time, (longitude, latitude))


def _has_fix(kind: str, fields: list[str]) -> bool:
    if kind == "GGA":
        return len(fields) > 5 and fields[5] not in ("", "0")
    place = 1 if kind == "RMC" else 5
    return len(fields) > place and fields[place] == "A"


def _time_of_day(text: str) -> float | None:
    if len(text) < 6 or not text[:6].isdecimal() or number_in_field(text) is None:
        return None
    return int(text[:2]) * 3600 + int(text[2:4]) * 60 + float(text[4:])


def _date(kind: str, fields: list[str]) -> float | None:
    """Its beginning, seconds since 1970."""
    try:
        if kind == "RMC":
            day, month, year = (int(fields[8][k : k + 2]) for k in (0, 2, 4))
            year += 1900 if year >= CENTURY else 2000
        elif kind == "ZDA":
            day, month, year = (int(text) for text in fields[1:4])
        else:
            return None
        return datetime.combine(date(year, month, day), datetime.min.time(), UTC).timestamp()
    except (ValueError, IndexError):
        return None


def _angle(fields: list[str], sides: str, *, degrees: int) -> float | None:
    """Of degrees and minutes in one number, and the side of the globe."""
    text, side = fields if len(fields) == 2 else ("", "")
    if not text[:degrees].isdecimal() or side not in sides or not side:
        return None
    minutes = number_in_field(text[degrees:])
    if minutes is None or not 0 <= minutes < 60:
        return None
    return (int(text[:degrees]) + minutes / 60) * (1 if side == sides[0] else -1)
