"""The strategy: a route for all that is left of the budget, of which the first stretch is driven."""

import math
from dataclasses import KW_ONLY, dataclass, replace
from typing import Literal

import numpy as np
from numpy.random import Generator

from akrig.errors import NowhereToGo, PlanRefused
from akrig.protocols import Belief, Experienced, Joint, capability
from akrig.strategies.candidates import candidates, for_planning
from akrig.strategies.lawnmower import along
from akrig.strategies.routes.cells import MapCells
from akrig.strategies.routes.forecast import Covariance, doubtful
from akrig.strategies.routes.goals import Goal, MeanDeviation
from akrig.strategies.routes.network import BEGIN, StraightWays, WayNetwork, Ways
from akrig.strategies.routes.objectives import OBJECTIVES
from akrig.strategies.routes.search import Search, Stops
from akrig.strategies.routes.shortest import shortest
from akrig.threads import blas_threads
from akrig.types import Budget, ForeseenWay, Foresight, Plan, Points, Samples, Situation

READINGS_PER_CELL = 4.0  # along a way through its middle, if nobody says how far apart readings are
ENOUGH = 1.5  # times the way through every cell: no plan is longer
DIGITS = 4  # of an error: the last ones of a sum are the computer's, and a mission that is repeated writes the same
LAWNMOWERS = 25  # to choose from, at least, for the one that a route is held against
LONGER = 0.02  # share by which that one may be longer than the route
STRAIGHT = StraightWays()


@dataclass(frozen=True)
class Route:
    """A way for the whole remaining budget, with the way home where there is one, and planned again after a stretch.

    It begins as the best lawnmower for what is left, or as a coarser one that is filled up with what gains most per
    metre, and is mended as long as that helps; by what the belief expects it is never worse than that lawnmower.
    Readings on the way count, together: a second look is worth less than the first.

    A young model is sure of places that nobody has seen. So a share of the plan's covariance, less with every reading,
    is that of a field as rough at every scale as the readings so far: of what is far from all of them, that knows
    nothing. Before the first reading it is all there is, and the route is an even one.

    Args:
        objective: what routes are judged by: the variance summed over the map; its logarithm; what of it is above the
            target; or how much the readings tell of the places that are not read.
        target: standard deviation that is good enough, in the sensor's units; a reading's if it is not given.
        goal: mean standard deviation of a reading that is wanted of the map, or what else is: the shortest route is
            planned that is expected to reach it. `None` for as good a map as the budget allows.
        doubt: when the boat has crossed the region so often, the model is believed by half; less often, hardly.
        stretch: share of the remaining way that is driven before it is planned again.
        num_cells: that the map is judged by, about.
        effort: forecasts that may be made for a plan.
        reading_spacing: metres between readings; a quarter of a cell if it is not given.
        speed: metres per second, for budgets of time.
        spacing: a waypoint at least every so many metres; `None` has waypoints where the way bends only.
        ways: of a region that is no box.
    """

    _: KW_ONLY
    objective: Literal["variance", "log-variance", "excess", "mutual-information"] = "variance"
    target: float | None = None
    goal: float | Goal | None = None
    doubt: float = 5.0
    stretch: float = 0.12
    num_cells: int = 400
    effort: int = 600
    reading_spacing: float | None = None
    speed: float = 1.0
    spacing: float | None = None
    ways: Ways = STRAIGHT

    def __post_init__(self) -> None:
        if self.objective not in OBJECTIVES:
            raise ValueError(f"objective is one of {', '.join(OBJECTIVES)}; got {self.objective!r}.")
        if not 0 <= self.stretch <= 1:
            raise ValueError(f"stretch is a share, from 0 to 1; got {self.stretch}.")
        if not 0 <= self.doubt < math.inf:
            raise ValueError(f"doubt is a number of crossings, 0 or more; got {self.doubt}.")
        if not isinstance(self.goal, int | float | Goal | None):
            raise ValueError(f"goal is a standard deviation, in the sensor's units; got {self.goal!r}.")
        goal = None if isinstance(self.goal, Goal) else self.goal
        numbers = {"target": self.target, "goal": goal, "reading_spacing": self.reading_spacing, "speed": self.speed}
        for name, number in numbers.items():
            if number is not None and not number > 0:
                raise ValueError(f"{name} must be positive; got {number}.")
        if self.num_cells < 4 or self.effort < 1:
            raise ValueError(f"Route needs 4 cells and 1 forecast at least; got {self.num_cells} and {self.effort}.")

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        network = self.ways.network(situation, self.num_cells)
        search = self.search(belief, situation, network)
        samples = readings_of(belief)
        is_first = samples is not None and not len(samples)
        with blas_threads(len(network.cells)):
            whole = self.whole(search, belief)
            stops = self.first_stretch(search, whole)
            foresight = _foresight(search, whole, is_share=is_first) if stops else None
        return replace(self.driven(network, stops, situation, rng), foresight=foresight)

    def driven(self, network: WayNetwork, stops: Stops, situation: Situation, rng: Generator) -> Plan:
        """The plan that leads from stop to stop; without any, the last metres of a budget."""
        if not stops:
            return Plan(along(self._last_metres(network, situation, rng), self.spacing))
        return Plan(along(network.along(stops), self.spacing))

    def search(self, belief: Belief, situation: Situation, network: WayNetwork) -> Search:
        """Of routes that the situation allows, judged by the belief."""
        belief = for_planning(belief)
        cells, metres = network.cells, self._metres(situation.remaining, network.cells)
        samples = readings_of(belief)
        covariance = self._covariance(belief, samples, cells)
        noise = _noise_variance(belief, cells) if samples is None or len(samples) else 0.0
        forecast = OBJECTIVES[self.objective](covariance, noise, noise if self.target is None else self.target**2)
        left = metres + network.homeward[BEGIN]  # what remains is without the way home from here
        return Search(network, forecast, metres=left, spacing=self._between(cells))

    def _covariance(self, belief: Belief, samples: Samples | None, cells: MapCells) -> Covariance:
        """The belief's, and a share of doubt; without any reading, there is nothing but doubt."""
        if samples is not None and not len(samples):
            return doubtful(cells, samples)
        known = capability(belief, Joint)
        if known is None:
            raise PlanRefused(
                f"A route needs a belief that has joint(X), the covariance between places; {type(belief).__name__} has "
                "none. Take another model, or another strategy."
            )
        covariance = known.joint(cells.middles).covariance
        if samples is None or not self.doubt:
            return covariance
        share = 1 / (1 + (_crossings(samples, cells) / self.doubt) ** 2)
        return (1 - share) * covariance + share * doubtful(cells, samples)

    def _metres(self, remaining: Budget, cells: MapCells) -> float:
        between = self._between(cells)
        enough = ENOUGH * cells.area / cells.side + sum(cells.box.size)
        return max(0.0, min(remaining.distance, remaining.readings * between, remaining.time * self.speed, enough))

    def _between(self, cells: MapCells) -> float:
        return cells.side / READINGS_PER_CELL if self.reading_spacing is None else self.reading_spacing

    def whole(self, search: Search, belief: Belief) -> Stops:
        """The route for all that is left, or as much of it as reaches the goal."""
        if self.goal is None:
            return search.best(self.effort)
        goal = MeanDeviation(self.goal) if isinstance(self.goal, int | float) else self.goal
        return shortest(search, goal.over(belief, search.network.cells.middles), self.effort)

    def first_stretch(self, search: Search, stops: Stops) -> Stops:
        """What is driven before it is planned again; all, if hardly more would be left."""
        wanted = max(self.stretch * search.length(stops), 3 * search.network.cells.side)
        for count in range(1, len(stops)):
            if search.driven(stops[:count]) >= wanted:
                return stops[:count]
        return stops

    def _last_metres(self, network: WayNetwork, situation: Situation, rng: Generator) -> Points:
        """When no stop is near enough: home, or else some way towards the nearest."""
        begin = network.places[:1]
        if network.home is not None:
            return np.vstack([begin, self._errand(network, situation, rng)])
        stops = network.stops[network.metres[BEGIN, network.stops] > 0]
        if not len(stops):
            return np.vstack([begin, begin])
        nearest = stops[int(np.argmin(network.metres[BEGIN, stops]))]
        share = min(1.0, self._metres(situation.remaining, network.cells) / network.metres[BEGIN, nearest])
        return np.vstack([begin, begin + share * (network.places[nearest] - begin)])

    def _errand(self, network: WayNetwork, situation: Situation, rng: Generator) -> Points:
        """To any place that may still be visited; home if there is none."""
        assert network.home is not None
        try:
            return candidates(situation, 1, rng)
        except NowhereToGo:
            return network.way(BEGIN, network.home)


