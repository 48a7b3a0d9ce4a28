"""From dense pings to readings a model can hold: spikes dropped, then one median per cell."""

import numpy as np
from jaxtyping import Bool, Float, Int

from akrig.fields.soundings import group_medians
from akrig.types import Points, Values

NEIGHBOURS = 11  # pings that a ping is compared with, itself included
SPIKE, SPIKE_SHARE, SPIKE_SPREAD = 1.0, 0.2, 5.0  # metres, of the depth, of the neighbours' own spread
TO_STD = 1.4826  # of the median absolute deviation of a Gaussian
REMOTE, HANDFUL = 0.25, 0.001  # of where nearly all are, across; of all
FEWEST_AROUND = 200  # that "nearly all" can be said of
FASTEST = 20.0  # metres a second: no sonar is carried faster
STEPS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)  # spacings people would choose, times a power of ten

Chosen = Bool[np.ndarray, " n"]


def is_spike(X: Points, depth: Values, time: Values | None) -> Chosen:
    """Which depths differ grossly from their neighbours': in time if that is known, else in space.

    Steep ground is no spike: the neighbours' own spread is allowed for.
    """
    if len(depth) < NEIGHBOURS:
        return np.zeros(len(depth), dtype=bool)
    neighbours = depth[_neighbours_in_space(X) if time is None else _neighbours_in_time(time)]
    median = np.median(neighbours, axis=1)
    spread = TO_STD * np.median(np.abs(neighbours - median[:, None]), axis=1)
    allowed = np.maximum.reduce([np.full(len(depth), SPIKE), SPIKE_SHARE * median, SPIKE_SPREAD * spread])
    return np.abs(depth - median) > allowed


def is_outlier(X: Points, y: Values) -> Chosen:
    """Of readings that may be anything: farther off those around than half of all places are from each other."""
    places, place = np.unique(X, axis=0, return_inverse=True)
    if len(places) < NEIGHBOURS:
        return np.zeros(len(y), dtype=bool)
    middle = group_medians(place.reshape(-1), y)[1]  # of readings taken at one place, which are no crowd
    neighbours = middle[_neighbours_in_space(places)][place.reshape(-1)]
    median = np.median(neighbours, axis=1)
    spread = TO_STD * np.median(np.abs(neighbours - median[:, None]), axis=1)
    low, high = np.percentile(middle, [25, 75])
    return np.abs(y - median) > np.maximum(SPIKE_SPREAD * spread, high - low)


def is_remote(X: Points) -> Chosen:
    """Which lie far from all but a handful: positions that cannot be, where no times tell."""
    if len(X) < FEWEST_AROUND:
        return np.zeros(len(X), dtype=bool)
    from scipy.spatial import KDTree

    low, high = np.percentile(X, [1, 99], axis=0)
    far = REMOTE * float(np.linalg.norm(high - low))
    rows = np.flatnonzero(((low - far > X) | (high + far < X)).any(axis=1))
    company = max(NEIGHBOURS, round(HANDFUL * len(X)))
    remote = np.zeros(len(X), dtype=bool)
    if len(rows):
        remote[rows] = np.asarray(KDTree(X).query(X[rows], k=company)[0])[:, -1] > far
    return remote


def _neighbours_in_time(time: Values) -> Int[np.ndarray, "n k"]:
    order = np.argsort(time, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    begin = np.clip(place - NEIGHBOURS // 2, 0, len(order) - NEIGHBOURS)
    return order[begin[:, None] + np.arange(NEIGHBOURS)]


def _neighbours_in_space(X: Points) -> Int[np.ndarray, "n k"]:
    from scipy.spatial import KDTree  # only here: reading most logs needs no scipy

    return np.asarray(KDTree(X).query(X, k=NEIGHBOURS)[1], dtype=np.intp)


def is_astray(X: Points, time: Values) -> Chosen:
    """Which positions can only be reached and left faster than any sonar is carried."""
    if len(X) < 3:
        return np.zeros(len(X), dtype=bool)
    metres = np.linalg.norm(np.diff(X, axis=0), axis=1)
    too_fast = metres > FASTEST * np.maximum(np.diff(time), 1.0)  # receivers report by the second
    # Of the first and the last only one side is known: the other end of that leg must be at peace with its own.
    return np.concatenate([[not too_fast[1]], too_fast]) & np.concatenate([too_fast, [not too_fast[-2]]])


def cell_indices(X: Points, spacing: float) -> Int[np.ndarray, " n"]:
    """The number of the square cell, `spacing` metres wide, that each point lies in."""
    steps = np.floor(X / spacing).astype(np.int64)
    steps -= steps.min(axis=0)
    one_number = np.ravel_multi_index(tuple(steps.T), tuple(steps.max(axis=0) + 1))  # sorts faster than rows
    return np.unique(one_number, return_inverse=True)[1].reshape(-1)


def spacing_for(X: Points, most: int) -> float | None:
    """The smallest handy spacing that leaves no more than `most` cells; `None` if the points are that few already."""
    if len(X) <= most:
        return None
    power = -2
    while True:
        for step in STEPS:
            spacing = step * 10.0**power
            if int(cell_indices(X, spacing).max()) < most:
                return spacing
        power += 1


def cell_medians(
    X: Points, depth: Values, *, time: Values | None, spacing: float
) -> tuple[Float[np.ndarray, "m d"], Float[np.ndarray, " m"], Float[np.ndarray, " m"] | None]:
    """One reading per cell: mean place, median depth and earliest time.

    In the order of time; without times, in the order in which the cells first appear.
    """
    cell = cell_indices(X, spacing)
    counts = np.bincount(cell)
    _, middle = group_medians(cell, depth)
    place = np.stack([np.bincount(cell, X[:, k]) / counts for k in range(X.shape[1])], axis=1)
    first = np.full(len(counts), np.inf)
    np.minimum.at(first, cell, np.arange(len(cell), dtype=np.float64) if time is None else time)
    turn = np.argsort(first, kind="stable")
    return place[turn], middle[turn], None if time is None else first[turn]
