"""In which order to visit places: a shorter one is found by turning parts of it round, or moving them elsewhere."""

import numpy as np
from jaxtyping import Float

Chain = tuple[int, ...]  # numbers of places; the first stays the first, and the last the last
LONGEST_PART = 3  # places that are moved together
LEAST = 1e-6  # metres that a change must save


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
