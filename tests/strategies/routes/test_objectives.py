"""Mutual information, against the textbook's determinants of the whole covariance."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.geometry import Box
from akrig.strategies.routes.cells import MapCells, apart
from akrig.strategies.routes.forecast import JITTER
from akrig.strategies.routes.objectives import Information

CELLS = MapCells.over(Box((0, 0), (6, 4)), side=1.0, counts=None)
COVARIANCE = 4 * np.exp(-np.square(apart(CELLS.middles, CELLS.middles)) / 8) * np.linspace(0.5, 2, 24)[:, None]
COVARIANCE *= np.linspace(0.5, 2, 24)
NOISE = 0.05
some_cells = st.lists(st.integers(0, len(CELLS) - 1), max_size=40).map(lambda cells: np.array(cells, dtype=int))


def entropy(covariance):
    return 0.5 * np.linalg.slogdet(2 * np.pi * np.e * covariance)[1]


def textbook(readings, others=None):
    """H(all readings) - H(all readings | one in every cell that has none): no matrix but the joint covariance."""
    others = np.setdiff1d(np.arange(len(CELLS)), readings) if others is None else others
    jitter = JITTER * np.diagonal(COVARIANCE).mean()  # what lies between the middles of cells; the same for a cell
    read, told = np.unique(readings), np.bincount(readings, minlength=len(CELLS))
    noise = np.concatenate([NOISE / told[read] + jitter, np.full(len(others), NOISE + jitter)])
    both = np.concatenate([read, others])
    joint = COVARIANCE[np.ix_(both, both)] + np.diag(noise)
    k = len(read)
    return entropy(joint[:k, :k]) + entropy(joint[k:, k:]) - entropy(joint)


@given(some_cells)
def test_what_is_left_is_minus_the_mutual_information(readings):
    if len(readings):
        assert -Information(COVARIANCE, NOISE).left(readings) == pytest.approx(textbook(readings), rel=1e-6, abs=1e-9)
    else:
        assert Information(COVARIANCE, NOISE).left(readings) == 0


def test_everything_read_tells_nothing_of_what_is_not():
    assert Information(COVARIANCE, NOISE).left(np.arange(len(CELLS))) == pytest.approx(0, abs=1e-9)


@given(some_cells)
def test_a_gain_is_what_a_first_reading_of_a_cell_adds(readings):
    """Exactly, where that is anything; a second reading tells of the same others as the first."""
    information = Information(COVARIANCE, NOISE)
    gains = information.gains(readings)
    for cell in range(0, len(CELLS), 5):
        if cell in readings:
            others = np.setdiff1d(np.arange(len(CELLS)), readings)
            more = textbook(np.append(readings, cell), others) - textbook(readings, others)
            assert gains[cell] == pytest.approx(more, rel=2e-2, abs=1e-3)
        else:
            more = textbook(np.append(readings, cell)) - (textbook(readings) if len(readings) else 0.0)
            assert gains[cell] == pytest.approx(max(more, 0.0), rel=1e-5, abs=1e-8)


def test_the_best_of_all_pairs_is_not_at_the_border():
    """As in the paper that proposed it: readings at the border waste half of what they tell."""
    plain = np.exp(-np.square(apart(CELLS.middles, CELLS.middles)) / 4)
    information = Information(plain, NOISE)
    best = min(itertools.combinations(range(len(CELLS)), 2), key=lambda pair: information.left(np.array(pair)))
    inner = Box((1, 1), (5, 3))
    assert inner.contains(CELLS.middles[list(best)]).all()


def test_few_cells_are_judged_by_themselves():
    cells = np.arange(0, len(CELLS), 2)
    few = Information(COVARIANCE, NOISE).few(cells)
    assert few.left(np.array([2, 3])) == Information(COVARIANCE[np.ix_(cells, cells)], NOISE).left(np.array([2, 3]))
