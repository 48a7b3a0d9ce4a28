"""Every place within reach of a reading, at the least metres: a greedy cover."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool
from numpy.random import Generator

from akrig.protocols import Belief
from akrig.strategies.baselines.networked import Networked
from akrig.strategies.routes.cells import Numbers, apart
from akrig.strategies.routes.route import readings_of
from akrig.strategies.routes.search import Search, Stops

HALVINGS = 6  # of the span of the covering radius


@dataclass(frozen=True)
class Cover(Networked):
    r"""Covers the map under a known stationary kernel, as finely as the budget allows.

    A reading covers the places where it alone leaves no more than a share of the variance,
    $1 - k(d)^2 / (1 + \sigma^2)$: with any kernel that falls with the distance d these are a disc, and the smallest is
    taken for which a tour covers all. The tour takes in the place that covers most anew per extra metre, again and
    again, until nothing is left (the generalised cost-benefit greedy, as in GCBCover of SGP-Tools; written from the
    idea). It does not learn: what the readings say changes nothing.
    """

    def stops(self, search: Search, belief: Belief, rng: Generator) -> Stops:
        network, samples = search.network, readings_of(belief)
        seen = network.cells.of(samples.X) if samples is not None and len(samples) else np.empty(0, dtype=int)
        distances = apart(network.cells.middles, network.cells.middles)
        side = network.cells.side
        low, high = np.log(0.5 * side), np.log(max(float(distances.max()), side))
        whole: Stops = ()
        part: Stops = ()  # of a finer cover that the budget does not allow: what is done when the coarser needs nothing
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            tour, is_whole = self._tour(search, distances <= np.exp(middle), seen)
            if is_whole:
                high, whole = middle, tour or whole
            else:
                low, part = middle, tour or part
        return whole or part

    def _tour(self, search: Search, covers: Bool[np.ndarray, "all all"], seen: Numbers) -> tuple[Stops, bool]:
        """What is driven, and whether it covers all."""
        network, stops = search.network, ()
        cell = network.cells.of(network.places[network.stops])
        while True:
            read = np.unique(np.concatenate([seen, search.readings(stops)]))
            open_cells = ~covers[read].any(axis=0)
            gains = covers[cell][:, open_cells].sum(axis=1)
            if not gains.any():
                return stops, True  # what no stop covers cannot be
            metres, legs = search.insertions(stops)
            rates = gains / np.maximum(metres[network.stops], 1e-9)
            for place in np.argsort(-rates, kind="stable")[:5].tolist():
                stop = int(network.stops[place])
                more = (*stops[: legs[stop]], stop, *stops[legs[stop] :])
                if rates[place] > 0 and search.fits(more):
                    break
            else:
                return stops, False
            stops = more
