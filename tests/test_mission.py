import math

import numpy as np
import pytest
from gpytorch.kernels import Kernel, RBFKernel, ScaleKernel

from akrig.errors import AkrigError, PlanRefused, StalledMission
from akrig.geometry import Box
from akrig.gp import GPRegression
from akrig.mission import Mission
from akrig.randomness import Randomness
from akrig.strategies import BezierPilot, Lawnmower, MaxEntropy, Myopic, Uniform
from akrig.types import Budget, Plan
from akrig.vehicles import Dropouts, PointSensor, Relay, Replay
from tests.worlds import WORKSPACE, Waves, boat, teleport


def mission(strategy=None, vehicle=None, *, budget=None, seed=0, model=None, **settings) -> Mission:
    return Mission(
        model=model or GPRegression(ScaleKernel(RBFKernel())),
        vehicle=vehicle or teleport(),
        pilot=BezierPilot(20),
        strategy=strategy or MaxEntropy(100),
        workspace=WORKSPACE,
        budget=budget or Budget(readings=30),
        randomness=Randomness(seed),
        **settings,
    )


@pytest.mark.parametrize(
    ("strategy", "vehicle"),
    [
        (Uniform(), teleport),
        (MaxEntropy(100), teleport),
        (Myopic(100), boat),
        (Myopic(100), lambda: Relay(teleport(), boat())),
        (Lawnmower(6), boat),
    ],
    ids=["random", "active", "myopic", "relay", "lawnmower"],
)
def test_one_loop_runs_every_pair_of_strategy_and_vehicle(strategy, vehicle):
    loop = mission(strategy, vehicle(), budget=Budget(readings=120))
    epochs = list(loop.epochs())
    assert [epoch.index for epoch in epochs] == list(range(len(epochs)))
    assert sum(len(epoch.samples) for epoch in epochs) == len(loop.model.samples) == epochs[-1].used.readings >= 120
    assert epochs[-2].used.readings < 120  # it stopped when the budget was spent
    X = np.concatenate([epoch.samples.X for epoch in epochs])
    assert np.array_equal(X, loop.model.samples.X)
    assert all(set(epoch.seconds) == {"plan", "follow", "fit"} for epoch in epochs)


def test_trains_as_long_as_the_leg_was():
    """Alg. 1, line 10; and the pilot's steps can be set."""

    class Counting(GPRegression):
        def fit(self, steps, *, progress=False):
            counted.append(steps)
            return super().fit(steps)

    counted = []
    list(mission(model=Counting(RBFKernel()), budget=Budget(readings=22)).epochs())
    assert counted == [20, 1, 1]
    counted = []
    list(
        mission(model=Counting(RBFKernel()), budget=Budget(readings=22), pilot_steps=7, steps_per_reading=3.0).epochs()
    )
    assert counted == [7, 3, 3]


def test_distance_and_time_are_budgets_too():
    far = mission(Myopic(50), boat(), budget=Budget(distance=80.0))
    epochs = list(far.epochs())
    assert epochs[-2].used.distance < 80 <= epochs[-1].used.distance
    way = np.concatenate([np.vstack([epoch.samples.X, epoch.pose.position]) for epoch in epochs])
    assert epochs[-1].used.distance == pytest.approx(np.linalg.norm(np.diff(way, axis=0), axis=1).sum())
    long = list(mission(Myopic(50), boat(), budget=Budget(time=90.0)).epochs())
    assert long[-2].used.time < 90 <= long[-1].used.time


def test_what_remains_is_what_the_strategy_is_told():
    told = []

    class Listening:
        def plan(self, belief, situation, rng):
            told.append((situation.remaining.readings, situation.pose))
            return Plan(np.zeros((1, 2)))

    loop = mission(Listening(), budget=Budget(readings=23))
    poses = [epoch.pose for epoch in loop.epochs()]
    assert told == [(3, poses[0]), (2, poses[1]), (1, poses[2])]


def test_a_mission_repeats_itself_and_seeds_differ():
    def readings(seed):
        loop = mission(seed=seed)
        list(loop.epochs())
        return loop.model.samples

    assert np.array_equal(readings(1).y, readings(1).y)
    assert not np.array_equal(readings(1).X, readings(2).X)


def test_changing_the_planner_leaves_the_noise_untouched():
    def errors(strategy):
        loop = mission(strategy)
        list(loop.epochs())
        return loop.model.samples.y - Waves()(loop.model.samples.X)

    assert np.allclose(errors(Uniform()), errors(MaxEntropy(100)), atol=1e-12)


