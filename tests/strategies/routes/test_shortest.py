from dataclasses import replace

import numpy as np
import pytest

from akrig.strategies.routes import Route
from akrig.testing import check_strategy
from tests.strategies.routes.test_route import BOX, ROUTE, Rugged, length, planned, searched, situation

SURE = replace(ROUTE, doubt=0.0)  # so that what is expected is the belief's own
METRES = 3000


def deviation(search, stops):
    """Of a reading, on average over the map, by the textbook: every reading on the way at its cell's middle."""
    K, rows = Rugged().joint(search.network.cells.middles).covariance, search.readings(stops)
    A = K[np.ix_(rows, rows)] + 0.01 * np.eye(len(rows))
    return np.sqrt(np.diagonal(K - K[:, rows] @ np.linalg.solve(A, K[rows])) + 0.01).mean()


def test_satisfies_the_strategy_contract():
    check_strategy(Route(num_cells=40, effort=20, goal=0.5), workspaces=[BOX])


@pytest.mark.parametrize("goal", [0.35, 0.5, 0.7])
def test_reaches_the_goal_and_goes_no_farther_than_a_lawnmower_that_does(goal):
    search = searched(SURE, situation(METRES))
    stops = replace(SURE, goal=goal).whole(search, Rugged())
    assert deviation(search, stops) <= goal + 1e-3
    directions = [[line[0] for line in pattern] for pattern in search.network.patterns]
    lawnmowers = [tuple(end for piece in lines for end in piece) for lines in directions]
    reaching = [search.length(found) for found in lawnmowers if search.fits(found) and deviation(search, found) <= goal]
    assert reaching
    assert search.length(stops) < min(reaching)


def test_every_stop_is_needed():
    search = searched(SURE, situation(METRES))
    stops = replace(SURE, goal=0.5).whole(search, Rugged())
    shorter = [(*stops[:at], *stops[at + 1 :]) for at in range(len(stops))]
    shorter = [other for other in shorter if search.length(other) < search.length(stops) - 1e-9]
    assert all(deviation(search, other) > 0.5 - 1e-3 for other in shorter)


def test_more_is_driven_for_a_better_map():
    search = searched(SURE, situation(METRES))
    metres = [search.length(replace(SURE, goal=goal).whole(search, Rugged())) for goal in (0.3, 0.45, 0.6, 0.75)]
    assert metres == sorted(metres, reverse=True)
    assert metres[-1] < 0.5 * metres[0]


def test_out_of_reach_it_is_the_best_for_the_budget():
    now = situation(400)
    assert np.array_equal(planned(replace(SURE, goal=0.11), now), planned(SURE, now))


def test_what_is_good_enough_already_is_made_better():
    """Whoever asks for more does not believe that it is, yet."""
    now = situation(400)
    assert np.array_equal(planned(replace(SURE, goal=5.0), now), planned(SURE, now))


def test_the_first_stretch_is_one_of_the_shorter_route():
    whole = replace(SURE, goal=0.6, stretch=1.0)
    assert length((10, 10), planned(whole, situation(METRES))) < 0.7 * METRES
