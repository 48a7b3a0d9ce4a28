"""One lap round the region, and once through its middle."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from jaxtyping import Float
from numpy.random import Generator

from akrig.protocols import Belief
from akrig.strategies.baselines.networked import Networked
from akrig.strategies.routes.search import Search, Stops

LARGEST, SMALLEST, STEPS = 0.92, 0.04, 45  # shares of the way from the middle to the border, and how many are tried
Spot = Float[np.ndarray, " 2"]


@dataclass(frozen=True)
class LapAndSpine(Networked):
    """The widest lap that the budget allows, back to where it began, and a line along the region's long axis.

    Args:
        corners: of the lap.
    """

    corners: int = 16

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.corners < 3:
            raise ValueError(f"A lap needs three corners at least; got {self.corners}.")

    def stops(self, search: Search, belief: Belief, rng: Generator) -> Stops:
        if not len(search.network.stops):
            return ()
        for share in np.linspace(LARGEST, SMALLEST, STEPS):
            fitting = [stops for stops in self._patterns(search, float(share)) if search.fits(stops)]
            if fitting:
                return min(fitting, key=lambda stops: (search.length(stops), stops))
        return ()

    def _patterns(self, search: Search, share: float) -> list[Stops]:
        """Either way round, from any corner, and either way through the middle, after the lap or before it."""
        middles = search.network.cells.middles
        centre = middles.mean(axis=0)
        angles = np.linspace(0, 2 * np.pi, self.corners, endpoint=False)
        lap = self._near(search, [centre + share * _reach(middles, centre, angle) for angle in angles])
        axis = _long_axis(middles)
        both = [centre + share * _reach(middles, centre, angle) for angle in (axis, axis + np.pi)]
        spine = self._near(search, both)
        found = []
        for turned, at in product((lap, lap[::-1]), range(len(lap))):
            ring = (*turned[at:], *turned[:at], turned[at])
            for line in (spine, spine[::-1]):
                found += [_without_repeats((*ring, *line)), _without_repeats((*line, *ring))]
        return found

    def _near(self, search: Search, places: list[Spot]) -> Stops:
        """The stops nearest to places, each once."""
        network = search.network
        spots = network.places[network.stops]
        return tuple(dict.fromkeys(int(network.stops[np.hypot(*(spots - place).T).argmin()]) for place in places))


def _reach(middles: Float[np.ndarray, "cells 2"], centre: Spot, angle: float) -> Spot:
    """From the centre in a direction, as far as the cells go there."""
    towards = np.array([np.cos(angle), np.sin(angle)])
    along, across = (middles - centre) @ towards, (middles - centre) @ np.array([-towards[1], towards[0]])
    near = np.abs(across) <= 0.2 * np.maximum(along, 0.0) + 1e-9
    return (along[near].max() if near.any() else max(0.0, float(along.max()))) * towards


def _long_axis(middles: Float[np.ndarray, "cells 2"]) -> float:
    """The direction in which the cells lie farthest apart, as an angle."""
    _, vectors = np.linalg.eigh(np.cov((middles - middles.mean(axis=0)).T) if len(middles) > 1 else np.eye(2))
    return float(np.arctan2(vectors[1, -1], vectors[0, -1]))


def _without_repeats(stops: Stops) -> Stops:
    return tuple(stop for place, stop in enumerate(stops) if not place or stop != stops[place - 1])
