import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.errors import PlanRefused
from akrig.geometry import Box, Pose
from akrig.strategies.lawnmower import turning_points
from akrig.strategies.pilot import KnowsNothing
from akrig.strategies.routes import Route
from akrig.strategies.routes.network import BEGIN
from akrig.strategies.routes.objectives import OBJECTIVES
from akrig.strategies.routes.search import LAPS
from akrig.testing import check_strategy
from akrig.types import Budget, JointPrediction, Prediction, Samples, Situation

BOX = Box((0, 0), (300, 200))
ROUTE = Route(num_cells=150, effort=150, reading_spacing=2.0)
QUICK = Route(num_cells=40, effort=20)


class Rugged:
    """A field that nobody has seen: gentle in the west, and so rough in the east that only what is seen is known."""

    samples = Samples(np.array([[1.0, 1.0], [2.0, 2.0]]), np.array([0.0, 1.0]))

    def joint(self, X):
        apart = np.hypot(*(X[:, None] - X[None]).transpose(2, 0, 1))
        lengths = np.where(X[:, 0] < 150, 150.0, 15.0)
        both = lengths[:, None] ** 2 + lengths[None] ** 2
        # Gibbs's kernel, in two dimensions.
        return JointPrediction(np.zeros(len(X)), 2 * np.outer(lengths, lengths) / both * np.exp(-(apart**2) / both))

    def latent(self, X):
        return Prediction(np.zeros(len(X)), np.ones(len(X)))

    def predict(self, X):
        return Prediction(np.zeros(len(X)), np.full(len(X), 1.01))


def situation(metres, at=(10.0, 10.0), **more):
    return Situation(Pose(at), BOX, Budget(distance=metres), **more)


def searched(route, now, belief=None):
    return route.search(belief or Rugged(), now, route.ways.network(now, route.num_cells))


def planned(route, now, belief=None, seed=0):
    return route.plan(belief or Rugged(), now, np.random.default_rng(seed)).waypoints


def length(begin, waypoints):
    return float(np.hypot(*np.diff(np.vstack([begin, waypoints]), axis=0).T).sum())


def test_satisfies_the_strategy_contract():
    check_strategy(QUICK)


@pytest.mark.parametrize("objective", sorted(set(OBJECTIVES) - {QUICK.objective}))
def test_satisfies_the_strategy_contract_whatever_the_objective(objective):
    check_strategy(replace(QUICK, objective=objective), workspaces=[BOX])


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("metres", [200, 800, 2500])
def test_is_never_worse_than_the_lawnmowers_that_fit(objective, metres):
    # Where nearly all is read, little is left to be told of: then the best lawnmower is not among the longest.
    route = replace(ROUTE, objective=objective, effort=600 if objective == "mutual-information" else ROUTE.effort)
    search = searched(route, situation(metres))
    best = search.best(route.effort)
    lines = [list(itertools.chain(*(line[0] for line in pattern))) for pattern in search.network.patterns]
    fitting = [tuple(stops) for stops in lines if search.fits(tuple(stops))]
    assert metres < 500 or fitting
    assert all(search.left(best) <= search.left(stops) for stops in fitting)
    assert search.left(best) < search.left(())
    assert search.driven(best) <= metres + 1e-6


def test_many_cells_make_no_worse_a_plan_than_the_lawnmowers():
    """Beginnings are told apart by few cells, and what is driven by all of them."""
    route = replace(ROUTE, num_cells=900, doubt=0.0)
    search = searched(route, situation(1200))
    best = search.best(route.effort)
    assert search.left(best) < 0.95 * search.left(search.mown(10_000))
    assert search.driven(best) <= 1200 + 1e-6


def test_goes_where_there_is_more_to_find():
    route, now = replace(ROUTE, doubt=0.0), situation(1000, at=(150.0, 100.0))
    search = searched(route, now)
    seen = search.network.cells.middles[search.readings(search.best(route.effort))]
    assert np.mean(seen[:, 0] >= 150) > 0.55  # an even route has half


def test_what_it_expects_is_what_a_gaussian_process_would_leave():
    """Route by route, against conditioning on every reading at its cell's middle, by the textbook."""
    route, belief = replace(ROUTE, doubt=0.0, num_cells=60), Rugged()
    search = searched(route, situation(600), belief)
    stops = search.best(route.effort)
    K = belief.joint(search.network.cells.middles).covariance
    rows = search.readings(stops)
    A = K[np.ix_(rows, rows)] + 0.01 * np.eye(len(rows))
    left = np.trace(K) - np.trace(K[:, rows] @ np.linalg.solve(A, K[rows]))
    assert search.left(stops) == pytest.approx(left, rel=1e-3)


def test_doubt_sends_it_to_what_a_model_is_too_sure_of():
    class Sure(Rugged):
        """Has seen the south-west corner, and thinks that it knows everything but that."""

        def joint(self, X):
            there = np.hypot(*X.T) < 100
            return JointPrediction(np.zeros(len(X)), np.diag(np.where(there, 1.0, 1e-6)))

    def farthest(doubt):
        route = replace(ROUTE, doubt=doubt)
        search = searched(route, situation(900), Sure())
        seen = search.network.cells.middles[search.readings(search.best(route.effort))]
        return np.hypot(*(seen - (300, 200)).T).min()

    assert farthest(0.0) > 100
    assert farthest(2.0) < 60


