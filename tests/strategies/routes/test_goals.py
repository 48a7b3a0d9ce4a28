from dataclasses import replace

import numpy as np
import pytest

from akrig.s44 import BY_NAME, SharedError
from akrig.strategies.pilot import KnowsNothing
from akrig.strategies.routes.goals import AllOf, MeanDeviation, OrderMet
from akrig.types import Prediction, Samples
from tests.strategies.routes.test_route import ROUTE, Rugged, searched, situation

SURE = replace(ROUTE, doubt=0.0, effort=60)  # so that what is expected is the belief's own


class Sloping(Rugged):
    """Ever deeper to the east, where an order allows more."""

    def predict(self, X):
        return Prediction(X[:, 0] / 10, np.full(len(X), 1.01))


def share_met(search, stops, *, metres):
    """Of the cells, by the textbook and the table of S-44: Order 2."""
    X, rows = search.network.cells.middles, search.readings(stops)
    K = Rugged().joint(X).covariance
    A = K[np.ix_(rows, rows)] + 0.01 * np.eye(len(rows))
    variance = np.diagonal(K - K[:, rows] @ np.linalg.solve(A, K[rows])) + 0.01 + metres**2
    return np.mean(1.96 * np.sqrt(variance) <= np.sqrt(1.0 + (0.023 * X[:, 0] / 10) ** 2) + 1e-3)


@pytest.mark.parametrize("metres", [0.0, 0.3])
def test_a_route_reaches_an_order_on_the_share_of_the_map_that_is_wanted(metres):
    search = searched(SURE, situation(2500), Sloping())
    lengths = []
    for share in (0.4, 0.75):
        goal = OrderMet(BY_NAME["2"], share, SharedError(metres))
        stops = replace(SURE, goal=goal).whole(search, Sloping())
        lengths.append(search.length(stops))
        assert share_met(search, stops, metres=metres) >= share
    assert lengths[0] < lengths[1]


def test_it_is_judged_by_the_depth_of_each_place():
    X = np.array([[0.0, 0.0], [1000.0, 0.0]])
    half = OrderMet(BY_NAME["1b"], 0.5, SharedError()).over(Sloping(), X)
    all_of_it = OrderMet(BY_NAME["1b"], 1.0, SharedError()).over(Sloping(), X)
    std = np.array([0.5, 0.5])  # 0.98 m, 95 %: allowed are 0.5 m in shallow water, and 1.4 m at 100 m
    assert half(std)
    assert not all_of_it(std)
    assert all_of_it(std / 2)


def test_before_any_reading_nobody_knows_how_deep_it_is():
    class Empty(KnowsNothing):
        samples = Samples.none(2)

    assert not OrderMet(BY_NAME["2"], 0.01, SharedError()).over(Empty(), np.zeros((3, 2)))(np.zeros(3))


def test_several_goals_are_reached_together():
    X, std = np.zeros((2, 2)), np.array([0.2, 0.4])
    order = OrderMet(BY_NAME["1b"], 0.5, SharedError())
    assert AllOf((MeanDeviation(0.31), order)).over(Sloping(), X)(std)
    assert not AllOf((MeanDeviation(0.29), order)).over(Sloping(), X)(std)
    assert not AllOf((MeanDeviation(0.31), replace(order, share=0.6))).over(Sloping(), X)(std)