def test_an_epoch_can_be_repeated_without_those_before_it():
    whole = mission(Myopic(100), boat(), budget=Budget(readings=120))
    epochs, states = [], []
    for epoch in whole.epochs():
        epochs.append(epoch)
        states.append(whole.vehicle.state)
    again = mission(Myopic(100), boat(), budget=Budget(readings=120))
    for epoch in epochs[:2]:
        assert again.repeat(epoch) == epoch.loss
    again.vehicle.restore(states[1])
    third = next(again.epochs())
    assert np.array_equal(third.plan.waypoints, epochs[2].plan.waypoints)
    assert np.array_equal(third.samples.y, epochs[2].samples.y)
    assert (third.loss, third.used, third.pose) == (epochs[2].loss, epochs[2].used, epochs[2].pose)


def test_another_model_learns_from_a_replayed_mission():
    first = mission(Myopic(50), boat(), budget=Budget(readings=50))
    legs, begin = [], 0
    from akrig.types import Measurement

    for epoch in first.epochs():
        rows = zip(epoch.samples.X, epoch.samples.y, strict=True)
        legs.append([Measurement(begin + k, tuple(x), y) for k, (x, y) in enumerate(rows)])
        begin += len(legs[-1])
    second = mission(Myopic(50), Replay(legs), budget=Budget(readings=begin))
    list(second.epochs())
    assert np.array_equal(second.model.samples.y, first.model.samples.y)


@pytest.mark.parametrize(
    ("waypoints", "said"),
    [
        ([[10.5, 0.0]], r"Wrong planned \[10.5, 0.0\], outside the workspace"),
        ([[1.0]], "of 1 dimensions for a workspace"),
    ],
)
def test_a_planner_that_leaves_the_workspace_is_refused(waypoints, said):
    class Wrong:
        def plan(self, belief, situation, rng):
            return Plan(np.array(waypoints))

    with pytest.raises(PlanRefused, match=said):
        list(mission(Wrong()).epochs())


def test_a_mission_that_reads_nothing_stalls():
    hole = Waves(hole=lambda X: np.abs(X).max(axis=1) < 1)

    class Stubborn:
        def plan(self, belief, situation, rng):
            return Plan(np.zeros((1, 2)))

    loop = mission(Stubborn(), teleport(PointSensor(hole)), patience=5)
    with pytest.raises(StalledMission, match=r"5 legs in a row brought no reading; the vehicle is at \(0.0, 0.0\)"):
        list(loop.epochs())
    assert loop.index == 5  # the pilot and four empty legs


def test_empty_legs_are_borne_with_patience():
    loop = mission(Uniform(), teleport(Dropouts(PointSensor(Waves()), 0.5)), budget=Budget(readings=30))
    epochs = list(loop.epochs())
    empty = [epoch for epoch in epochs if not len(epoch.samples)]
    assert empty
    assert all(math.isnan(epoch.loss) for epoch in empty)
    assert len(loop.model.samples) == 30


def test_a_pilot_without_a_reading_stalls_at_once():
    with pytest.raises(StalledMission, match="pilot survey brought no reading"):
        list(mission(vehicle=teleport(Dropouts(PointSensor(Waves()), 1.0))).epochs())


def test_a_kernel_that_returns_nan_is_one_clear_sentence():
    class NanKernel(Kernel):
        def forward(self, x1, x2, diag=False, **params):
            return (x1[..., :, :1] - x2[..., :, :1].mT) * float("nan")

    with pytest.raises(AkrigError, match=r"NaN|not finite"):
        list(mission(model=GPRegression(ScaleKernel(NanKernel()))).epochs())


def test_a_mission_needs_a_budget():
    with pytest.raises(ValueError, match="readings, distance or time"):
        mission(budget=Budget())


def test_a_line_is_a_workspace_too():
    from akrig.fields import CHIRP

    class Ends:
        def plan(self, belief, situation, rng):
            return Plan(np.linspace(0, 1, 10)[:, None])

    from akrig.geometry import Pose
    from akrig.vehicles import Teleport

    vehicle = Teleport(PointSensor(CHIRP, 0.1), pose=Pose((0.0,)), noise=lambda leg: np.random.default_rng(leg))
    loop = Mission(
        model=GPRegression(ScaleKernel(RBFKernel())),
        vehicle=vehicle,
        pilot=Ends(),
        strategy=MaxEntropy(50),
        workspace=Box((0,), (1,)),
        budget=Budget(readings=20),
        randomness=Randomness(0),
    )
    assert len(list(loop.epochs())) == 11


def test_what_the_way_home_needs_is_kept_in_reserve():
    home = WORKSPACE.lower

    def way_home(pose):
        return Budget(0, math.dist(pose.position, home), 0.0)

    loop = mission(Myopic(100), boat(), budget=Budget(distance=150.0), reserve=way_home)
    for _ in loop.epochs():
        pass
    assert loop.used.distance < 150.0 + 40  # the last leg still runs to its end
    assert loop.used.distance + math.dist(loop.vehicle.pose.position, home) >= 150.0
    before = loop.index
    epoch = loop.travel(Plan(np.array([home])))
    assert epoch.index == before
    assert math.dist(loop.vehicle.pose.position, home) < 1.0
    assert len(loop.model.samples) == epoch.used.readings
