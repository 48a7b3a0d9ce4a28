"""A survey's area as routes see it: where to stop, the ways between, and what must be kept for the way home."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import shapely
from jaxtyping import Float, Int

from akrig.errors import PlanRefused
from akrig.geometry import way_length
from akrig.strategies.routes.cells import MapCells
from akrig.strategies.routes.network import LINES, Line, WayNetwork, open_lines
from akrig.survey.area import Area, InvalidArea
from akrig.survey.area.water import ROUNDING
from akrig.survey.strategies import Spot, area_lines
from akrig.types import Points, Situation, Values

Legs = Float[np.ndarray, "from to"]

INWARD = 0.01  # metres


@dataclass(frozen=True)
class AreaWays:
    """Allowed ways between places of an area.

    Args:
        home: where every route ends.
        margin: metres that ways keep from every border.
        room: metres that places keep where the boat turns.
        reserve: times the way home that must be left.
    """

    area: Area
    home: tuple[float, float]
    margin: float
    room: float
    reserve: float

    def network(self, situation: Situation, num_cells: int) -> WayNetwork:
        fixed, begin = _fixed_ways(self, num_cells), np.array(situation.pose.position)
        out = self.area.roads(self.margin).way_out(begin)
        if out is None:
            raise PlanRefused(self._no_way(begin))
        row, before = fixed.ways_from(out[-1])
        back = self.reserve * self.area.route_lengths(begin[None], self.home, margin=self.margin)[0]
        if not np.isfinite([row[fixed.home], back]).all():  # a home on the very border is now in, now out
            raise PlanRefused(self._no_way(begin))
        metres = np.zeros((len(row) + 1, len(row) + 1))
        metres[1:, 1:] = fixed.metres
        metres[0, 1:] = metres[1:, 0] = row + way_length(out)
        metres[1:, fixed.home + 1] += fixed.stub
        metres[fixed.home + 1, fixed.home + 1] = 0.0
        homeward = self.reserve * metres[:, fixed.home + 1]
        homeward[0] = back

        def way(i: int, j: int) -> Points:
            end = [] if j != fixed.home + 1 else list(fixed.way_home_end)
            if i:
                return np.array([*fixed.way(i - 1, j - 1), *end])
            return np.array([*out[1:], *fixed.way_from_begin(out[-1], before, j - 1), *end])

        is_open = np.isfinite(metres[0])
        if situation.is_open is not None:
            is_open[1:] &= situation.is_open(fixed.places)
        places = np.vstack([begin, fixed.places])
        places[fixed.home + 1] = self.home
        return WayNetwork(
            places,
            metres,
            homeward=homeward,
            home=fixed.home + 1,
            stops=fixed.stops[is_open[fixed.stops]],
            patterns=[open_lines(pattern, is_open) for pattern in fixed.patterns],
            cells=fixed.cells,
            way=way,
        )

    def _no_way(self, begin: Spot) -> str:
        return (
            f"There is no way home from ({begin[0]:.1f}, {begin[1]:.1f}) that keeps {self.margin:g} m from every "
            f"border of {self.area.called}; bring the boat into open water, or take a smaller margin."
        )


class _FixedWays:
    """What does not depend on where the boat is. `stops` and `patterns` count the boat's place as the first."""

    def __init__(self, ways: AreaWays, num_cells: int) -> None:
        area, self._roads = ways.area, ways.area.roads(ways.margin)
        side = math.sqrt(area.size / num_cells)
        self.cells = MapCells.over(area.extent, side=side, counts=area.allows)
        out = self._roads.way_out(np.array(ways.home))
        if out is None:
            raise PlanRefused(f"Home lies outside {area.called}; move home into the fence.")
        self.way_home_end, self.stub = out[-2::-1], way_length(out)
        bends = self._roads.corners
        middles = self.cells.middles[area.reachable(self.cells.middles, ways.home, margin=ways.room)]
        self.home = len(bends)
        first = len(bends) + 2 + len(middles)
        ends, self.patterns = _area_patterns(area, room=ways.room, side=side, first=first)
        self.places = np.vstack([bends, out[-1:], middles, ends])
        self.stops = np.arange(self.home + 1, len(self.places)) + 1
        self._free = self._roads.free.buffer(ROUNDING / 2, join_style="mitre")
        shapely.prepare(self._free)
        self.metres, self._before = self._all_ways(len(bends))

    def ways_from(self, place: Spot) -> tuple[Values, Int[np.ndarray, " n"]]:
        """Metres to each place, and the place before it on the way; -1 if that is `place` itself."""
        straight = self._seen(place)
        through = straight[: self.home, None] + self.metres[: self.home]
        metres, before = straight.copy(), np.full(len(straight), -1)
        if self.home:
            shortest = through.argmin(axis=0)
            better = through.min(axis=0) < metres - ROUNDING
            metres[better] = through.min(axis=0)[better]
            before[better] = shortest[better]
        return metres, before

    def way(self, i: int, j: int) -> list[Spot]:
        """Places after i, up to j."""
        way = [self.places[j]]
        while (j := int(self._before[i, j])) != i:
            way.append(self.places[j])
        return way[::-1]

    def way_from_begin(self, begin: Spot, first: np.ndarray, j: int) -> list[Spot]:
        bend = int(first[j])
        return [self.places[j]] if bend < 0 else [self.places[bend], *self.way(bend, j)]

    def _all_ways(self, num_bends: int) -> tuple[Legs, Int[np.ndarray, "from to"]]:
        """Metres between all places, and the last place before the end: ways bend at the borders' corners only."""
        num = len(self.places)
        i, j = np.triu_indices(num, 1)
        metres = np.zeros((num, num))
        metres[i, j] = metres[j, i] = self._straight(self.places[i], self.places[j])
        metres[self.home] = metres[:, self.home] = self._seen(self.places[self.home])
        before = np.broadcast_to(np.arange(num)[:, None], (num, num)).copy()
        for bend in range(num_bends):  # Floyd and Warshall's, with the bends alone as places between
            through = metres[:, bend, None] + metres[bend]
            better = through < metres - ROUNDING
            metres[better] = through[better]
            before = np.where(better, before[bend][None], before)
        return metres, before

    def _seen(self, place: Spot) -> Values:
        """Metres of the straight lines to all places, from one that may lie nearer to a border than bends do."""
        return np.where(self._roads.sees(place, self.places), np.hypot(*(self.places - place).T), np.inf)

    def _straight(self, begins: Points, ends: Points) -> Values:
        """Metres of each straight line; infinite where it is not allowed."""
        lines = shapely.linestrings(np.stack([begins, ends], axis=1))
        return np.where(shapely.covers(self._free, lines), np.hypot(*(ends - begins).T), np.inf)