def readings_of(belief: Belief) -> Samples | None:
    """So far; `None` if the belief does not tell."""
    experience = capability(belief, Experienced)
    return None if experience is None else experience.samples


def _foresight(search: Search, stops: Stops, *, is_share: bool) -> Foresight | None:
    """Of a route that a search has found, and of the lawnmower for as many metres; `None` if the belief has no numbers.

    Args:
        is_share: tell errors as shares of what is not known.
    """
    error = search.error if is_share else search.deviation

    def way(stops: Stops) -> ForeseenWay:
        return ForeseenWay(search.way(stops), float(f"{error(stops):.{DIGITS}g}"))

    route = way(stops)
    if not math.isfinite(route.error):
        return None
    share = (1 + LONGER) * search.length(stops) / search.metres
    # Those that are as long as the budget were looked at already, if the search did not lack the effort.
    lawnmower = (search if share >= 1 else search.within(share)).mown(LAWNMOWERS)
    return Foresight(route, way(lawnmower) if lawnmower else None, is_share)


def _noise_variance(belief: Belief, cells: MapCells) -> float:
    """Of a reading: what it is less sure of than the field."""
    few = cells.middles[:: max(1, len(cells) // 10)]
    return max(0.0, float(np.mean(belief.predict(few).variance - belief.latent(few).variance)))


def _crossings(samples: Samples, cells: MapCells) -> float:
    """How often the vehicle has been across the region, by the cells that it has seen."""
    return len(np.unique(cells.of(samples.X))) / math.sqrt(len(cells))
