"""What any log holds, in metres, without what cannot be."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from akrig.frame import LocalFrame
from akrig.journal.legs import UnreadableLog, read_table
from akrig.survey.logs.kind import kind_of
from akrig.survey.logs.pings import Pings, frame_about, read_pings
from akrig.survey.logs.thinning import is_spike
from akrig.types import Points, Values
from akrig.words import plural

LARGEST = 20_000.0  # metres across; more is a mistake, and a plane no longer fits the Earth
FEWEST = 3  # places that make a map


@dataclass(frozen=True, eq=False)
class PlacedSoundings:
    """Args:
    X: metres of the frame, or as the table had them.
    frame: ties them to the Earth, if the log was.
    notes: what a person should know; of those that belong together the last sentence is not ended yet.
    is_table: of x, y, value in metres, that may be anything.
    """

    X: Points
    y: Values
    time: Values | None
    frame: LocalFrame | None
    notes: tuple[str, ...]
    is_table: bool = False


def read_placed(path: Path, *, only_used: bool = False, largest: float = LARGEST) -> PlacedSoundings:
    """Of a recording, a table of soundings or of readings, or the raw log of a sonar; not of a run folder.

    Args:
        only_used: of a survey's recording, what its own model was given.
        largest: metres across that it may span.
    """
    kind = kind_of(path)
    if kind == "table":
        return _of_table(path)
    if kind == "recording":
        return _of_recording(path, only_used, largest)
    if kind == "soundings":
        return _placed(path, read_pings(path), frame=None, is_checked=False, largest=largest)
    raise ValueError(f"read_placed reads files; {path} is a folder, see read_legs.")


def placed_pings(path: Path, pings: Pings, *, largest: float = LARGEST) -> PlacedSoundings:
    """Without depths that cannot be, and spikes; about their middle."""
    return _placed(path, pings, frame=None, is_checked=False, largest=largest)


def _of_table(path: Path) -> PlacedSoundings:
    readings = read_table(path)
    X = np.array([reading.position for reading in readings]).reshape(-1, 2)
    y, time = (np.array([getattr(reading, name) for reading in readings]) for name in ("value", "time"))
    return PlacedSoundings(X, y, time, None, (f"{path.name}: {plural(len(y), 'reading')}",), is_table=True)


def _of_recording(path: Path, only_used: bool, largest: float) -> PlacedSoundings:
    try:
        from akrig.survey.logs.mcap_file import read_recording
    except ImportError:
        raise UnreadableLog(f"{path} is an MCAP recording; to read it, install akrig with the extra 'field'.") from None
    found = read_recording(path)
    told = () if found.is_whole else (f"{path.name} was cut off or damaged; what lies before is read.",)
    rejected = (found.num_rejected, "rejected by the survey")
    pings = Pings(found.lonlat, found.depth, found.time, len(found.depth) + found.num_rejected, (rejected,))
    if only_used and found.used.any():  # what the survey's own model was given, no more and no less
        pings = pings.only(found.used, "not given to the survey's model")
    placed = _placed(path, pings, frame=found.frame, is_checked=True, largest=largest)
    return PlacedSoundings(placed.X, placed.y, placed.time, placed.frame, (*told, *placed.notes))


def _placed(path: Path, pings: Pings, *, frame: LocalFrame | None, is_checked: bool, largest: float) -> PlacedSoundings:
    """In metres, without what cannot be; the frame is about their middle unless given.

    Args:
        is_checked: nobody needs to look for spikes any more.
    """
    pings = pings.only(np.isfinite(pings.depth) & (pings.depth > 0), "without a depth")
    if not len(pings.depth):
        raise UnreadableLog(f"{path} holds no sounding with a position and a depth; was there a fix, and water?")
    X = _metres(path, pings.lonlat, frame or frame_about(pings.lonlat), largest)
    if not is_checked:
        pings = pings.only(~is_spike(X, pings.depth, pings.time), "spikes")
    frame = frame or frame_about(pings.lonlat)  # a spike may have lain far away
    X = _metres(path, pings.lonlat, frame, largest)
    check_places(path, X)
    words = [f"{count} {why}" for count, why in pings.left_out if count]
    note = f"{path.name}: {plural(pings.total, 'sounding')}" + (f", left out: {', '.join(words)}" if words else "")
    return PlacedSoundings(X, pings.depth, pings.time, frame, (note,))


def check_places(path: Path, X: Points) -> None:
    """`UnreadableLog` if they are too few to make a map."""
    if len(np.unique(np.round(X, 1), axis=0)) < FEWEST:
        raise UnreadableLog(
            f"{path} has soundings at fewer than {FEWEST} places; a map needs more. Was the boat under way, and did "
            "its receiver have a fix?"
        )


def _metres(path: Path, lonlat: Points, frame: LocalFrame, largest: float) -> Points:
    X = frame.to_metres(lonlat)
    far = ~(np.abs(X) <= largest / 2).all(axis=1)
    if far.any():
        longitude, latitude = lonlat[int(np.argmax(far))]
        raise UnreadableLog(
            f"{path} spans more than {largest / 1000:g} km, for instance to latitude {latitude:.5f}, longitude "
            f"{longitude:.5f}; remove stray positions, or replay one water at a time."
        )
    return X
