"""The shortest way between two places of an area: by the corners it can bend at.

By hand, because shapely has no ways, and graph libraries want every line of sight before the first question.
"""

import math
from functools import cached_property
from heapq import heappop, heappush

import numpy as np
import shapely
from jaxtyping import Bool, Float
from shapely.geometry.polygon import orient

from akrig.geometry import way_length
from akrig.survey.area.water import ROUNDING, Water, finite
from akrig.types import Points, Values

Spot = Float[np.ndarray, " 2"]
STRAIGHT = 1e-9  # a turn (sine) so small bends nothing


class RoadMap:
    """A visibility graph: the shortest way among obstacles is a chain of straight lines that bend at their corners.

    Every line is checked against the true borders, so the way keeps the margin exactly. Its corners lie on arcs about
    the corners of the borders, drawn 8 % too wide: with few sides, each a waypoint, they stay clear of the margin.
    """

    def __init__(self, water: Water, margin: float) -> None:
        self._water, self.margin = water, margin
        self.free = water.shrunk(margin)
        self.corners = _bends(self.free)
        self._seen: dict[int, np.ndarray] = {}

    def route(self, begin: Spot, end: Spot, *, end_is_free: bool = False) -> Points | None:
        """Waypoints after `begin`; `end_is_free` says that the end need not keep the margin."""
        out, back = self.way_out(begin), self.way_out(end)
        if out is None or back is None or (len(back) > 1 and not end_is_free):
            return None
        way = self._way(out[-1], back[-1])
        return None if way is None else np.array([*out[1:], *way, *back[-2::-1]])

    def lengths(self, X: Points, end: Spot, *, end_is_free: bool = False) -> Values:
        """Metres to `end` from each place."""
        back = self.way_out(end)
        if back is None or (len(back) > 1 and not end_is_free):
            return np.full(len(X), np.inf)
        onward = self._onward(back[-1])
        return np.array([self._length(x, back[-1], onward) + way_length(back) for x in X], dtype=np.float64)

    def reachable(self, X: Points, begin: Spot) -> Bool[np.ndarray, " n"]:
        """Which places lie in the part of the area that can be entered from `begin`."""
        out = self.way_out(begin)
        if out is None:
            return np.zeros(len(X), dtype=bool)
        part = self.part(out[-1])
        known = finite(X)
        known[known] = shapely.covers(part, shapely.points(X[known]))
        return known

    def part(self, place: Spot) -> shapely.Polygon:
        """The connected part of the area, less the margin, that is nearest to a place."""
        parts = self._parts
        return parts[int(np.argmin(shapely.distance(np.array(parts), shapely.points(place))))]

    def way_out(self, place: Spot) -> Points | None:
        """From a place, first of all, to the nearest that keeps the margin, through water only; None if not in water.

        Mostly the place itself, or one straight leg; more out of a narrow channel.
        """
        if self.free.is_empty or not self._water.allows(place[None], 0.0)[0]:
            return None
        if self._water.allows(place[None], self.margin)[0]:
            return place[None]
        spots = np.vstack([_nearest(part, place) for part in self._parts] + [self.corners])
        spots = spots[np.argsort(np.hypot(*(spots - place).T), kind="stable")]
        straight = self._water.allows_legs(np.broadcast_to(place, spots.shape), spots, 0.0)
        if straight.any():
            return np.array([place, spots[int(np.argmax(straight))]])
        lengths = self._anywhere.lengths(spots, place)
        way = self._anywhere.route(place, spots[int(np.argmin(lengths))])
        return None if way is None else np.vstack([place, way])

    @cached_property
    def _anywhere(self) -> "RoadMap":
        """Ways that keep no margin."""
        return RoadMap(self._water, 0.0)

    @cached_property
    def _parts(self) -> list[shapely.Polygon]:
        parts = list(self.free.geoms)
        for part in parts:
            shapely.prepare(part)
        return parts

    def sees(self, place: Spot, spots: Points) -> np.ndarray:
        """Which spots are reached on a straight line that keeps the margin."""
        return self._water.allows_legs(np.broadcast_to(place, spots.shape), spots, self.margin)

    def _neighbours(self, corner: int) -> np.ndarray:
        """Numbers of the corners that a corner sees; looked at once."""
        if corner not in self._seen:
            seen = self.sees(self.corners[corner], self.corners)
            seen[corner] = False
            self._seen[corner] = np.flatnonzero(seen)
        return self._seen[corner]

    def _way(self, begin: Spot, end: Spot) -> list[Spot] | None:
        """From one place that keeps the margin to another, by A*: what is left is never shorter than straight."""
        if self.sees(begin, end[None])[0]:
            return [end]
        sees_end = self.sees(end, self.corners)
        left = np.hypot(*(self.corners - end).T)
        best, before, done = np.full(len(left), np.inf), np.full(len(left), -1), np.zeros(len(left), dtype=bool)
        queue: list[tuple[float, int]] = []
        for corner in np.flatnonzero(self.sees(begin, self.corners)).tolist():
            best[corner] = math.dist(begin, self.corners[corner])
            heappush(queue, (best[corner] + left[corner], corner))
        arrival, last = np.inf, -1
        while queue and queue[0][0] < arrival:
            corner = heappop(queue)[1]
            if done[corner]:
                continue
            done[corner] = True
            if sees_end[corner] and best[corner] + left[corner] < arrival:
                arrival, last = best[corner] + left[corner], corner
            for other in self._better(corner, best):
                best[other] = best[corner] + math.dist(self.corners[corner], self.corners[other])
                before[other] = corner
                heappush(queue, (best[other] + left[other], other))
        return None if last < 0 else [*self._back(last, before), end]

    def _better(self, corner: int, best: np.ndarray) -> list[int]:
        """Neighbours that are reached sooner by way of this corner."""
        others = self._neighbours(corner)
        reached = best[corner] + np.hypot(*(self.corners[others] - self.corners[corner]).T)
        return others[reached < best[others] - ROUNDING].tolist()

    def _back(self, corner: int, before: np.ndarray) -> list[Spot]:
        way = []
        while corner >= 0:
            way.append(self.corners[corner])
            corner = int(before[corner])
        return way[::-1]

    def _onward(self, end: Spot) -> Values:
        """Metres from every corner to a place that keeps the margin."""
        best = np.where(self.sees(end, self.corners), np.hypot(*(self.corners - end).T), np.inf)
        queue = [(metres, corner) for corner, metres in enumerate(best.tolist()) if metres < np.inf]
        queue.sort()  # a sorted list is a heap
        while queue:
            metres, corner = heappop(queue)
            if metres > best[corner]:
                continue
            for other in self._better(corner, best):
                best[other] = best[corner] + math.dist(self.corners[corner], self.corners[other])
                heappush(queue, (float(best[other]), other))
        return best

    def _length(self, begin: Spot, end: Spot, onward: Values) -> float:
        out = self.way_out(begin)
        if out is None:
            return math.inf
        if self.sees(out[-1], end[None])[0]:
            return way_length(out) + math.dist(out[-1], end)
        by = np.hypot(*(self.corners - out[-1]).T) + onward
        return way_length(out) + float(np.min(by[self.sees(out[-1], self.corners)], initial=math.inf))


def _bends(free: shapely.MultiPolygon) -> Points:
    """Corners about which the shortest way may bend: where the border turns right when the water is to its left."""
    found = [np.empty((0, 2))]
    for part in free.geoms:
        oriented = orient(part)
        for ring in (oriented.exterior, *oriented.interiors):
            corners = np.asarray(ring.coords)[:-1]
            into, out = corners - np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0) - corners
            turn = into[:, 0] * out[:, 1] - into[:, 1] * out[:, 0]
            found.append(corners[turn < -STRAIGHT * np.hypot(*into.T) * np.hypot(*out.T)])
    return np.concatenate(found)


def _nearest(part: shapely.Polygon, place: Spot) -> Spot:
    return shapely.get_coordinates(shapely.shortest_line(part, shapely.points(place)))[0]