def test_knowing_nothing_it_looks_everywhere():
    class Blank(Rugged):
        samples = Samples.none(2)

        def joint(self, X):
            raise AssertionError("A model without readings is not asked.")

        predict = latent = joint

    search = searched(ROUTE, situation(1300), Blank())
    stops = search.best(ROUTE.effort)
    seen = search.network.cells.middles[search.readings(stops)]
    everywhere = BOX.grid(30, 20)
    nearest = np.hypot(*(everywhere[:, None] - seen[None]).transpose(2, 0, 1)).min(axis=1)
    lawnmower = turning_points(Box((0, 25), (300, 175)), 4)  # as long
    assert length(lawnmower[0], lawnmower) > 1300
    assert nearest.max() < 90


@pytest.mark.parametrize("metres", [700, 1400, 2400])
def test_an_even_route_leaves_less_than_lawnmowers_and_no_large_gap(metres):
    """Of a field that is equally rough everywhere: corners are seen, and the boat is not sent to and fro."""

    class Blank(Rugged):
        samples = Samples.none(2)

    search = searched(ROUTE, situation(metres), Blank())
    stops, mown = search.best(ROUTE.effort), search.mown(10_000)
    assert search.left(stops) < 0.9 * search.left(mown)

    def farthest(stops):
        seen = search.network.cells.middles[search.readings(stops)]
        everywhere = BOX.grid(30, 20)
        return np.hypot(*(everywhere[:, None] - seen[None]).transpose(2, 0, 1)).min(axis=1).max()

    assert farthest(stops) < 1.2 * farthest(mown)


def test_only_the_first_stretch_is_driven():
    way = planned(ROUTE, situation(1500))
    assert 0.12 * 1000 < length((10, 10), way) < 600
    whole = planned(replace(ROUTE, stretch=1.0), situation(1500))
    assert 1200 < length((10, 10), whole) <= 1500 + 1e-6


@given(st.floats(0, 3000), st.floats(0, 300), st.floats(0, 200), st.sampled_from(["distance", "readings", "time"]))
def test_the_plan_fits_the_budget_whatever_it_is(metres, x, y, limit):
    route = replace(QUICK, reading_spacing=2.0, speed=0.5, stretch=1.0)
    budget = {"distance": metres, "readings": metres / 2.0, "time": metres / 0.5}[limit]
    now = Situation(Pose((x, y)), BOX, Budget(**{limit: budget}))
    way = planned(route, now)
    assert BOX.contains(way).all()
    assert length((x, y), way) <= metres + 1e-6


def test_a_budget_without_end_makes_no_endless_plan():
    way = planned(replace(QUICK, stretch=1.0), Situation(Pose((0, 0)), BOX, Budget()))
    assert length((0, 0), way) < 10_000


def test_stops_and_cells_are_open_places():
    now = situation(1000, at=(20.0, 100.0), is_open=lambda X: X[:, 0] < 120)
    way = planned(replace(ROUTE, stretch=1.0), now)
    assert way[:, 0].max() < 120
    search = searched(ROUTE, now)
    assert search.network.cells.middles[:, 0].max() < 120


def test_a_mission_that_goes_on_makes_the_same_plan():
    """Nothing is kept between plans: a new strategy makes that of an old one."""
    used = replace(ROUTE)
    first, second = situation(1500), situation(900, at=(200.0, 50.0))
    planned(used, first)
    assert np.array_equal(planned(used, second), planned(replace(ROUTE), second, seed=5))


def test_waypoints_are_near_enough_for_those_who_read_there():
    way = planned(replace(ROUTE, spacing=3.0), situation(500))
    assert np.hypot(*np.diff(np.vstack([(10, 10), way]), axis=0).T).max() <= 3 + 1e-9


def test_a_belief_that_knows_no_covariance_is_told_so():
    class Alone:
        def predict(self, X):
            return KnowsNothing().predict(X)

        latent = predict

    with pytest.raises(PlanRefused, match=r"has joint\(X\).*Alone has none"):
        planned(ROUTE, situation(100), Alone())


def test_the_largest_plan_is_made_of_few_forecasts():
    route = Route(num_cells=100, effort=90, reading_spacing=2.0)
    search = searched(route, situation(3000))
    search.best(route.effort)
    assert search.forecasts < 2 * route.effort + 16 * len(LAPS)


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"objective": "luck"}, "objective is one of variance"),
        ({"doubt": -1.0}, "doubt is a number of crossings"),
        ({"stretch": -0.1}, "stretch is a share"),
        ({"target": 0.0}, "target must be positive"),
        ({"num_cells": 1}, "4 cells"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, rule):
    with pytest.raises(ValueError, match=rule):
        Route(**wrong)


def test_a_line_is_no_place_for_routes():
    line = Situation(Pose((0.0,)), Box((0,), (5,)), Budget(distance=9))
    with pytest.raises(PlanRefused, match="two dimensions"):
        ROUTE.plan(Rugged(), line, np.random.default_rng(0))


def test_the_first_place_of_a_network_is_the_vehicles():
    network = ROUTE.ways.network(situation(100, at=(7.0, 8.0)), 100)
    assert network.places[BEGIN].tolist() == [7, 8]
    assert BEGIN not in network.stops
