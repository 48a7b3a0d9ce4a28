import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.strategies.routes.cells import apart
from akrig.strategies.routes.tours import shorter

seeds = st.integers(0, 10_000)


def length(chain, metres):
    return metres[chain[:-1], chain[1:]].sum()


def distances(seed, num):
    X = np.random.default_rng(seed).uniform(0, 100, (num, 2))
    return apart(X, X)


@given(seeds, st.integers(2, 12))
def test_the_same_places_are_visited_between_the_same_ends(seed, num):
    metres, chain = distances(seed, num), tuple(range(num))
    found = shorter(chain, metres)
    assert sorted(found) == list(chain)
    assert (found[0], found[-1]) == (0, num - 1)
    assert length(found, metres) <= length(chain, metres) + 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_is_nearly_as_short_as_the_shortest_of_all(seed):
    metres = distances(seed, 8)
    every = [(0, *between, 7) for between in itertools.permutations(range(1, 7))]
    shortest = min(length(chain, metres) for chain in every)
    assert length(shorter(tuple(range(8)), metres), metres) < 1.1 * shortest


def test_a_crossing_is_undone():
    square = np.array([(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)])
    assert shorter((0, 1, 2, 3), apart(square, square)) == (0, 2, 1, 3)


def test_ways_that_do_not_exist_are_not_taken():
    metres = distances(3, 6)
    metres[2, 4] = metres[4, 2] = np.inf
    found = shorter((0, 1, 2, 3, 4, 5), metres)
    assert np.isfinite(length(found, metres))
