"""The best route that can be found: a lawnmower's or a greedy one, mended as long as that helps."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise

import numpy as np

from akrig.strategies.lawnmower import along
from akrig.strategies.routes.cells import Numbers
from akrig.strategies.routes.forecast import Forecast
from akrig.strategies.routes.network import BEGIN, WayNetwork
from akrig.strategies.routes.tours import Stops, lines_of, ordered, rounds, visited
from akrig.types import Points, Values

LAPS = (0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85)  # shares of the region's width and height
LOOKED_AT = 6  # candidates whose worth is computed, of those that seem best
GLANCED_AT = 250  # cells, about, by which the best of many lawnmowers are told from the others
SHORTLIST = 12  # of those, judged by all cells
TOURED = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # shares of the budget for tours, the rest of which is filled
MOST_TOURED = 120  # places
OFTEN = 5  # places, after which a tour is put in order
MOST_RELIEVED = 3  # stops left out together
TRIED = 6  # of the ways to leave some out
FURTHER = 3  # routes that are improved further, before the best of them is
COARSE = 0.6  # of the budget, for the lawnmower that is filled up with what the belief asks for
ROUNDING = 1e-6  # metres


class Search:
    """Routes over a network, judged by what their readings leave.

    Args:
        metres: that may be driven, with what must be left for the way home.
        spacing: metres between readings.
        judged: for every cell of the network, the number of that cell of the forecast which stands for it.
    """

    def __init__(
        self,
        network: WayNetwork,
        forecast: Forecast,
        *,
        metres: float,
        spacing: float,
        judged: Numbers | None = None,
    ) -> None:
        self.network, self._forecast, self.metres, self._spacing = network, forecast, metres, spacing
        self._judged = np.arange(len(network.cells)) if judged is None else judged
        self._least = 0.5 * network.cells.side
        self._cells = self._judged[network.cells.of(network.places)]
        few, self._few = network.cells.few(GLANCED_AT) if judged is None else 2 * (np.arange(judged.max() + 1),)
        self._glance = forecast.few(few)
        self._legs: dict[tuple[int, int], Numbers] = {}
        self._left: dict[Stops, float] = {}
        self._mown: dict[float, tuple[int, Stops]] = {}  # by share: what was looked for, by how much effort

    def within(self, share: float) -> "Search":
        """With a share of the metres."""
        return Search(self.network, self._forecast, metres=share * self.metres, spacing=self._spacing)

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
            return bool(self.network.homeward[BEGIN] <= self.metres + ROUNDING)
        gone = np.cumsum(self.network.metres[(BEGIN, *stops[:-1]), stops])
        return bool((gone + self.network.homeward[list(stops)]).max() <= self.metres + ROUNDING)

    def readings(self, stops: Stops) -> Numbers:
        """MapCells of the readings along a route, with the way home."""
        cells = [self._leg(*leg) for leg in self._chain(stops)]
        return np.concatenate(cells) if cells else np.empty(0, dtype=int)

    def way(self, stops: Stops) -> Points:
        """All places of a route, from where the vehicle is, with the way home."""
        home = () if self.network.home is None else (self.network.home,)
        return self.network.along((*stops, *home))

    def deviation(self, stops: Stops) -> float:
        """Root mean square over the map, of what a route leaves."""
        return float(np.sqrt(self._forecast.variance(self.readings(stops)).mean()))

    def error(self, stops: Stops) -> float:
        """What a route leaves of the standard deviation now, as a share of it."""
        now, then = (self._forecast.variance(readings) for readings in (self.readings(stops)[:0], self.readings(stops)))
        return float(np.sqrt(then.mean() / now.mean()))

    def deviations(self, stops: Stops) -> Values:
        """The standard deviation of a reading that a route leaves, cell by cell."""
        return self._forecast.deviations(self.readings(stops))

    def best(self, effort: int) -> Stops:
        """The lawnmower for what is left, or something better.

        Args:
            effort: forecasts that may be made, about: counted, so that a plan does not depend on the computer.
        """
        mown = self.mown(effort // 10)
        coarse = self.mown(effort // 20, share=COARSE)
        begun = dict.fromkeys([mown, coarse, *self.laps(2), *self.tours(2)])
        rough = self._rough
        routes = [rough.improved(start, effort // 20) for start in begun]
        routes = [rough.improved(stops, effort // 10) for stops in rough.ranked(routes)[:FURTHER]]
        routes = [self.improved(stops, effort // 3) for stops in self.ranked(routes)[:1]]
        return self.ranked([mown, *routes])[0]

    def ranked(self, routes: Iterable[Stops]) -> list[Stops]:
        """Best first."""
        return sorted(dict.fromkeys(routes), key=lambda stops: (self.left(stops), stops))

    def mown(self, effort: int, *, share: float = 1.0) -> Stops:
        """The best of the lawnmowers that a share of the budget allows, whole or what is left of one."""
        if self._mown.get(share, (-1, ()))[0] < effort:
            short = [stops for stops in self._lawnmowers if self.length(stops) <= share * self.metres]
            by_length = sorted(short, key=lambda stops: (-self.length(stops), stops))
            self._mown[share] = effort, self._best_of(by_length[:effort])
        return self._mown[share][1]

    def laps(self, count: int) -> list[Stops]:
        """The best of the rounds about the middle: a lawnmower's lines, mended a little, never become one."""
        fitting = {stops for share in LAPS for stops in rounds(self.network, share) if self.fits(stops)}
        return self._best_few(fitting)[:count]

    def tours(self, count: int) -> list[Stops]:
        """Short ways through places that, seen together, leave least: as many as shares of the budget allow."""
        stops: Stops = ()
        tours, limits = set(), [share * self.metres for share in TOURED]
        for number, place in enumerate(self._telling(), start=1):
            more = visited(self.network, stops, place)
            if number % OFTEN == 0 or self.length(more) > limits[0]:
                more = self._ordered(more)
            while limits and self.length(more) > limits[0]:
                tours.add(self._ordered(stops))
                limits.pop(0)
            if not limits or not self.fits(more):
                break
            stops = more
        return self._best_few({*tours, self._ordered(stops)})[:count]

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
        """Without the stops that are worth least for their metres, and filled again, if that is better."""
        worth = []
        for size in range(1, min(MOST_RELIEVED, len(stops)) + 1):
            for at in range(len(stops) - size + 1):
                without = (*stops[:at], *stops[at + size :])
                saved = self.length(stops) - self.length(without)
                if saved > ROUNDING and self.fits(without) and self.forecasts < until:
                    worth.append(((self.left(without) - self.left(stops)) / saved, without))
        for _, without in sorted(worth)[:TRIED]:
            if self.forecasts >= until:
                break
            better = self._better([self.filled(self._ordered(without), until)], stops)
            if better != stops:
                return better
        return stops

    def _shortened(self, stops: Stops, until: int) -> Stops:
        """In a better order, and filled with what that saves."""
        other = self._ordered(stops)
        return stops if other == stops else self._better([self.filled(other, until)], stops)

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
        metres, legs = self.insertions(stops)
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

    def insertions(self, stops: Stops) -> tuple[Values, np.ndarray]:
        """Metres that each place would add where it adds least, infinite if it fits nowhere; and the leg it parts."""
        metres, homeward = self.network.metres, self.network.homeward
        chain = [BEGIN, *stops]
        there = metres[chain]
        onward = np.vstack([metres[chain[1:]] - metres[chain[:-1], chain[1:]][:, None], homeward[None]])
        left = self.metres - np.concatenate([[0.0], np.cumsum(metres[chain[:-1], chain[1:]])])[-1]
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
        return {stops for pattern in self.network.patterns for stops in lines_of(pattern, self.fits)}

    def _best_of(self, many: Iterable[Stops]) -> Stops:
        return [*self._best_few(many), ()][0]

    def _best_few(self, many: Iterable[Stops]) -> list[Stops]:
        """Of routes that have little in common, best first."""
        short = sorted(many, key=lambda stops: (self._glance.left(self._few[self.readings(stops)]), stops))[:SHORTLIST]
        return self.ranked(short)

    @cached_property
    def _rough(self) -> "Search":
        """Judged by few cells that stand for many, if there are so many."""
        judged = self._few[self._judged]
        if len(self._few) == judged.max() + 1:
            return self
        return Search(self.network, self._glance, metres=self.metres, spacing=self._spacing, judged=judged)

    def _telling(self) -> list[int]:
        """Stops whose readings, one after the other, would gain most."""
        stops, seen = self.network.stops, self._few[self.readings(())]
        cells, found = self._few[self._cells[stops]], []
        for _ in range(min(MOST_TOURED, len(stops))):
            best = int(self._glance.gains(seen)[cells].argmax())
            found.append(int(stops[best]))
            seen = np.append(seen, cells[best])
        return list(dict.fromkeys(found))

    def _ordered(self, stops: Stops) -> Stops:
        """Visited in a short order."""
        other = ordered(self.network, stops)
        return other if self.fits(other) else stops

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
            self._legs[begin, end] = self._judged[self.network.cells.of(along(way, self._spacing))]
        return self._legs[begin, end]
