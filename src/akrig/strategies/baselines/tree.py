"""A few legs ahead, by Monte-Carlo tree search."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from akrig.protocols import Belief
from akrig.strategies.baselines.networked import Networked
from akrig.strategies.routes.network import BEGIN
from akrig.strategies.routes.search import Search, Stops


@dataclass
class _Node:
    """A beginning of a route, and what was seen of those that go on from it."""

    stops: Stops
    untried: list[int]
    children: list["_Node"] = field(default_factory=list)
    visits: int = 0
    worth: float = 0.0

    def promise(self, parent_visits: int, curiosity: float) -> float:
        """Upper confidence bound."""
        return self.worth / self.visits + curiosity * math.sqrt(math.log(parent_visits) / self.visits)


@dataclass(frozen=True)
class TreeSearch(Networked):
    """The first leg of the best few that were tried; then it thinks again.

    Legs are judged by what they lower the variance of the whole map by, per metre, with the readings along them; a few
    go on at random to the full depth. (UCT, Kocsis and Szepesvari, 2006, over stops that are drawn anew at every node.)

    Args:
        depth: legs ahead.
        branching: stops to choose from after each.
        tries: routes that are judged for a plan.
        curiosity: weight of what was tried little, the best found being 1.
    """

    depth: int = 4
    branching: int = 8
    tries: int = 150
    curiosity: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("depth", "branching", "tries"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is at least 1; got {getattr(self, name)}.")
        if not self.curiosity >= 0:
            raise ValueError(f"curiosity is 0 or more; got {self.curiosity}.")

    def stops(self, search: Search, belief: Belief, rng: Generator) -> Stops:
        root = self._node(search, (), rng)
        now, best = search.left(()), 0.0
        for _ in range(self.tries):
            path = self._descend(search, root, rng)
            stops = self._rollout(search, path[-1].stops, rng)
            rate = (now - search.left(stops)) / max(search.driven(stops), 1e-9) if stops else 0.0
            best = max(best, rate)
            for node in path:
                node.visits += 1
                node.worth += rate / best if best > 0 else 0.0
        if not root.children:
            return ()
        return max(root.children, key=lambda node: (node.visits, node.worth)).stops

    def _descend(self, search: Search, root: _Node, rng: Generator) -> list[_Node]:
        """To a node that is new, or as deep as legs are looked ahead."""
        path = [root]
        while len(path) <= self.depth:
            node = path[-1]
            if node.untried:
                child = self._node(search, (*node.stops, node.untried.pop()), rng)
                node.children.append(child)
                return [*path, child]
            if not node.children:
                break
            path.append(max(node.children, key=lambda each: each.promise(node.visits, self.curiosity)))
        return path

    def _rollout(self, search: Search, stops: Stops, rng: Generator) -> Stops:
        while len(stops) < self.depth:
            drawn = self._drawn(search, stops, rng)
            if not drawn:
                break
            stops = (*stops, drawn[0])
        return stops

    def _node(self, search: Search, stops: Stops, rng: Generator) -> _Node:
        return _Node(stops, self._drawn(search, stops, rng) if len(stops) < self.depth else [])

    def _drawn(self, search: Search, stops: Stops, rng: Generator) -> list[int]:
        """A few stops that may come next."""
        at, network = stops[-1] if stops else BEGIN, search.network
        metres = network.metres[at, network.stops]
        may = network.stops[(metres > 0) & np.isfinite(metres)]
        drawn = rng.permutation(may)[: 3 * self.branching].tolist()
        return [stop for stop in drawn if search.fits((*stops, stop))][: self.branching]
