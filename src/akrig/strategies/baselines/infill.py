"""What surveyors do: lines over everything, then more of them where the bed varies."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.random import Generator

from akrig.protocols import Belief
from akrig.strategies.baselines.networked import Networked
from akrig.strategies.routes.cells import apart
from akrig.strategies.routes.route import readings_of
from akrig.strategies.routes.search import Search, Stops
from akrig.strategies.routes.tours import whole_lines
from akrig.types import Points

SLIGHT = 1e-3
AROUND = 1.6  # sides of a cell: its neighbours' middles are that near, corners included


@dataclass(frozen=True)
class LawnmowerInfill(Networked):
    """The densest lawnmower that a share of the budget allows; with the rest, places whose surroundings vary most.

    How much a place varies is the spread of the predicted mean over it and its neighbours, times the way to the nearest
    reading: what was read is known.

    Args:
        share: of the budget, for the lawnmower.
    """

    share: float = 0.6

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.share <= 1:
            raise ValueError(f"share is more than 0 and at most 1; got {self.share}.")

    def stops(self, search: Search, belief: Belief, rng: Generator) -> Stops:
        samples = readings_of(belief)
        if samples is not None and not len(samples):
            first = search.within(self.share)
            return densest(first) or first.mown(20)
        return self._infill(search, belief, None if samples is None else samples.X)

    def _infill(self, search: Search, belief: Belief, seen: Points | None) -> Stops:
        network = search.network
        worth = np.zeros(len(network.places))
        worth[network.stops] = self._worth(search, belief, seen)[network.cells.of(network.places[network.stops])]
        stops: Stops = ()
        for stop in network.stops[np.argsort(-worth[network.stops], kind="stable")].tolist():
            metres, legs = search.insertions(stops)
            if worth[stop] > 0 and np.isfinite(metres[stop]):
                more = (*stops[: legs[stop]], stop, *stops[legs[stop] :])
                stops = more if search.fits(more) else stops
        return stops

    def _worth(self, search: Search, belief: Belief, seen: Points | None) -> Float[np.ndarray, " cells"]:
        middles, side = search.network.cells.middles, search.network.cells.side
        mean, near = belief.latent(middles).mean, apart(middles, middles) <= AROUND * side
        average = near @ mean / near.sum(axis=1)
        spread = np.sqrt(np.maximum(near @ mean**2 / near.sum(axis=1) - average**2, 0.0))
        spread += SLIGHT * (spread.max() or 1.0)  # where nothing varies, the widest gaps
        if seen is None or not len(seen):
            return spread
        away = np.array([np.hypot(*(seen - middle).T).min() for middle in middles])
        return np.where(away > side / 2, spread * away, 0.0)


def densest(search: Search) -> Stops:
    """The whole lawnmower of most lines that the budget allows, the better way round; nothing if it allows none."""
    whole = [(len(pattern), stops) for pattern in search.network.patterns for stops in whole_lines(pattern)]
    fitting = [(-num, search.left(stops), stops) for num, stops in whole if search.fits(stops)]
    return min(fitting)[2] if fitting else ()
