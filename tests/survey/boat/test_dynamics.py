from math import cos, hypot, pi, sin, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.survey.boat.dynamics import Controls, Hull, Motion, Rudder, advance

DT = 0.05
HULL = Hull()


def moved(seconds: float, *, hull: Hull = HULL, motion: Motion | None = None, thrust=(0.0, 0.0), **forces) -> Motion:
    motion = motion or Motion()
    for _ in range(round(seconds / DT)):
        advance(hull, motion, DT, controls=Controls(*thrust), **forces)
    return motion


def balance(force: float, drag: tuple[float, float]) -> float:
    """The speed at which linear and quadratic drag equal the force."""
    linear, quadratic = drag
    return (-linear + sqrt(linear**2 + 4 * quadratic * force)) / (2 * quadratic)


@given(power=st.floats(0.1, 1))
def test_goes_straight_at_the_speed_where_drag_equals_thrust(power):
    motion = moved(60, thrust=(power, power))
    # The air that the boat moves through pushes back too, by 0.07 N at 1 m/s.
    assert motion.surge == pytest.approx(balance(2 * HULL.thrust * power, HULL.surge_drag), rel=5e-3)
    assert (motion.sway, motion.turn, motion.heading, motion.x) == pytest.approx((0, 0, 0, 0), abs=1e-9)


def test_thrusters_are_made_for_the_speed_asked_for():
    assert moved(60, hull=Hull().of_speed(1.4), thrust=(1, 1)).surge == pytest.approx(1.4, rel=1e-2)


def test_turns_on_the_spot_at_the_rate_where_drag_equals_the_moment():
    motion = moved(60, hull=Hull(reverse=1.0), thrust=(0.5, -0.5))
    assert motion.turn == pytest.approx(balance(2 * 0.5 * HULL.thrust * HULL.lever, HULL.yaw_drag), rel=1e-3)
    assert hypot(motion.x, motion.y) < 0.05


def test_more_thrust_on_the_left_turns_clockwise():
    assert moved(2, thrust=(0.6, 0.2)).heading > 0
    assert moved(2, thrust=(0.2, 0.6)).heading < 0


@given(east=st.floats(-1, 1), north=st.floats(-1, 1), heading=st.floats(-pi, pi))
def test_a_current_carries_a_resting_boat_along_exactly(east, north, heading):
    # No wind over the water: air that moves with the current.
    motion = moved(20, motion=Motion(heading=heading), current=(east, north), wind=(east, north))
    assert (motion.x, motion.y) == pytest.approx((20 * east, 20 * north), abs=1e-6)


def test_wind_from_astern_pushes_until_drag_equals_it():
    motion = moved(300, wind=(0.0, 6.0))
    speed = motion.surge
    push = 0.61 * HULL.front_area * (6 - speed) ** 2
    assert push == pytest.approx(HULL.surge_drag[0] * speed + HULL.surge_drag[1] * speed**2, rel=1e-3)


def test_wind_from_the_side_makes_leeway():
    motion = moved(5, wind=(8.0, 0.0))
    assert motion.x > 0.2
    assert abs(motion.y) < motion.x


def test_a_thruster_needs_its_lag_to_make_two_thirds_of_a_change():
    motion = moved(HULL.thruster_lag, thrust=(1, 1))
    assert motion.left == pytest.approx(1 - 0.37, abs=0.05)


@given(heading=st.floats(-pi, pi))
def test_no_direction_is_special(heading):
    straight, turned = moved(15, thrust=(0.9, 0.4)), moved(15, motion=Motion(heading=heading), thrust=(0.9, 0.4))
    x = straight.x * cos(heading) + straight.y * sin(heading)
    y = straight.y * cos(heading) - straight.x * sin(heading)
    assert (turned.x, turned.y) == pytest.approx((x, y), abs=1e-6)


def test_halving_the_step_changes_little():
    coarse, fine = Motion(), Motion()
    for _ in range(400):
        advance(HULL, coarse, DT, controls=Controls(0.9, 0.6), wind=(2, 1))
    for _ in range(4000):
        advance(HULL, fine, DT / 10, controls=Controls(0.9, 0.6), wind=(2, 1))
    assert hypot(coarse.x - fine.x, coarse.y - fine.y) < 0.5


def test_a_hull_without_mass_is_refused():
    with pytest.raises(ValueError, match="positive mass"):
        Hull(mass=0)


# a rudder


RUDDER = Hull(rudder=Rudder())


def circle(power: float, rudder: float) -> tuple[float, float]:
    """Radius and speed of the circle that it drives in the end."""
    motion = moved(20, hull=RUDDER, thrust=(power, power, rudder))
    return hypot(motion.surge, motion.sway) / abs(motion.turn), hypot(motion.surge, motion.sway)


@pytest.mark.parametrize("power", [0.4, 0.7, 1.0])
def test_the_tightest_circle_is_the_same_at_every_speed(power):
    radius, speed = circle(power, 1.0)
    assert radius == pytest.approx(RUDDER.rudder.radius, rel=0.15)  # it slips sideways, a little more when fast
    assert speed > 0.4


def test_half_the_rudder_makes_twice_the_circle():
    assert circle(0.8, 0.5)[0] == pytest.approx(2 * RUDDER.rudder.radius, rel=0.15)


def test_a_rudder_does_not_turn_a_boat_that_lies_still():
    motion = moved(20, hull=RUDDER, thrust=(0.0, 0.0, 1.0))
    assert (motion.turn, motion.heading) == (0.0, 0.0)


def test_astern_a_rudder_turns_the_other_way():
    assert moved(5, hull=RUDDER, thrust=(0.8, 0.8, 1.0)).turn > 0.3
    assert moved(5, hull=RUDDER, thrust=(-0.8, -0.8, 1.0)).turn < -0.3


def test_a_rudder_without_a_radius_is_refused():
    with pytest.raises(ValueError, match="positive radius"):
        Rudder(radius=0)
