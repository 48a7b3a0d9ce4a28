import math
from itertools import pairwise

import numpy as np
import pytest

from akrig.errors import FenceBreach, LogExhausted, PlanRefused
from akrig.geometry import Box, Pose, wrapped
from akrig.testing import check_vehicle
from akrig.types import Measurement, Plan
from akrig.vehicles import Dropouts, Fenced, Journaled, PointSensor, Relay, Replay, TimeLimited
from akrig.vehicles.simulated import towards, unicycle
from tests.worlds import EXTENT, WORKSPACE, Waves, boat, teleport


class Notes:
    """A log in memory."""

    def __init__(self):
        self.entries = []

    def plan(self, plan):
        self.entries.append(plan)

    def measurement(self, measurement):
        self.entries.append(measurement)


@pytest.mark.parametrize(
    ("make", "arrives_within"),
    [
        (teleport, 0.0),
        (boat, 0.1),
        (lambda: boat(Dropouts(PointSensor(Waves()), 0.5)), 0.1),
        (lambda: Relay(teleport(), boat()), 0.1),
        (lambda: Fenced(boat(), EXTENT), 0.1),
        (lambda: TimeLimited(boat(), seconds_per_leg=1e6), 0.1),
        (lambda: Journaled(boat(), Notes()), 0.1),
    ],
    ids=["teleport", "boat", "dropouts", "relay", "fenced", "time-limited", "journaled"],
)
def test_satisfies_the_vehicle_contract(make, arrives_within):
    check_vehicle(make, workspace=WORKSPACE, arrives_within=arrives_within)


def test_teleport_reads_once_at_every_waypoint(rng):
    plan = Plan(rng.uniform(-10, 10, (5, 2)))
    readings = list(teleport().follow(plan))
    assert [m.position for m in readings] == [tuple(p) for p in plan.waypoints]
    assert [m.time for m in readings] == [1, 2, 3, 4, 5]


def test_the_boat_reads_once_a_second_wherever_it_is():
    vehicle = boat()
    readings = [*vehicle.follow(Plan(np.array([[8.0, 3.0]]))), *vehicle.follow(Plan(np.array([[-2.0, 5.0]])))]
    assert [m.time for m in readings] == pytest.approx(range(1, len(readings) + 1))
    steps = [math.dist(a.position, b.position) for a, b in pairwise(readings)]
    assert max(steps) <= 1.0 + 1e-9  # never faster than its speed
    assert np.median(steps) > 0.5


def test_scaled_together_the_boat_does_the_same():
    """Speed and radii in other metres and seconds: the same way, scaled."""
    plain, large = (
        boat(),
        boat(speed=5.0, sampling_rate=0.05, control_rate=0.5, goal_radius=10.0, slowdown_radius=100.0, turn_gain=0.1),
    )
    a = [m.position for m in plain.follow(Plan(np.array([[3.0, 4.0]])))]
    # Waves is not defined out there, so follow only the way:
    b = [m.position for m in _blind(large).follow(Plan(np.array([[300.0, 400.0]])))]
    assert np.allclose(np.array(b), 100 * np.array(a))


def _blind(vehicle):
    class Zero:
        def measure(self, X, rng):
            return np.zeros(len(X))

    vehicle._sensor = Zero()
    return vehicle


def test_unicycle_goes_along_its_heading_and_turns():
    pose = unicycle(Pose((1, 2), math.pi / 2), velocity=2.0, turn_rate=math.pi, seconds=0.5)
    assert pose.position == pytest.approx((1, 3))
    assert abs(wrapped(pose.heading - math.pi)) < 1e-12
    assert abs(wrapped(7 * math.pi / 2) + math.pi / 2) < 1e-12


