"""Where a route may stop, and the ways between: in a box every straight line, elsewhere what `Ways` allows."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from jaxtyping import Bool, Float, Int

from akrig.errors import PlanRefused
from akrig.strategies.routes.cells import MapCells, apart, axis_middles
from akrig.types import Points, Situation, Values

Line = Sequence[tuple[int, int]]  # pieces in the order they are driven, from place to place
BEGIN = 0  # the place where the vehicle is
# Lines of the lawnmowers that routes are compared with; many lines are so much alike that not every number is tried.
LINES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 23, 26, 30)


@dataclass(frozen=True, eq=False)
class WayNetwork:
    """Places, known by their numbers; the first is where the vehicle is.

    Args:
        metres: of the way from each place to each; infinite where there is none.
        homeward: metres that must be left at each place; nothing where nobody has to come home.
        home: the number of the place where routes end, if there is one.
        stops: numbers of the places that may be chosen.
        patterns: the lines of lawnmowers, every second one the other way.
        cells: that the map is judged by.
        way: the places after one, up to another.
    """

    places: Points
    metres: Float[np.ndarray, "places places"]
    homeward: Values
    home: int | None
    stops: Int[np.ndarray, " stops"]
    patterns: Sequence[Sequence[Line]]
    cells: MapCells
    way: Callable[[int, int], Points]

    def along(self, stops: Sequence[int]) -> Points:
        """All places from where the vehicle is to the last stop."""
        legs = zip((BEGIN, *stops[:-1]), stops, strict=True)
        return np.concatenate([self.places[:1], *(self.way(*leg) for leg in legs)])


class Ways(Protocol):
    """What a strategy knows of a region that is no box."""

    def network(self, situation: Situation, num_cells: int) -> WayNetwork:
        """Of about so many cells."""
        ...


class StraightWays:
    """In a box, where nobody has to come home."""

    def network(self, situation: Situation, num_cells: int) -> WayNetwork:
        box = situation.workspace
        if box.dim != 2:
            raise PlanRefused(f"A route needs a workspace of two dimensions; this one has {box.dim}.")
        side = math.sqrt(math.prod(box.size) / num_cells)
        cells = MapCells.over(box, side=side, counts=situation.is_open)
        ends, patterns = box_patterns(situation, side, first=1 + len(cells))
        places = np.vstack([situation.pose.position, cells.middles, ends])
        metres = apart(places, places)
        is_open = np.ones(len(places), bool) if situation.is_open is None else situation.is_open(places)
        return WayNetwork(
            places,
            metres,
            homeward=np.zeros(len(places)),
            home=None,
            stops=1 + np.flatnonzero(is_open[1:]),
            patterns=[open_lines(pattern, is_open) for pattern in patterns],
            cells=cells,
            way=lambda i, j: places[j : j + 1],
        )


def open_lines(pattern: Sequence[Line], is_open: Bool[np.ndarray, " places"]) -> list[Line]:
    """Without the pieces of which an end may not be visited now."""
    lines = [[(a, b) for a, b in line if is_open[a] and is_open[b]] for line in pattern]
    return [line for line in lines if line]


def box_patterns(situation: Situation, side: float, *, first: int) -> tuple[Points, list[list[Line]]]:
    """Ends of the lines of lawnmowers along the box's long side, and their numbers, from `first` on."""
    box = situation.workspace
    along = int(np.argmax(box.size))
    ends, patterns = [np.empty((0, 2))], []
    for num in LINES:
        if num > 1 and box.size[1 - along] / num < side:
            break
        both = np.empty((num, 2, 2))
        both[:, :, 1 - along] = axis_middles(box, 1 - along, num)[:, None]
        both[::2, :, along] = box.lower[along], box.upper[along]
        both[1::2, :, along] = box.upper[along], box.lower[along]
        ends.append(both.reshape(-1, 2))
        patterns.append([[(first + 2 * line, first + 2 * line + 1)] for line in range(num)])
        first += 2 * num
    return np.concatenate(ends), patterns
