import numpy as np
import pytest

from akrig.errors import PlanRefused
from akrig.geometry import Box, Pose
from akrig.strategies import BezierPilot, Lawnmower, LawnmowerPilot, MaxEntropy, Myopic, Uniform
from akrig.strategies.candidates import entropy, rescaled
from akrig.strategies.lawnmower import turning_points
from akrig.strategies.pilot import TOUR, bezier
from akrig.testing import check_strategy
from akrig.testing.strategies import FarIsUnsure, KnowsNothing
from akrig.types import Budget, Plan, Prediction, Situation

BOX = Box((0, 0), (20, 10))


def situation(x=0.0, y=0.0, workspace=BOX):
    return Situation(Pose((x, y)), workspace, Budget(readings=100))


@pytest.mark.parametrize(
    "strategy",
    [
        Uniform(),
        MaxEntropy(50),
        Myopic(50),
        Lawnmower(5),
        Lawnmower(2, spacing=0.3),
        BezierPilot(20),
        BezierPilot(20, wander=2.0),
        LawnmowerPilot(20, 3),
    ],
    ids=repr,
)
def test_satisfies_the_strategy_contract(strategy):
    check_strategy(strategy)


def test_entropy_is_that_of_a_gaussian():
    from scipy.stats import norm

    assert entropy(np.array([0.25, 4.0])) == pytest.approx([norm(0, 0.5).entropy(), norm(0, 2).entropy()])


def test_rescaled_survives_values_that_do_not_vary():
    assert np.array_equal(rescaled(np.full(3, 7.0)), np.zeros(3))
    assert rescaled(np.array([2.0, 4.0, 3.0])) == pytest.approx([0, 1, 0.5])


def test_active_sampling_goes_where_the_belief_is_least_certain(rng):
    place = MaxEntropy(5000).plan(FarIsUnsure(), situation(), rng).waypoints[0]
    assert place == pytest.approx((20, 10), abs=1.0)


def test_myopic_planning_weighs_information_against_distance(rng):
    near = Myopic(2000).plan(KnowsNothing(), situation(5, 5), rng).waypoints[0]
    assert np.linalg.norm(near - (5, 5)) < 0.5  # nothing to learn anywhere: the nearest
    X = np.random.default_rng(3).uniform(BOX.lower, BOX.upper, (300, 2))
    found = Myopic(300).plan(FarIsUnsure(), situation(5, 5), np.random.default_rng(3)).waypoints[0]
    h = 0.5 * np.log(2 * np.pi * np.e * FarIsUnsure().predict(X).variance)
    d = np.hypot(*(X - (5, 5)).T)
    scores = (h - h.min()) / np.ptp(h) - (d - d.min()) / np.ptp(d)
    assert np.array_equal(found, X[np.argmax(scores)])


def test_myopic_planning_by_deviation_goes_farther_where_noise_is_small():
    """The mission's reason for it: with little noise, entropy hardly tells a track's edge from the unseen."""

    class KnowsItsTrack(KnowsNothing):
        def predict(self, X):
            return Prediction(np.zeros(len(X)), 1e-6 + 1 - np.exp(-(X[:, 0] ** 2)))

    def distance(information):
        rngs = [np.random.default_rng(seed) for seed in range(20)]
        plans = [Myopic(500, information).plan(KnowsItsTrack(), situation(0, 5), rng) for rng in rngs]
        return np.mean([plan.waypoints[0, 0] for plan in plans])

    assert distance("deviation") > 1.1 * distance("entropy")
    with pytest.raises(ValueError, match="information is entropy or deviation; got 'variance'"):
        Myopic(10, "variance")


def test_uniform_draws_cover_the_workspace(rng):
    X = np.concatenate([Uniform().plan(KnowsNothing(), situation(), rng).waypoints for _ in range(500)])
    assert X.mean(axis=0) == pytest.approx((10, 5), rel=0.1)


def test_bezier_by_de_casteljau():
    corners = np.array(TOUR, dtype=float)
    t = 0.37
    points = corners
    while len(points) > 1:
        points = (1 - t) * points[:-1] + t * points[1:]
    assert bezier(corners, 101)[37] == pytest.approx(points[0])
    assert bezier(corners, 5)[[0, -1]] == pytest.approx(corners[[0, -1]])


