"""Recordings of Lowrance's fish finders (.sl2, .sl3): frames of 144 or 168 bytes and a picture each.

The maker has not published the format; others have worked it out (`docs/field.md` names them).
"""

from pathlib import Path

import numpy as np

from akrig.fields.soundings import Soundings
from akrig.files import check_file
from akrig.journal.legs import UnreadableLog
from akrig.survey.logs.fixes import places_at
from akrig.survey.logs.pings import HeardSoundings

HEADER = 8  # bytes
FOOT = 0.3048
RADIUS = 6356752.3142  # metres, of the sphere that its Mercator map is of
HAS_POSITION = 0x10
SCANNED = 1_000_000  # bytes at once, to find the next frame after a damaged one


def _frame(length: int, **fields: tuple[str, int]) -> np.dtype:
    names = list(fields)
    formats, offsets = zip(*fields.values(), strict=True)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": length})


SL2 = _frame(
    144, at=("<u4", 0), size=("<u2", 28), channel=("<u2", 32), begun=("<u4", 60), feet=("<f4", 64), x=("<i4", 108),
    y=("<i4", 112), flags=("<u2", 132), milliseconds=("<u4", 140),
)  # fmt: skip
SL3 = _frame(
    168, at=("<u4", 0), size=("<u2", 8), channel=("<u2", 12), begun=("<u4", 40), feet=("<f4", 48), x=("<i4", 92),
    y=("<i4", 96), flags=("<u2", 116), milliseconds=("<u4", 124),
)  # fmt: skip
FRAMES = {2: SL2, 3: SL3}


def read(path: Path) -> HeardSoundings:
    """Of one channel: they all tell the same depth."""
    check_file(path)
    content = np.memmap(path, dtype=np.uint8, mode="r")
    frames = _frames(content, FRAMES[int(content[0])])
    has_depth = np.isfinite(frames["feet"]) & (frames["feet"] > 0)
    if not has_depth.any():
        raise UnreadableLog(f"{path} is a Lowrance recording of {len(frames)} frames, none of which has a depth.")
    channel = frames["channel"] == frames["channel"][has_depth].min()
    num_empty = int((channel & ~has_depth).sum())
    frames = frames[channel & has_depth]
    time = frames["begun"][0] + frames["milliseconds"] / 1000
    return Soundings(_places(frames, time), frames["feet"].astype(np.float64) * FOOT, time), (
        (num_empty, "without a depth"),
    )


def _frames(content: np.ndarray, layout: np.dtype) -> np.ndarray:
    """The heads of all frames. Each says where it begins and how long it is; what is damaged is passed over."""
    at, found, last = HEADER, [], HEADER
    while at >= 0:
        head = content[at : at + layout.itemsize]
        head = head.view(layout)[0] if len(head) == layout.itemsize else None
        if head is not None and head["at"] == at and head["size"] >= layout.itemsize:
            found.append(head)
            at, last = at + int(head["size"]), at
        else:  # the length of the last one may be what is damaged
            at = last = _next_frame(content, last + 1)
    return np.array(found, dtype=layout) if found else np.empty(0, dtype=layout)


def _next_frame(content: np.ndarray, begin: int) -> int:
    """Where the next four bytes say where they are; -1 if there are none."""
    while begin < len(content) - 4:
        part = content[begin : begin + SCANNED + 3].astype(np.uint32)
        says = part[:-3] | part[1:-2] << 8 | part[2:-1] << 16 | part[3:] << 24
        here = np.flatnonzero(says == np.arange(begin, begin + len(says), dtype=np.uint32))
        if len(here):
            return begin + int(here[0])
        begin += SCANNED
    return -1


def _places(frames: np.ndarray, time: np.ndarray) -> np.ndarray:
    """A place stays in the frames until the receiver tells another: between these moments it is interpolated."""
    x, y = (frames[name].astype(np.float64) for name in ("x", "y"))
    known = (x != 0) | (y != 0)
    flagged = (frames["flags"] & HAS_POSITION) > 0
    known &= flagged if flagged.any() else True
    moved = np.concatenate([[True], (np.diff(x) != 0) | (np.diff(y) != 0)])
    told = np.flatnonzero(known & moved)
    latitude = 2 * np.arctan(np.exp(np.clip(y / RADIUS, -20, 20))) - np.pi / 2
    lonlat = np.degrees(np.column_stack([x / RADIUS, latitude]))
    known &= (np.abs(lonlat[:, 0]) <= 180) & (np.abs(lonlat[:, 1]) < 90)
    told = told[known[told]]
    between = places_at(time, time[told], lonlat[told])
    # At rest nothing new is told, and the last one is right.
    return np.where(np.isfinite(between), between, np.where(known[:, None], lonlat, np.nan))
