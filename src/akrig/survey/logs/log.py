"""Old surveys as readings to replay: soundings in degrees become metres about their middle, cleaned and thinned."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from akrig.frame import LocalFrame
from akrig.journal.legs import UnreadableLog, read_table
from akrig.survey.logs.placing import read_placed
from akrig.survey.logs.thinning import cell_medians, spacing_for
from akrig.types import Measurement, Points, Values
from akrig.words import are, plural

MOST_READINGS = 1500  # that a model learns from in minutes
MOST_CELLS = 1e6  # along a side
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
    placed = read_placed(path, only_used=spacing is None)
    if placed.is_table:
        if spacing is None or not len(placed.y):
            return SurveyLog(read_table(path), None, None, ())
        if not (np.ptp(placed.X, axis=0) <= MOST_CELLS * spacing).all():
            raise UnreadableLog(
                f"{path} spans more than {MOST_CELLS:.0e} cells of {spacing:g} m; remove stray positions, or give a "
                "wider spacing."
            )
    *told, note = placed.notes
    log = _thin([note], placed.X, placed.y, time=placed.time, spacing=spacing, frame=placed.frame)
    return SurveyLog(log.readings, log.frame, log.spacing, (*told, *log.notes))


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
