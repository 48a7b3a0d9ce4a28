"""What the baselines share: stops of a network, in a box or in an area with keep-outs, with the way home counted."""

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from functools import cached_property

from numpy.random import Generator

from akrig.protocols import Belief
from akrig.strategies.routes.network import Ways
from akrig.strategies.routes.route import STRAIGHT, Route
from akrig.strategies.routes.search import Search, Stops
from akrig.threads import blas_threads
from akrig.types import Plan, Situation


@dataclass(frozen=True)
class Networked(ABC):
    """Drives stops that it chooses among the cells of a map, by the same ways and with the same metres as `Route`.

    Args:
        num_cells: of the map, about.
        reading_spacing: metres between readings; a quarter of a cell if it is not given.
        speed: metres per second, for budgets of time.
        spacing: a waypoint at least every so many metres; `None` has waypoints where the way bends only.
        ways: of a region that is no box.
    """

    _: KW_ONLY
    num_cells: int = 400
    reading_spacing: float | None = None
    speed: float = 1.0
    spacing: float | None = None
    ways: Ways = STRAIGHT

    def __post_init__(self) -> None:
        _ = self._route  # checks what is shared

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        network = self.ways.network(situation, self.num_cells)
        search = self._route.search(belief, situation, network)
        with blas_threads(len(network.cells)):
            stops = self.stops(search, belief, rng)
        return self._route.driven(network, stops, situation, rng)

    @abstractmethod
    def stops(self, search: Search, belief: Belief, rng: Generator) -> Stops:
        """What is driven before the next plan; it must fit."""

    @cached_property
    def _route(self) -> Route:
        return Route(
            num_cells=self.num_cells,
            reading_spacing=self.reading_spacing,
            speed=self.speed,
            spacing=self.spacing,
            ways=self.ways,
        )
