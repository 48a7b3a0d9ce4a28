"""Ways through given places, by their metres alone: lines, rounds about the middle, or whatever order is short."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from jaxtyping import Float

from akrig.strategies.routes.network import BEGIN, Line, WayNetwork

Stops = tuple[int, ...]  # numbers of places, in the order they come; the vehicle's own and home are not among them
Chain = tuple[int, ...]  # numbers of places; the first stays the first, and the last the last
LONGEST_PART = 3  # places that are moved together
LEAST = 1e-6  # metres that a change must save
ROUND = ((0, 0), (0.5, 0), (1, 0), (1, 0.5), (1, 1), (0.5, 1), (0, 1), (0, 0.5))


def ordered(network: WayNetwork, stops: Stops) -> Stops:
    """In a short order, with the way home where there is one."""
    if len(stops) < 2:
        return stops
    metres, home = network.metres, network.home
    if home is None:  # the end is free: as if it were as near to one place as to another
        metres, home = np.pad(metres, (0, 1)), len(metres)
    return shorter((BEGIN, *stops, home), metres)[1:-1]


def visited(network: WayNetwork, stops: Stops, place: int) -> Stops:
    """With one place more, where it adds least."""
    metres, begins = network.metres, [BEGIN, *stops]
    more = metres[begins, place]
    ends = list(stops) if network.home is None else [*stops, network.home]
    more[: len(ends)] += metres[place, ends] - metres[begins[: len(ends)], ends]
    at = int(np.argmin(more))
    return (*stops[:at], place, *stops[at:])


def rounds(network: WayNetwork, share: float) -> Iterator[Stops]:
    """Along a rectangle, of a share of the region's width and height: either way round, from any of its corners."""
    box = network.cells.box.scaled(share)
    lower, upper = np.array(box.lower), np.array(box.upper)
    corners = [lower + np.array(at) * (upper - lower) for at in ROUND]
    if not len(network.stops):
        return
    places = network.places[network.stops]
    nearest = [int(network.stops[np.hypot(*(places - corner).T).argmin()]) for corner in corners]
    ring = list(dict.fromkeys(nearest))
    for way in (ring, ring[::-1]):
        yield from (tuple(way[at:] + way[:at]) for at in range(len(way)))


def lines_of(pattern: Sequence[Line], fits: Callable[[Stops], bool]) -> Iterator[Stops]:
    """What fits of a lawnmower, either way round: all but its first lines, or its first lines."""
    for lines in _directions(pattern):
        for first in range(len(lines)):
            rest = _ends(lines[first:])
            if fits(rest):
                yield rest
                break
        whole = [_ends(lines[:last]) for last in range(1, len(lines) + 1)]
        yield from [max(filter(fits, whole), key=len, default=())]


def whole_lines(pattern: Sequence[Line]) -> Iterator[Stops]:
    """A lawnmower, each way round."""
    return map(_ends, _directions(pattern))


def _directions(pattern: Sequence[Line]) -> Iterator[list[Line]]:
    for lines in (list(pattern), list(pattern)[::-1]):
        yield lines
        yield [[(b, a) for a, b in reversed(line)] for line in lines]


def _ends(lines: Sequence[Line]) -> Stops:
    return tuple(end for line in lines for piece in line for end in piece)


def shorter(chain: Chain, metres: Float[np.ndarray, "places places"]) -> Chain:
    """By the change that saves most, again and again, until none saves anything (2-opt and or-opt).

    Ways are taken to be as long back as there.
    """
    while True:
        saved, changed = max(_turned(chain, metres), _moved(chain, metres))
        if saved <= LEAST:
            return chain
        chain = changed


def _turned(chain: Chain, metres: np.ndarray) -> tuple[float, Chain]:
    """With the best part turned round."""
    if len(chain) < 4:
        return 0.0, chain
    way = np.array(chain)
    between = metres[np.ix_(way, way)]
    legs = np.diagonal(between, 1)
    # The part from i + 1 to j is turned: legs i and j become those from i to j, and from i + 1 to j + 1.
    saved = legs[:, None] + legs - between[:-1, :-1] - between[1:, 1:]
    saved[np.tril_indices(len(legs), 1)] = 0.0
    i, j = np.unravel_index(int(np.nan_to_num(saved, nan=-np.inf).argmax()), saved.shape)
    return float(saved[i, j]), (*chain[: i + 1], *chain[i + 1 : j + 1][::-1], *chain[j + 1 :])


def _moved(chain: Chain, metres: np.ndarray) -> tuple[float, Chain]:
    """With the best part of a few places moved to another leg, either way round."""
    best, found = 0.0, chain
    for size in range(1, min(LONGEST_PART, len(chain) - 3) + 1):
        for i in range(1, len(chain) - size):
            part, rest = chain[i : i + size], np.array((*chain[:i], *chain[i + size :]))
            gap = metres[chain[i - 1], part[0]] + metres[part[-1], chain[i + size]]
            gap -= metres[chain[i - 1], chain[i + size]]
            if not gap > best:
                continue
            legs = metres[rest[:-1], rest[1:]]
            for way in (part, part[::-1]):
                saved = gap - (metres[rest[:-1], way[0]] + metres[way[-1], rest[1:]] - legs)
                at = int(np.nan_to_num(saved, nan=-np.inf).argmax())
                if saved[at] > best:
                    best = float(saved[at])
                    found = (*rest[: at + 1].tolist(), *way, *rest[at + 1 :].tolist())
    return best, found
