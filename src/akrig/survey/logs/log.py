"""Old surveys as readings to replay: soundings in degrees become metres about their middle, cleaned and thinned."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from akrig.frame import LocalFrame
from akrig.journal.legs import UnreadableLog, read_table
from akrig.survey.logs.kind import kind_of
from akrig.survey.logs.pings import Pings, frame_about, read_pings
from akrig.survey.logs.thinning import cell_medians, is_spike, spacing_for
from akrig.types import Measurement, Points, Values
from akrig.words import are, plural

MOST_READINGS = 1500  # that a model learns from in minutes
MOST_CELLS = 1e6  # along a side
LARGEST = 20_000.0  # metres across; more is a mistake, and a plane no longer fits the Earth
FEWEST = 3  # readings that make a map
ORDER_SEED = 0  # of readings without times


@dataclass(frozen=True, eq=False)
class SurveyLog:
    """Readings to replay.

    Args:
        readings: in metres of the frame, or as the table had them; times count from the first.
        frame: ties them to the Earth, if the log was.
        spacing: of the cells whose medians they are; `None` if every sounding is a reading.
        notes: what a person should know, one sentence each.
    """

    readings: list[Measurement]
    frame: LocalFrame | None
    spacing: float | None
    notes: tuple[str, ...]


def read_log(path: Path, *, spacing: float | None = None) -> SurveyLog:
    """Of a recording, a table of soundings or of readings, or the raw log of a sonar; not of a run folder.

    Args:
        spacing: metres; one reading, the median, is taken of each square cell so wide. `None` takes a table or the
            survey's own readings as they are, and of a dense log as many readings as a model can hold.
    """
    if spacing is not None and not spacing > 0:
        raise ValueError(f"spacing must be positive; got {spacing}.")
    kind = kind_of(path)
    if kind == "table":
        return _from_table(path, spacing)
    if kind == "recording":
        return _from_recording(path, spacing)
    if kind == "soundings":
        return _placed(path, read_pings(path), spacing=spacing, frame=None, is_checked=False)
    raise ValueError(f"read_log reads files; {path} is a folder, see read_legs.")


def _from_table(path: Path, spacing: float | None) -> SurveyLog:
    readings = read_table(path)
    if spacing is None or not readings:
        return SurveyLog(readings, None, None, ())
    X, y = (np.array([getattr(reading, name) for reading in readings]) for name in ("position", "value"))
    if not (np.ptp(X, axis=0) <= MOST_CELLS * spacing).all():
        raise UnreadableLog(
            f"{path} spans more than {MOST_CELLS:.0e} cells of {spacing:g} m; remove stray positions, or give a wider "
            "spacing."
        )
    time = np.array([reading.time for reading in readings])
    notes = [f"{path.name}: {plural(len(y), 'reading')}"]
    return _thin(notes, X, y, time=time, spacing=spacing, frame=None)


def _from_recording(path: Path, spacing: float | None) -> SurveyLog:
    try:
        from akrig.survey.logs.mcap_file import read_recording
    except ImportError:
        raise UnreadableLog(f"{path} is an MCAP recording; to read it, install akrig with the extra 'field'.") from None
    found = read_recording(path)
    told = () if found.is_whole else (f"{path.name} was cut off or damaged; what lies before is read.",)
    rejected = (found.num_rejected, "rejected by the survey")
    pings = Pings(found.lonlat, found.depth, found.time, len(found.depth) + found.num_rejected, (rejected,))
    if spacing is None and found.used.any():  # what the survey's own model was given, no more and no less
        pings = pings.only(found.used, "not given to the survey's model")
    log = _placed(path, pings, spacing=spacing, frame=found.frame, is_checked=True)
    return SurveyLog(log.readings, log.frame, log.spacing, (*told, *log.notes))


def _placed(
    path: Path, pings: Pings, *, spacing: float | None, frame: LocalFrame | None, is_checked: bool
) -> SurveyLog:
    """In metres, without what cannot be; the frame is about their middle unless given.

    Args:
        is_checked: nobody needs to look for spikes any more.
    """
    pings = pings.only(np.isfinite(pings.depth) & (pings.depth > 0), "without a depth")
    if not len(pings.depth):
        raise UnreadableLog(f"{path} holds no sounding with a position and a depth; was there a fix, and water?")
    X = _metres(path, pings.lonlat, frame or frame_about(pings.lonlat))
    if not is_checked:
        pings = pings.only(~is_spike(X, pings.depth, pings.time), "spikes")
    frame = frame or frame_about(pings.lonlat)  # a spike may have lain far away
    X = _metres(path, pings.lonlat, frame)
    if len(np.unique(np.round(X, 1), axis=0)) < FEWEST:
        raise UnreadableLog(
            f"{path} has soundings at fewer than {FEWEST} places; a map needs more. Was the boat under way, and did "
            "its receiver have a fix?"
        )
    words = [f"{count} {why}" for count, why in pings.left_out if count]
    notes = [f"{path.name}: {plural(pings.total, 'sounding')}" + (f", left out: {', '.join(words)}" if words else "")]
    return _thin(notes, X, pings.depth, time=pings.time, spacing=spacing, frame=frame)


def _thin(
    notes: list[str], X: Points, y: Values, *, time: Values | None, spacing: float | None, frame: LocalFrame | None
) -> SurveyLog:
    spacing = spacing or spacing_for(X, MOST_READINGS)
    total = len(y)
    if spacing is None:
        notes.append(f"all {total} are replayed")
    else:
        X, y, time = cell_medians(X, y, time=time, spacing=spacing)
        kept = f"{plural(len(y), 'reading')} {are(len(y))} replayed"
        notes.append(f"{kept}, medians of {total} in cells of {spacing:g} m")
    if time is None:
        notes.append("without times they come in random order, and distances mean nothing")
    # A file without times is often sorted by place: the first readings, which set the model's scales, would be odd.
    shuffled = np.random.default_rng(ORDER_SEED).permutation(len(y))
    order = shuffled if time is None else np.argsort(time, kind="stable")
    when = np.arange(len(y), dtype=np.float64) if time is None else time[order] - time.min()
    rows = zip(when.tolist(), X[order].tolist(), y[order].tolist(), strict=True)
    readings = [Measurement(at, tuple(place), value) for at, place, value in rows]
    return SurveyLog(readings, frame, spacing, ("; ".join(notes) + ".",))


def _metres(path: Path, lonlat: Points, frame: LocalFrame) -> Points:
    X = frame.to_metres(lonlat)
    far = ~(np.abs(X) <= LARGEST / 2).all(axis=1)
    if far.any():
        longitude, latitude = lonlat[int(np.argmax(far))]
        raise UnreadableLog(
            f"{path} spans more than {LARGEST / 1000:g} km, for instance to latitude {latitude:.5f}, longitude "
            f"{longitude:.5f}; remove stray positions, or replay one water at a time."
        )
    return X
