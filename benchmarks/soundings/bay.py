"""The bay's soundings, without stray ones and spikes, and the legs that are held back."""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from akrig.survey.logs.pings import frame_about, read_pings
from akrig.survey.logs.thinning import is_spike
from akrig.survey.logs.tracks import legs_of
from akrig.types import Points, Samples

LEG = 100.0  # metres
EVERY = 10  # of so many legs one is held back ...
REPORTED, CHOSEN_BY = 5, 0  # ... this one for the table, and this one for what is chosen beforehand
CENTRE, RADIUS = (139.6087, 35.1630), 1600.0  # a handful of fixes lies kilometres away


@dataclass(frozen=True, eq=False)
class Water:
    """What contenders learn from, and what they are asked."""

    known: Samples
    held: Samples
    legs: int


@cache
def bay(turn: int = REPORTED) -> Water:
    """Legs of the turn are held back; those of the reported turn are never learnt from when something is chosen."""
    X, y, legs = soundings()
    if turn != REPORTED:
        rest = legs % EVERY != REPORTED
        X, y, legs = X[rest], y[rest], legs[rest]
    held = legs % EVERY == turn
    return Water(Samples(X[~held], y[~held]), Samples(X[held], y[held]), len(np.unique(legs[held])))


@cache
def soundings() -> tuple[Points, np.ndarray, np.ndarray]:
    """Places in metres, depths, and the number of each one's leg."""
    pings = read_pings(file())
    frame = frame_about(np.array([CENTRE]))
    X, y = frame.to_metres(pings.lonlat), pings.depth
    kept = np.linalg.norm(X, axis=1) < RADIUS
    kept[kept] = ~is_spike(X[kept], y[kept], None)
    X, y = X[kept], y[kept]
    return X, y, legs_of(X, y, None, length=LEG)


def file() -> Path:
    if "AKRIG_DATA" not in os.environ:
        raise SystemExit("Set AKRIG_DATA to the folder that holds soundings/aburatsubo.csv.")
    return Path(os.environ["AKRIG_DATA"]) / "soundings" / "aburatsubo.csv"