@lru_cache(maxsize=8)
def _fixed_ways(ways: AreaWays, num_cells: int) -> _FixedWays:
    return _FixedWays(ways, num_cells)


def _area_patterns(area: Area, *, room: float, side: float, first: int) -> tuple[Points, list[list[Line]]]:
    """Ends of the lines of lawnmowers, and their numbers, from `first` on; the densest has lines a cell apart."""
    ends, patterns = [np.empty((0, 2))], []
    rectangle = shapely.get_coordinates(shapely.minimum_rotated_rectangle(area.water))
    across = min(math.dist(rectangle[0], rectangle[1]), math.dist(rectangle[1], rectangle[2]))
    for num in LINES:
        if num > 1 and across / num < side:
            break
        try:
            lines = area_lines(area, num, margin=room)
        except InvalidArea:  # so few lines miss it
            continue
        pattern: list[Line] = []
        for line in lines:
            pattern.append([(first + 2 * piece, first + 2 * piece + 1) for piece in range(len(line))])
            ends.append(np.array([_inward(*piece) for piece in line]).reshape(-1, 2))
            first += 2 * len(line)
        patterns.append(pattern)
    return np.concatenate(ends), patterns


def _inward(begin: Spot, end: Spot) -> tuple[Spot, Spot]:
    """A piece of a line without its outermost bit: what lies on a border is, by rounding, in or out."""
    bit = min(INWARD / max(math.dist(begin, end), INWARD), 0.1) * (end - begin)
    return begin + bit, end - bit
