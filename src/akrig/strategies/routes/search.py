"""The best route that can be found: a lawnmower's or a greedy one, mended as long as that helps."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from akrig.strategies.lawnmower import along
from akrig.strategies.routes.cells import Numbers
from akrig.strategies.routes.forecast import Forecast
from akrig.strategies.routes.network import BEGIN, Line, WayNetwork
from akrig.types import Points, Values

Stops = tuple[int, ...]  # numbers of places, in the order they come; the vehicle's own and home are not among them
LOOKED_AT = 6  # candidates whose worth is computed, of those that seem best
GLANCED_AT = 250  # cells, about, by which the best of many lawnmowers are told from the others
SHORTLIST = 12  # of those, judged by all cells
LAPS = (0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85)  # shares of the region's width and height
ROUND = ((0, 0), (0.5, 0), (1, 0), (1, 0.5), (1, 1), (0.5, 1), (0, 1), (0, 0.5))
COARSE = 0.6  # of the budget, for the lawnmower that is filled up with what the belief asks for
ROUNDING = 1e-6  # metres


class Search:
    """Routes over a network, judged by what their readings leave.

    Args:
        metres: that may be driven, with what must be left for the way home.
        spacing: metres between readings.
    """

    def __init__(self, network: WayNetwork, forecast: Forecast, *, metres: float, spacing: float) -> None:
        self.network, self._forecast, self._metres, self._spacing = network, forecast, metres, spacing
        self._least = 0.5 * float(np.sqrt(np.prod(network.cells.box.size) / network.cells.nearest.size))
        self._cells = network.cells.of(network.places)
        few, self._few = network.cells.few(GLANCED_AT)
        self._glance = forecast.few(few)
        self._legs: dict[tuple[int, int], Numbers] = {}
        self._left: dict[Stops, float] = {}
        self._mown: dict[float, tuple[int, Stops]] = {}  # by share: what was looked for, by how much effort

    def within(self, share: float) -> "Search":
        """With a share of the metres."""
        return Search(self.network, self._forecast, metres=share * self._metres, spacing=self._spacing)

    @property
    def forecasts(self) -> int:
        """Made so far."""
        return len(self._left)

    def left(self, stops: Stops) -> float:
        """What the route leaves of the objective; less is better."""
        if stops not in self._left:
            self._left[stops] = self._forecast.left(self.readings(stops))
        return self._left[stops]

    def length(self, stops: Stops) -> float:
        """To the last stop, and home where there is one."""
        return float(sum(self.network.metres[leg] for leg in self._chain(stops)))

    def driven(self, stops: Stops) -> float:
        """Metres to the last stop."""
        return float(self.network.metres[(BEGIN, *stops[:-1]), stops].sum()) if stops else 0.0

    def fits(self, stops: Stops) -> bool:
        """Can the vehicle go on to every stop, and still come home from there?"""
        if not stops:
            return bool(self.network.homeward[BEGIN] <= self._metres + ROUNDING)
        gone = np.cumsum(self.network.metres[(BEGIN, *stops[:-1]), stops])
        return bool((gone + self.network.homeward[list(stops)]).max() <= self._metres + ROUNDING)

    def readings(self, stops: Stops) -> Numbers:
        """MapCells of the readings along a route, with the way home."""
        cells = [self._leg(*leg) for leg in self._chain(stops)]
        return np.concatenate(cells) if cells else np.empty(0, dtype=int)

    def way(self, stops: Stops) -> Points:
        """All places of a route, from where the vehicle is, with the way home."""
        return np.concatenate([self.network.places[:1], *(self.network.way(*leg) for leg in self._chain(stops))])

    def deviation(self, stops: Stops) -> float:
        """Root mean square over the map, of what a route leaves."""
        return float(np.sqrt(self._forecast.variance(self.readings(stops)).mean()))

    def error(self, stops: Stops) -> float:
        """What a route leaves of the standard deviation now, as a share of it."""
        now, then = (self._forecast.variance(readings) for readings in (self.readings(stops)[:0], self.readings(stops)))
        return float(np.sqrt(then.mean() / now.mean()))

    def uncertainty(self, stops: Stops) -> float:
        """The standard deviation of a reading that a route leaves, on average over the map."""
        return self._forecast.uncertainty(self.readings(stops))

    @property
    def metres(self) -> float:
        """That may be driven, with the way home."""
        return self._metres

    def insertions(self, stops: Stops) -> tuple[Values, np.ndarray]:
        """Metres that each place would add where it adds least, infinite if it fits nowhere; and the leg it parts."""
        return self._insertions(stops)

    def best(self, effort: int) -> Stops:
        """The lawnmower for what is left, or something better.

        Args:
            effort: forecasts that may be made, about: counted, so that a plan does not depend on the computer.
        """
        mown = self.mown(effort // 4)
        coarse = self.mown(effort // 8, share=COARSE)
        routes = [mown, *(self.improved(start, effort // 4) for start in (mown, coarse, self.lap()))]
        return min(routes, key=self.left)

    def mown(self, effort: int, *, share: float = 1.0) -> Stops:
        """The best of the lawnmowers that a share of the budget allows, whole or what is left of one."""
        if self._mown.get(share, (-1, ()))[0] < effort:
            short = [stops for stops in self._lawnmowers if self.length(stops) <= share * self._metres]
            by_length = sorted(short, key=lambda stops: (-self.length(stops), stops))
            self._mown[share] = effort, self._best_of(by_length[:effort])
        return self._mown[share][1]

    def lap(self) -> Stops:
        """The best of the rounds about the middle: a lawnmower's lines, mended a little, never become one."""
        fitting = {stops for share in LAPS for stops in self._rounds(share) if self.fits(stops)}
        return self._best_of(fitting)

    def densest(self) -> tuple[int, Stops]:
        """How many lines the densest whole lawnmower has that the budget allows, and the better way to drive it."""
        whole = [(len(pattern), _ends(lines)) for pattern in self.network.patterns for lines in _directions(pattern)]
        fitting = [(num, stops) for num, stops in whole if self.fits(stops)]
        return min(fitting, key=lambda found: (-found[0], self.left(found[1])), default=(0, ()))

    def filled(self, stops: Stops, until: int) -> Stops:
        """With one stop after the other, each that which gains most per metre, until nothing fits."""
        while self.forecasts < until and (more := self._with_best(stops)) is not None:
            stops = more
        return stops

    def improved(self, stops: Stops, effort: int) -> Stops:
        """Stops moved, left out and put in, as long as that helps and as many forecasts as may be made allow."""
        until = self.forecasts + effort
        stops = self._better([self.filled(stops, until)], stops)
        while self.forecasts < until:
            before = stops
            for change in (self._moved, self._relieved, self._shortened):
                if self.forecasts < until:
                    stops = change(stops, until)
            if stops == before:
                break
        return stops

    # -- changes ---------------------------------------------------------------------------------------------------

    def _moved(self, stops: Stops, until: int) -> Stops:
        """Each stop to where, of the places near it, it gains most."""
        for at in range(len(stops)):
            if self.forecasts >= until:
                break
            near = self._near(stops[at])
            stops = self._better(((*stops[:at], other, *stops[at + 1 :]) for other in near), stops)
        return stops

    def _relieved(self, stops: Stops, until: int) -> Stops:
        """Without the stop that is worth least for its metres, and filled again; another is tried if that is worse."""
        worth = []
        for at in range(len(stops)):
            without = (*stops[:at], *stops[at + 1 :])
            saved = self.length(stops) - self.length(without)
            if saved > ROUNDING and self.fits(without):
                worth.append(((self.left(without) - self.left(stops)) / saved, without))
        for _, without in sorted(worth)[:3]:
            if self.forecasts >= until:
                break
            better = self._better([self.filled(without, until)], stops)
            if better != stops:
                return better
        return stops

    def _shortened(self, stops: Stops, until: int) -> Stops:
        """In a better order, and filled with what that saves."""
        shorter = self._reordered(stops)
        return stops if shorter == stops else self._better([self.filled(shorter, until)], stops)

    def _reordered(self, stops: Stops) -> Stops:
        """The first order that is shorter: a part of it turned round (2-opt), or moved elsewhere (or-opt)."""
        best = self.length(stops)
        for other in _reorderings(stops):
            if self.length(other) < best - self._least and self.fits(other):
                return other
        return stops

    def _with_best(self, stops: Stops) -> Stops | None:
        """With the stop that gains most for its metres, and with others that still gain, each in a leg of its own."""
        legs, best = set(), stops
        for _, stop, leg in sorted(self._promising(stops), reverse=True):
            at = leg + sum(other < leg for other in legs)
            more = (*best[:at], stop, *best[at:])
            if leg not in legs and self.fits(more) and self.left(more) < self.left(best):
                legs, best = {*legs, leg}, more
        return best if legs else None

    def _promising(self, stops: Stops) -> Iterator[tuple[float, int, int]]:
        """Gain per metre, number and leg of a few stops that may be put in."""
        metres, legs = self._insertions(stops)
        may = np.setdiff1d(self.network.stops, stops)
        may = may[np.isfinite(metres[may])]
        gains = self._forecast.gains(self.readings(stops)) if len(may) else np.empty(0)
        rates = gains[self._cells[may]] / np.maximum(metres[may], self._least)
        now, looked, num = self.left(stops), 0, 0
        for stop in may[np.argsort(-rates, kind="stable")].tolist():
            leg = int(legs[stop])
            more = (*stops[:leg], stop, *stops[leg:])
            if not self.fits(more):
                continue
            looked += 1
            if (gain := now - self.left(more)) > 0:
                num += 1
                yield gain / max(float(metres[stop]), self._least), stop, leg
            if looked >= LOOKED_AT and (num or looked >= 3 * LOOKED_AT):
                break

    def _insertions(self, stops: Stops) -> tuple[Values, np.ndarray]:
        """Metres that each place would add where it adds least, infinite if it fits nowhere; and the leg it parts."""
        metres, homeward = self.network.metres, self.network.homeward
        chain = [BEGIN, *stops]
        there = metres[chain]
        onward = np.vstack([metres[chain[1:]] - metres[chain[:-1], chain[1:]][:, None], homeward[None]])
        left = self._metres - np.concatenate([[0.0], np.cumsum(metres[chain[:-1], chain[1:]])])[-1]
        allowed = np.full(len(chain), left - homeward[chain[-1]])
        allowed[-1] = left  # the last leg is followed by the whole way home
        extra = there + onward
        extra[extra > allowed[:, None] + ROUNDING] = np.inf
        extra[-1] -= homeward[chain[-1]]
        return extra.min(axis=0), extra.argmin(axis=0)

    # -- parts -----------------------------------------------------------------------------------------------------

    def _better(self, others: Iterable[Stops], stops: Stops) -> Stops:
        """The best of those that fit, if it is better than this one."""
        return min([stops, *filter(self.fits, others)], key=self.left)

    @cached_property
    def _lawnmowers(self) -> set[Stops]:
        return {stops for pattern in self.network.patterns for stops in self._partial(pattern)}

    def _best_of(self, many: Iterable[Stops]) -> Stops:
        """Of routes that have little in common."""
        short = sorted(many, key=lambda stops: (self._glance.left(self._few[self.readings(stops)]), stops))[:SHORTLIST]
        return min([(), *short], key=lambda stops: (self.left(stops), stops))

    def _near(self, stop: int) -> list[int]:
        away = np.hypot(*(self.network.places[self.network.stops] - self.network.places[stop]).T)
        order = np.argsort(away, kind="stable")[: LOOKED_AT + 1]
        return [other for other in self.network.stops[order].tolist() if other != stop]

    def _chain(self, stops: Stops) -> list[tuple[int, int]]:
        home = () if self.network.home is None else (self.network.home,)
        chain = (BEGIN, *stops, *home)
        return list(pairwise(chain))

    def _leg(self, begin: int, end: int) -> Numbers:
        if (begin, end) not in self._legs:
            way = np.vstack([self.network.places[begin], self.network.way(begin, end)])
            self._legs[begin, end] = self.network.cells.of(along(way, self._spacing))
        return self._legs[begin, end]

    def _rounds(self, share: float) -> Iterator[Stops]:
        """Along a rectangle, of a share of the region's width and height: either way round, from any of its corners."""
        box = self.network.cells.box.scaled(share)
        lower, upper = np.array(box.lower), np.array(box.upper)
        corners = [lower + np.array(at) * (upper - lower) for at in ROUND]
        if not len(self.network.stops):
            return
        places = self.network.places[self.network.stops]
        nearest = [int(self.network.stops[np.hypot(*(places - corner).T).argmin()]) for corner in corners]
        ring = list(dict.fromkeys(nearest))
        for way in (ring, ring[::-1]):
            yield from (tuple(way[at:] + way[:at]) for at in range(len(way)))

    def _partial(self, pattern: Sequence[Line]) -> Iterator[Stops]:
        """What fits of a lawnmower, either way round: all but its first lines, or its first lines."""
        for lines in _directions(pattern):
            for first in range(len(lines)):
                rest = _ends(lines[first:])
                if self.fits(rest):
                    yield rest
                    break
            whole = [_ends(lines[:last]) for last in range(1, len(lines) + 1)]
            yield from [max(filter(self.fits, whole), key=len, default=())]


def _directions(pattern: Sequence[Line]) -> Iterator[list[Line]]:
    for lines in (list(pattern), list(pattern)[::-1]):
        yield lines
        yield [[(b, a) for a, b in reversed(line)] for line in lines]


def _ends(lines: Sequence[Line]) -> Stops:
    return tuple(end for line in lines for piece in line for end in piece)


def _reorderings(stops: Stops) -> Iterator[Stops]:
    num = len(stops)
    for i in range(num):
        for j in range(i + 1, num):
            yield (*stops[:i], *stops[i : j + 1][::-1], *stops[j + 1 :])
    for size in (1, 2, 3):
        for i in range(num - size + 1):
            part, rest = stops[i : i + size], (*stops[:i], *stops[i + size :])
            for j in range(len(rest) + 1):
                if j != i:
                    yield (*rest[:j], *part, *rest[j:])
