"""Stretches of the way on which soundings were taken; where nobody wrote down when, the way is found in the places."""

import numpy as np
from jaxtyping import Float, Int

from akrig.kernels.ops.compilation import compiled_loop
from akrig.types import Points, Values

FEWEST = 3  # soundings that have a way
NEIGHBOURS = 24  # soundings that may come next
REACH = 6.0  # usual steps: nobody comes next who is farther
JUMP = 20.0  # usual steps: what is farther is not the same way
Legs = Int[np.ndarray, " n"]


def legs_of(X: Points, y: Values, time: Values | None, *, length: float) -> Legs:
    """The number of each sounding's leg: stretches of about `length` metres, one after the other along each way."""
    return ways_of(X, y, time, length=length)[1]


def ways_of(X: Points, y: Values, time: Values | None, *, length: float) -> tuple[Int[np.ndarray, " n"], Legs]:
    """The order in which the soundings may have been taken, and the number of each one's leg."""
    if len(y) < FEWEST:
        return np.arange(len(y)), np.zeros(len(y), dtype=np.intp)
    distance, neighbour = _nearest(X)
    step = _usual(distance[:, 1])
    if time is not None:
        order = np.argsort(time, kind="stable")
        steps = np.linalg.norm(np.diff(X[order], axis=0), axis=1)
        breaks = np.concatenate([[True], steps > JUMP * max(_usual(steps), step)])
    else:
        steepness = np.abs(y[neighbour[:, 1]] - y) / np.maximum(distance[:, 1], step)
        order, breaks = _chained(X, y / max(_usual(steepness), 1e-9), neighbour, distance, REACH * step)
    numbers = np.empty(len(y), dtype=np.intp)
    numbers[order] = _cut(X[order], breaks, length)
    return order, numbers


def _nearest(X: Points) -> tuple[Float[np.ndarray, "n k"], Int[np.ndarray, "n k"]]:
    from scipy.spatial import KDTree

    distance, neighbour = KDTree(X).query(X, k=min(NEIGHBOURS + 1, len(X)))
    return np.asarray(distance), np.asarray(neighbour, dtype=np.intp)


def _usual(values: np.ndarray) -> float:
    """The median of those that are not zero, as between soundings at one place."""
    some = values[values > 0]
    return float(np.median(some)) if len(some) else 1.0


def _cut(X: Points, breaks: np.ndarray, length: float) -> Legs:
    steps = np.concatenate([[0.0], np.linalg.norm(np.diff(X, axis=0), axis=1)])
    steps[breaks] = 0.0
    way = np.cumsum(steps)
    begin = np.maximum.accumulate(np.where(breaks, np.arange(len(X)), 0))
    piece = ((way - way[begin]) / length).astype(np.intp)
    starts = breaks | np.concatenate([[True], np.diff(piece) != 0])
    return np.cumsum(starts) - 1


@compiled_loop()
def _chained(X, height, neighbour, distance, reach):
    """Each chain in both directions from its first sounding: on to whoever is near, straight on, and equally deep."""
    num, most = neighbour.shape
    order, breaks = np.empty(num, dtype=np.intp), np.zeros(num, dtype=np.bool_)
    chain, back = np.empty(num, dtype=np.intp), np.empty(num, dtype=np.intp)
    taken = np.zeros(num, dtype=np.bool_)
    done = 0
    for first in range(num):
        if taken[first]:
            continue
        taken[first] = True
        east, north = 0.0, 0.0
        forth = 0
        behind = 0
        for turn in range(2):
            here = first
            if turn == 1:
                east, north = 0.0, 0.0
                if forth:
                    east, north = X[first, 0] - X[chain[0], 0], X[first, 1] - X[chain[0], 1]
                    size = np.sqrt(east * east + north * north)
                    if size > 0:
                        east, north = east / size, north / size
            while True:
                best, lowest = -1, np.inf
                for place in range(1, most):
                    other = neighbour[here, place]
                    if distance[here, place] > reach:
                        break
                    if taken[other]:
                        continue
                    dx, dy = X[other, 0] - X[here, 0], X[other, 1] - X[here, 1]
                    size = np.sqrt(dx * dx + dy * dy)
                    along = 1.0 if size == 0.0 else (dx * east + dy * north) / size
                    rise = height[other] - height[here]
                    cost = np.sqrt(size * size + rise * rise) * (2.0 - along)
                    if cost < lowest:
                        best, lowest = other, cost
                if best < 0:
                    break
                dx, dy = X[best, 0] - X[here, 0], X[best, 1] - X[here, 1]
                size = np.sqrt(dx * dx + dy * dy)
                if size > 0:  # the way so far counts as well: positions are rounded
                    east, north = 0.5 * east + 0.5 * dx / size, 0.5 * north + 0.5 * dy / size
                taken[best] = True
                here = best
                if turn == 0:
                    chain[forth] = best
                    forth += 1
                else:
                    back[behind] = best
                    behind += 1
        breaks[done] = True
        for place in range(behind):
            order[done + place] = back[behind - 1 - place]
        order[done + behind] = first
        for place in range(forth):
            order[done + behind + 1 + place] = chain[place]
        done += behind + 1 + forth
    return order, breaks
