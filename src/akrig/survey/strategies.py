"""Surveys of an area that is no box: along lines clipped to it, and around what lies in the way."""

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property

import numpy as np
import shapely
from jaxtyping import Float
from numpy.random import Generator

from akrig.errors import PlanRefused
from akrig.geometry import way_length
from akrig.protocols import Belief, Strategy
from akrig.strategies.lawnmower import along
from akrig.survey.area import Area, InvalidArea
from akrig.types import Plan, Points, Situation

SHORTEST = 1.0  # metres; a piece of a line that is shorter is not worth the way, unless it is all there is
Spot = Float[np.ndarray, " 2"]
Line = list[tuple[Spot, Spot]]  # pieces in the order they are driven, each from its first end to its second


@dataclass(frozen=True)
class AreaLawnmower:
    """Line k of the pattern in epoch k + 1, which needs no memory; after the last line it begins again.

    The lines run along the area's long direction, each in the middle of a strip, back and forth, beginning in the
    corner nearest to home. Pieces of a line, and lines, are joined by the shortest way in the area.

    Args:
        num_lines: into so many strips the area is cut.
        margin: metres that ways keep from every border.
        room: metres that lines keep, for the boat to turn at their ends; `None` is the margin.
        spacing: a waypoint at least every so many metres; `None` has waypoints only where the way bends.
    """

    area: Area
    num_lines: int
    _: KW_ONLY
    margin: float
    room: float | None = None
    spacing: float | None = None

    def __post_init__(self) -> None:
        if self.num_lines < 2:
            raise ValueError(f"A lawnmower needs at least two lines; got {self.num_lines}.")
        _check_spacing(self.spacing)
        _ = self._lines  # refuses a margin that leaves nothing

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        line = self._lines[(situation.epoch - 1) % len(self._lines)]
        way = driven(self.area, situation.pose.position, _ends([line]), self.margin)
        return Plan(along(way, self.spacing))

    @cached_property
    def _lines(self) -> list[Line]:
        return area_lines(self.area, self.num_lines, margin=self.margin if self.room is None else self.room)

    def length(self, *, begin: tuple[float, ...] | None = None, home: tuple[float, ...] | None = None) -> float:
        """Of the whole pattern, metres; with the way there from `begin` and the way home, where these are given."""
        stops = _ends(self._lines)
        way = driven(self.area, stops[0] if begin is None else begin, stops, self.margin)
        back = 0.0 if home is None else self.area.route_lengths(way[-1:], home, margin=self.margin)[0]
        return float(way_length(way) + back)

    @classmethod
    def for_distance(
        cls,
        distance: float,
        area: Area,
        *,
        margin: float,
        room: float | None = None,
        begin: tuple[float, ...] | None = None,
        home: tuple[float, ...] | None = None,
    ) -> "AreaLawnmower":
        """As many lines as fit into so many metres, two at least, with the way there and home (the area's, if any)."""
        if not 0 < distance < math.inf:
            raise ValueError(f"A lawnmower needs a distance in metres; got {distance}.")
        home = area.home if home is None else home

        def fits(num_lines: int) -> bool:
            return cls(area, num_lines, margin=margin, room=room).length(begin=begin, home=home) <= distance

        low, high = 2, 4
        while fits(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        # One more line may by chance be shorter: where it ends matters for the way home.
        return cls(area, low + 1 if fits(low + 1) else low, margin=margin, room=room)


@dataclass(frozen=True)
class AreaPilot:
    """A first look: the whole of a coarse lawnmower pattern in one plan.

    Args:
        num_lines: into so many strips the area is cut; 1 goes along the middle.
        margin: metres that ways keep from every border.
        spacing: a waypoint at least every so many metres; `None` has waypoints only where the way bends.
        room: metres that lines keep, for the boat to turn at their ends; `None` is the margin.
    """

    area: Area
    num_lines: int
    margin: float
    spacing: float | None = None
    room: float | None = None

    def __post_init__(self) -> None:
        if self.num_lines < 1:
            raise ValueError(f"A pilot survey needs at least one line; got {self.num_lines}.")
        _check_spacing(self.spacing)
        self._lines()

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        stops = _ends(self._lines())
        return Plan(along(driven(self.area, situation.pose.position, stops, self.margin), self.spacing))

    def _lines(self) -> list[Line]:
        return area_lines(self.area, self.num_lines, margin=self.margin if self.room is None else self.room)


@dataclass(frozen=True)
class Routed:
    """Another strategy's places, reached by allowed ways only: the plan is what is driven.

    Args:
        strategy: plans as if every straight way were open.
        margin: metres that the ways keep from every border.
    """

    strategy: Strategy
    area: Area
    margin: float

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        wanted = self.strategy.plan(belief, situation, rng)
        way = driven(self.area, situation.pose.position, list(wanted.waypoints), self.margin)
        return replace(wanted, waypoints=way[1:])


def area_lines(area: Area, num_lines: int, *, margin: float) -> list[Line]:
    """The lines of the pattern in the order they are driven; strips without water have none."""
    part = _surveyed(area, margin)
    corner, along, across = _axes(part)
    step = np.linalg.norm(across) / num_lines
    lines = []
    for k in range(num_lines):
        begin = corner + across * ((k + 0.5) / num_lines)
        pieces = _pieces(shapely.LineString([begin - along, begin + 2 * along]), part, along)
        if pieces:
            lines.append(pieces)
    if not lines:
        raise InvalidArea(f"Lines {step:.3g} m apart miss {area.called}; take more of them, or a smaller margin.")
    return _back_and_forth(lines, area.home)


def _surveyed(area: Area, margin: float) -> shapely.Polygon:
    """The part that can be reached from home, or else the largest, less the margin."""
    roads = area.roads(margin)
    if roads.free.is_empty:
        raise InvalidArea(f"A margin of {margin:g} m leaves nothing of {area.called}; take a smaller one.")
    if area.home is not None:
        way = roads.way_out(np.array(area.home))
        if way is not None:
            return roads.part(way[-1])
    return max(roads.free.geoms, key=lambda part: part.area)


def _axes(part: shapely.Polygon) -> tuple[Spot, Spot, Spot]:
    """A corner of the smallest rectangle about a polygon, its long side and its short side."""
    corners = shapely.get_coordinates(shapely.minimum_rotated_rectangle(part))
    first, second = corners[1] - corners[0], corners[3] - corners[0]
    along, across = (first, second) if np.hypot(*first) >= np.hypot(*second) else (second, first)
    return corners[0], along, across


def _pieces(line: shapely.LineString, part: shapely.Polygon, along: Spot) -> Line:
    """What of a line lies in the polygon, in the direction of `along`."""
    cut = [np.asarray(piece.coords) for piece in shapely.get_parts(line.intersection(part)).tolist()]
    ends = [(piece[0], piece[-1]) for piece in cut if len(piece) > 1]
    ends = [(a, b) if (b - a) @ along > 0 else (b, a) for a, b in ends]
    long = [(a, b) for a, b in ends if math.dist(a, b) >= SHORTEST] or ends
    return sorted(long, key=lambda piece: float(piece[0] @ along))


def _back_and_forth(lines: list[Line], home: tuple[float, float] | None) -> list[Line]:
    """Every second line the other way, beginning in that corner of the pattern which is nearest to home."""
    patterns = [
        [line if k % 2 == turned else [(b, a) for a, b in reversed(line)] for k, line in enumerate(order)]
        for order in (lines, lines[::-1])
        for turned in (0, 1)
    ]
    return patterns[0] if home is None else min(patterns, key=lambda pattern: math.dist(pattern[0][0][0], home))


def _ends(lines: Sequence[Line]) -> list[Spot]:
    return [end for line in lines for piece in line for end in piece]


def driven(area: Area, begin: Sequence[float] | np.ndarray, stops: Sequence[Spot], margin: float) -> Points:
    """From `begin` by way of all stops, by allowed ways; `begin` included."""
    way = [np.array(begin, dtype=np.float64)]
    for stop in stops:
        ways = area.route(way[-1], stop, margin=margin)
        if ways is None:
            raise PlanRefused(_no_way(area, way[-1], stop, margin))
        way += list(ways)
    return np.array(way)


def _no_way(area: Area, begin: Spot, end: Spot, margin: float) -> str:
    """Why `area.route` found none."""
    for name, place, needed in (("the boat's place", begin, 0.0), ("the waypoint", end, margin)):
        clearance = float(area.clearance(place[None])[0])
        if clearance < 0:
            return f"No way is planned: {name} {_words(place)} lies {-clearance:.1f} m outside {area.called}."
        if clearance < needed - 1e-6:
            return (
                f"No way is planned: {name} {_words(place)} lies {clearance:.2f} m from a border, nearer than the "
                f"margin of {margin:g} m."
            )
    return (
        f"There is no way from {_words(begin)} to {_words(end)} that keeps {margin:g} m from every border of "
        f"{area.called}; take a smaller margin."
    )


def _words(place: Spot) -> str:
    return f"({place[0]:.1f}, {place[1]:.1f})"


def _check_spacing(spacing: float | None) -> None:
    if spacing is not None and not spacing > 0:
        raise ValueError(f"spacing must be positive; got {spacing}.")
