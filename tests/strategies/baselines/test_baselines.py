"""What all baselines promise, in a box and in an area with keep-outs; and what each is."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akrig.geometry import Box, Pose
from akrig.strategies.baselines import Cover, LapAndSpine, LawnmowerInfill, TreeSearch
from akrig.strategies.routes.route import STRAIGHT, Route
from akrig.survey.area import read_area
from akrig.survey.reserve import Affordable, WayHome
from akrig.survey.strategies import Routed
from akrig.survey.ways import AreaWays
from akrig.testing import check_strategy
from akrig.types import Budget, JointPrediction, Prediction, Samples, Situation

BOX = Box((0, 0), (300, 200))
LAKE = read_area(Path(__file__).parents[3] / "examples" / "lake.geojson")
assert LAKE.home is not None
MARGIN = 4.0
WAYS = AreaWays(LAKE, LAKE.home, MARGIN, 6.0, 1.2)
QUICK = {"num_cells": 60, "reading_spacing": 2.0}
BASELINES = {
    "infill": LawnmowerInfill(**QUICK),
    "lap": LapAndSpine(**QUICK),
    "cover": Cover(**QUICK),
    "tree": TreeSearch(tries=20, **QUICK),
}
each = pytest.mark.parametrize("name", BASELINES)


class Known:
    """A field of one lengthscale, of which some readings are known; its mean is rough in the east."""

    def __init__(self, samples=None):
        self.samples = Samples.none(2) if samples is None else samples

    def joint(self, X):
        apart = np.hypot(*(X[:, None] - X[None]).transpose(2, 0, 1))
        return JointPrediction(np.zeros(len(X)), np.exp(-(apart**2) / 2 / 40**2))

    def latent(self, X):
        return Prediction(np.where(X[:, 0] > 200, np.sin(X[:, 1] / 5), 0.0), np.ones(len(X)))

    def predict(self, X):
        return Prediction(self.latent(X).mean, np.full(len(X), 1.01))


READ = Known(Samples(np.array([[5.0, 5.0]]), np.array([0.0])))


def planned(strategy, metres, belief=None, at=(10.0, 10.0), seed=0):
    now = Situation(Pose(at), BOX, Budget(distance=metres))
    return strategy.plan(belief or Known(), now, np.random.default_rng(seed)).waypoints


def length(begin, waypoints):
    return float(np.hypot(*np.diff(np.vstack([begin, waypoints]), axis=0).T).sum())


def seen(begin, waypoints):
    """Places on the way, a metre apart."""
    way = np.vstack([begin, waypoints])
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(way, axis=0).T))])
    at = np.arange(0, along[-1], 1.0)
    return np.column_stack([np.interp(at, along, way[:, k]) for k in (0, 1)])


@each
def test_satisfies_the_strategy_contract(name):
    check_strategy(BASELINES[name])


@each
@given(metres=st.floats(0, 2500), x=st.floats(0, 300), y=st.floats(0, 200), is_first=st.booleans())
@settings(max_examples=12)
def test_a_plan_fits_the_budget_and_the_box(name, metres, x, y, is_first):
    way = planned(BASELINES[name], metres, Known() if is_first else READ, at=(x, y))
    assert BOX.contains(way, tolerance=1e-9).all()
    assert length((x, y), way) <= metres + 1e-6


@each
@pytest.mark.parametrize("metres", [150.0, 600.0, 1300.0])
def test_in_an_area_the_boat_comes_home_and_stays_inside(name, metres):
    """Plan after plan, by as much as a survey allows, until there is no place worth going to."""
    assert LAKE.home is not None
    way_home = WayHome(LAKE, LAKE.home, MARGIN, 1.2, speed=1.5)
    affordable = Affordable(Routed(replace(BASELINES[name], ways=WAYS), LAKE, MARGIN), way_home)
    at, gone, belief = np.array(LAKE.home), 0.0, Known()
    for epoch in range(60):
        left = Budget(distance=metres - gone).minus(way_home.needs(Pose(tuple(at))))
        now = Situation(Pose(tuple(at)), LAKE.extent, left, epoch, lambda X: LAKE.allows(X, margin=MARGIN))
        if left.is_spent or not affordable.is_anywhere(now, np.random.default_rng(epoch)):
            break
        way = affordable.plan(belief, now, np.random.default_rng(epoch)).waypoints
        places = seen(at, way)
        assert LAKE.allows(places[LAKE.clearance(places) < 1e9]).all()
        belief = Known(belief.samples.append(Samples(places[::2], np.zeros(len(places[::2])))))
        gone, at = gone + length(at, way), way[-1]
    back = LAKE.route_lengths(at[None], LAKE.home, margin=MARGIN)[0]
    assert 0.75 * metres < gone + back <= metres + 1e-6


@each
def test_without_readings_no_model_is_asked(name):
    class Blank(Known):
        def joint(self, X):
            raise AssertionError("A model without readings is not asked.")

        predict = latent = joint

    assert len(planned(BASELINES[name], 1500, Blank())) > 0


@each
def test_the_same_twice(name):
    assert np.array_equal(*(planned(BASELINES[name], 900, READ, seed=3) for _ in range(2)))


def test_infill_begins_as_a_lawnmower_of_its_share():
    way = planned(LawnmowerInfill(share=0.6, **QUICK), 2000)
    assert len(way) >= 4
    assert set(way[:, 0]) == {0.0, 300.0}  # ends of lines
    assert length((10, 10), way) <= 0.6 * 2000


def test_infill_goes_where_the_prediction_varies():
    lines = np.array([[x, y] for x in range(0, 301, 10) for y in (20.0, 180.0)])
    way = planned(LawnmowerInfill(**QUICK), 700, Known(Samples(lines, np.zeros(len(lines)))), at=(250.0, 100.0))
    assert np.mean(seen((250, 100), way)[:, 0] > 180) > 0.9


def test_where_nothing_varies_infill_closes_gaps():
    west = Box((0, 0), (150, 200)).grid(16, 21)
    belief = Known(Samples(west, np.zeros(len(west))))
    belief.latent = lambda X: Prediction(np.zeros(len(X)), np.ones(len(X)))
    way = planned(LawnmowerInfill(**QUICK), 700, belief, at=(150.0, 100.0))
    assert length((150, 100), way) > 500
    assert np.mean(seen((150, 100), way)[:, 0] > 160) > 0.85


def test_a_lap_goes_round_the_middle_and_back_and_a_spine_through_it():
    way = seen((150, 10), planned(LapAndSpine(**QUICK), 1500, at=(150.0, 10.0)))
    angles = np.unwrap(np.arctan2(*(way - (150, 100)).T[::-1]))
    assert np.ptp(angles) > 1.9 * np.pi
    assert np.hypot(*(way - (150, 100)).T).min() < 20
    assert np.ptp(way[:, 0]) > 1.4 * np.ptp(way[:, 1]) > 0


def test_a_lap_is_as_wide_as_the_budget_allows():
    spans = [np.ptp(planned(LapAndSpine(**QUICK), metres)[:, 0]) for metres in (400, 800, 1500)]
    assert spans == sorted(spans)
    assert spans[-1] > 200 > spans[0]


def test_a_cover_leaves_no_place_farther_from_a_reading_than_a_lawnmower_does():
    """Against whole lawnmowers of equal length, across the box as a line is laid out."""
    metres = 1500.0
    places = BOX.grid(40, 30)

    def farthest(way):
        return np.hypot(*(places[:, None] - way[None]).transpose(2, 0, 1)).min(axis=1).max()

    mine = farthest(seen((10, 10), planned(Cover(num_cells=200, reading_spacing=2.0), metres)))
    lines = (metres - 200) / 300  # as if the lines between them cost the box's height at least
    assert mine < 1.6 * 200 / lines / 2


def test_a_cover_takes_what_was_read_as_covered():
    west = Box((0, 0), (150, 200)).grid(16, 21)
    way = planned(Cover(**QUICK), 600, Known(Samples(west, np.zeros(len(west)))), at=(150.0, 100.0))
    assert np.mean(seen((150, 100), way)[:, 0] > 145) > 0.9


def test_what_is_left_of_a_budget_makes_a_cover_finer():
    """Not one cell after the other, when what was read covers all already."""
    coarse = BOX.grid(4, 3)
    way = planned(Cover(**QUICK), 300, Known(Samples(coarse, np.zeros(len(coarse)))), at=(150.0, 100.0))
    assert length((150, 100), way) > 200


def test_a_cover_does_not_learn():
    same = np.array([[50.0, 50.0], [200.0, 100.0]])
    ways = [planned(Cover(**QUICK), 900, Known(Samples(same, np.array(y)))) for y in ([0.0, 0.0], [5.0, -9.0])]
    assert np.array_equal(*ways)


def test_a_tree_of_one_leg_finds_the_one_that_gains_most_per_metre():
    """Of all there are, against trying every one."""
    tree = TreeSearch(depth=1, branching=1000, tries=600, curiosity=0.1, **QUICK)
    now = Situation(Pose((180.0, 100.0)), BOX, Budget(distance=400))
    search = Route(**QUICK).search(READ, now, STRAIGHT.network(now, 60))
    rates = {
        stop: (search.left(()) - search.left((stop,))) / search.driven((stop,))
        for stop in search.network.stops.tolist()
        if search.fits((stop,)) and search.driven((stop,)) > 0
    }
    (found,) = tree.stops(search, READ, np.random.default_rng(0))
    assert rates[found] >= 0.98 * max(rates.values())
    assert rates[found] > 1.3 * np.median(list(rates.values()))


def test_the_tree_draws_from_the_missions_generator():
    ways = {planned(TreeSearch(tries=15, **QUICK), 900, READ, seed=seed).tobytes() for seed in range(6)}
    assert len(ways) > 1


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: LawnmowerInfill(share=0.0), "share is more than 0"),
        (lambda: LapAndSpine(corners=2), "three corners"),
        (lambda: TreeSearch(depth=0), "depth is at least 1"),
        (lambda: TreeSearch(curiosity=-1.0), "curiosity is 0 or more"),
        (lambda: Cover(num_cells=1), "4 cells"),
    ],
)
def test_what_makes_no_sense_is_refused(make, rule):
    with pytest.raises(ValueError, match=rule):
        make()