def test_the_pilot_wanders_only_if_asked(rng):
    def curve(wander, seed):
        return BezierPilot(30, wander).plan(KnowsNothing(), situation(), np.random.default_rng(seed)).waypoints

    assert np.array_equal(curve(0.0, 1), curve(0.0, 2))
    assert not np.allclose(curve(0.5, 1), curve(0.5, 2))


def test_the_lawnmower_pilot_spaces_its_points_evenly():
    X = LawnmowerPilot(91, 4).plan(KnowsNothing(), situation(), np.random.default_rng(0)).waypoints
    corners = turning_points(BOX, 4)
    assert np.array_equal(X[[0, -1]], corners[[0, -1]])
    steps = np.linalg.norm(np.diff(X, axis=0), axis=1)
    assert np.quantile(steps, 0.2) == pytest.approx(steps.max())  # shorter only across corners


@pytest.mark.parametrize("spacing", [None, 1.5])
@pytest.mark.parametrize("num_lines", [4, 5])
def test_the_lawnmower_visits_every_line_in_turn_wherever_it_begins(spacing, num_lines):
    strategy, at, way = Lawnmower(num_lines, spacing), (10.0, 5.0), []  # where the Bezier pilot ends
    for epoch in range(1, num_lines + 2):
        now = Situation(Pose(at), BOX, Budget(readings=100), epoch)
        plan = strategy.plan(KnowsNothing(), now, np.random.default_rng(0))
        way.append(np.vstack([at, plan.waypoints]))
        at = tuple(plan.waypoints[-1] + 0.01)  # a vehicle never stops exactly there
    ends = turning_points(BOX, num_lines)
    for line in range(num_lines):
        assert np.allclose(way[line][-1], ends[2 * line + 1])
        assert np.linalg.norm(way[line] - ends[2 * line], axis=1).min() < 1e-9
    assert np.allclose(way[num_lines][-1], ends[1])  # and again
    if spacing:
        assert max(np.linalg.norm(np.diff(leg, axis=0), axis=1).max() for leg in way) <= spacing + 1e-9


def test_candidates_keep_to_the_open_part(rng):
    half = Situation(Pose((0, 0)), BOX, Budget(readings=9), 1, lambda X: X[:, 0] < 5)
    for strategy in (Uniform(), MaxEntropy(100), Myopic(100)):
        assert strategy.plan(FarIsUnsure(), half, rng).waypoints[0, 0] < 5
    nowhere = Situation(Pose((0, 0)), BOX, Budget(readings=9), 1, lambda X: np.zeros(len(X), bool))
    with pytest.raises(PlanRefused, match="hardly a place"):
        Uniform().plan(FarIsUnsure(), nowhere, rng)


def test_the_lawnmower_pilot_sweeps_a_line():
    line = Situation(Pose((0.0,)), Box((2,), (5,)), Budget(readings=9), 0)
    assert np.allclose(
        LawnmowerPilot(4).plan(KnowsNothing(), line, np.random.default_rng(0)).waypoints[:, 0], [2, 3, 4, 5]
    )


def test_a_lawnmower_fits_the_distance_it_is_given():
    strategy = Lawnmower.for_distance(200.0, BOX)
    assert Lawnmower.length(BOX, strategy.num_lines) <= 200 < Lawnmower.length(BOX, strategy.num_lines + 1)


@pytest.mark.parametrize("strategy", [Lawnmower(3), BezierPilot()], ids=repr)
def test_patterns_need_a_plane(strategy):
    line = Box((0,), (1,))
    with pytest.raises(PlanRefused, match="two dimensions"):
        strategy.plan(KnowsNothing(), Situation(Pose((0.5,)), line, Budget(readings=9)), np.random.default_rng(0))


@pytest.mark.parametrize("make", [lambda: Lawnmower(1), lambda: LawnmowerPilot(10, 1), lambda: BezierPilot(1)])
def test_patterns_need_enough_of_everything(make):
    with pytest.raises(ValueError, match="at least two"):
        make()


def test_a_plan_is_finite_and_has_a_waypoint(unchecked):
    with pytest.raises(ValueError, match="at least one"):
        Plan(np.empty((0, 2)))
    with pytest.raises(ValueError, match=r"number 1 is \[nan, 0.0\]"):
        Plan(np.array([[0.0, 0.0], [np.nan, 0.0]]))