@pytest.mark.parametrize(
    ("goal", "velocity", "turn_rate"),
    [((2, 0), math.tanh(2), 0), ((0, 2), 0, math.pi), ((-2, 0), -math.tanh(2), 2 * math.pi)],
)
def test_the_controller_is_the_papers(goal, velocity, turn_rate):
    found = towards(Pose((0, 0)), goal, speed=1.0, slowdown_radius=1.0, turn_gain=2.0)
    assert found == pytest.approx((velocity, turn_rate))


def test_a_fence_refuses_a_plan_before_anything_moves():
    vehicle = Fenced(boat(), WORKSPACE)
    with pytest.raises(PlanRefused, match=r"\(10.5, 0\) lies outside the fence \(-10, -10\) to \(10, 10\)"):
        list(vehicle.follow(Plan(np.array([[1.0, 1.0], [10.5, 0.0]]))))
    assert vehicle.pose == Pose((0, 0), np.pi / 2)


def test_a_fence_notices_a_vehicle_that_strays():
    class Strays:
        pose, clock = Pose((0, 0)), 0.0

        def follow(self, plan):
            yield Measurement(1.0, (1.0, 0.0), 5.0)
            yield Measurement(2.0, (3.0, 0.0), 5.0)

    leg = Fenced(Strays(), Box((-2, -2), (2, 2))).follow(Plan(np.zeros((1, 2))))
    assert next(leg).position == (1, 0)
    with pytest.raises(FenceBreach, match=r"at \(3, 0\), outside the fence"):
        next(leg)


def test_a_time_limit_breaks_off_the_leg():
    vehicle = TimeLimited(boat(), seconds_per_leg=4.0)
    readings = list(vehicle.follow(Plan(np.array([[10.0, 10.0]]))))
    assert [m.time for m in readings] == pytest.approx([1, 2, 3, 4])


def test_a_journal_knows_a_reading_before_anybody_uses_it():
    log = Notes()
    plan = Plan(np.array([[3.0, 3.0]]))
    for measurement in Journaled(boat(), log).follow(plan):
        assert log.entries[-1] is measurement
    assert log.entries[0] is plan


def test_a_relay_hands_over_at_the_scouts_last_place():
    vehicle = Relay(teleport(), boat())
    list(vehicle.follow(Plan(np.array([[1.0, 1.0], [4.0, 2.0]]))))
    assert vehicle.pose == Pose((4, 2), np.pi / 2)
    assert vehicle.clock == 2
    first = next(iter(vehicle.follow(Plan(np.array([[9.0, 9.0]])))))
    assert first.time == pytest.approx(3)
    assert math.dist(first.position, (4, 2)) <= 1


def test_a_relay_hands_over_when_the_scouts_leg_is_broken_off():
    vehicle = TimeLimited(Relay(teleport(), boat()), seconds_per_leg=1.0)
    list(vehicle.follow(Plan(np.array([[1.0, 1.0], [4.0, 2.0]]))))
    assert vehicle.pose.position == (1, 1)
    assert len(list(vehicle.follow(Plan(np.array([[9.0, 9.0]]))))) == 1


def test_replay_yields_the_recorded_legs_whatever_the_plan():
    legs = [[Measurement(1, (0, 0), 5.0), Measurement(2, (1, 0), 6.0)], [], [Measurement(4, (2, 0), 7.0)]]
    vehicle = Replay(legs)
    nowhere = Plan(np.full((1, 2), 99.0))
    assert [list(vehicle.follow(nowhere)) for _ in range(3)] == legs
    assert (vehicle.pose, vehicle.clock) == (Pose((2, 0)), 4.0)
    with pytest.raises(LogExhausted, match="has 3 legs, all replayed already"):
        list(vehicle.follow(nowhere))


def test_replay_needs_a_reading():
    with pytest.raises(ValueError, match="at least one recorded reading"):
        Replay([[], []])


@pytest.mark.parametrize("wrong", [{"speed": 0.0}, {"goal_radius": -1.0}, {"control_rate": math.inf}])
def test_a_boat_needs_positive_numbers(wrong):
    with pytest.raises(ValueError, match="must be positive and finite"):
        boat(**wrong)
