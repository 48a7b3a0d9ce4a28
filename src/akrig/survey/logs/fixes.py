"""Where a sonar was at a time, by the fixes of a receiver beside it."""

import numpy as np
from jaxtyping import Float

from akrig.fields.soundings import Soundings, placed
from akrig.types import Values

MAX_GAP = 10.0  # seconds between two fixes that a place may be interpolated between


def places_at(
    time: Values, fix_time: Float[np.ndarray, " m"], fix_lonlat: Float[np.ndarray, "m 2"], *, max_gap: float = MAX_GAP
) -> Float[np.ndarray, "n 2"]:
    """Longitude and latitude on the straight way between the fixes before and after each time.

    NaN before the first fix, after the last, and where these are more than `max_gap` seconds apart.
    """
    if not len(fix_time):
        return np.full((len(time), 2), np.nan)
    both = np.concatenate([fix_time, time])
    lonlat = np.vstack([fix_lonlat, np.full((len(time), 2), np.nan)])
    number = np.arange(len(both), dtype=np.float64)  # goes with each as its depth: `placed` sorts, and leaves some out
    found, _ = placed(Soundings(lonlat, number, both), max_gap=max_gap)
    places = np.full((len(both), 2), np.nan)
    places[found.depth.astype(np.intp)] = found.lonlat
    return places[len(fix_time) :]
