"""Turning round by way of a place abeam."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from akrig.survey.link.turning import TurningCircle, has_turned, relative_bearing, turning_place, turning_room
from tests.survey.link.rig import ISLAND, lake

EAST, NORTH, WEST = 0.0, math.pi / 2, math.pi
HEADINGS = st.floats(-math.pi, math.pi)
PLACES = st.tuples(st.floats(-95, 95), st.floats(-95, 95))


def place(position, heading, goal, *, area=None, margin=5.0, radius=2.0) -> tuple[float, float] | None:
    return turning_place(area or lake(), position, heading=heading, goal=goal, margin=margin, radius=radius)


def turn(position, heading, goal) -> tuple[float, float]:
    """From the boat to the place abeam, east and north."""
    found = place(position, heading, goal)
    assert found is not None
    return found[0] - position[0], found[1] - position[1]


def test_a_bearing_is_positive_to_port():
    assert relative_bearing((0.0, 0.0), EAST, goal=(0.0, 5.0)) == pytest.approx(math.pi / 2)
    assert relative_bearing((0.0, 0.0), NORTH, goal=(5.0, 0.0)) == pytest.approx(-math.pi / 2)


@given(PLACES, HEADINGS, st.floats(-math.radians(119), math.radians(119)))
def test_a_goal_that_lies_ahead_or_abeam_is_steered_for_at_once(position, heading, bearing):
    goal = (position[0] + 40 * math.cos(heading + bearing), position[1] + 40 * math.sin(heading + bearing))
    assert place(position, heading, goal) is None


def test_straight_astern_it_turns_to_the_side_with_more_room():
    for y, side in ((60.0, -1), (-60.0, 1)):
        # Abaft the beam, so that the boat does not go ahead for it.
        assert turn((0.0, y), EAST, (-50.0, y)) == pytest.approx((-2.0, side * math.sqrt(12)))


def test_otherwise_it_turns_the_shorter_way():
    for y in (1.0, -1.0):
        assert turn((0.0, y), EAST, (-40.0, 40.0))[1] > 0
        assert turn((0.0, y), EAST, (-40.0, -40.0))[1] < 0


def test_the_other_side_is_taken_where_a_border_is_in_the_way():
    heading = math.radians(30)
    assert turn((0.0, 85.0), heading, (-50.0, 85.0))[1] > 0
    assert turn((0.0, 94.0), heading, (-50.0, 94.0))[1] < 0


def test_without_room_on_either_side_it_goes_straight():
    banks = [np.array([[-90.0, s * 6.0], [90.0, s * 6.0], [90.0, s * 30.0], [-90.0, s * 30.0]]) for s in (1, -1)]
    channel = lake(*banks)
    assert place((0.0, 0.0), EAST, (-50.0, 0.0), area=channel) is None
    assert place((0.0, 0.0), EAST, (-50.0, 0.0), area=channel, margin=2.0) is not None


def test_a_goal_inside_the_turning_circle_gains_nothing_by_a_detour():
    assert place((0.0, 0.0), EAST, (-3.9, 0.0)) is None
    assert place((0.0, 0.0), EAST, (-4.1, 0.0)) is not None


@given(PLACES, HEADINGS, PLACES, st.floats(0.5, 5.0))
def test_the_detour_is_short_and_keeps_the_margin_or_what_the_straight_way_keeps(position, heading, goal, radius):
    area = lake(ISLAND)
    assume(area.allows_leg(position, goal))
    found = place(position, heading, goal, area=area, radius=radius)
    if found is None:
        return
    assert math.dist(position, found) == pytest.approx(2 * radius)
    least = area.clearance(np.linspace(position, goal, 500)).min()
    way = np.vstack([np.linspace(position, found, 100), np.linspace(found, goal, 500)])
    assert area.clearance(way).min() > min(5.0, least) - 1e-6
    assert abs(relative_bearing(position, heading, goal=found)) == pytest.approx(math.radians(120))


def test_it_has_turned_when_its_goal_is_before_the_beam():
    assert not has_turned((0.0, 0.0), EAST, goal=(-1.0, 50.0))
    assert has_turned((0.0, 0.0), EAST, goal=(1.0, 50.0))


def test_room_is_what_the_guard_allows_and_the_circle():
    assert turning_room(5.0, 2.0) == 5.0  # the default needs no more than the margin
    assert turning_room(5.0, 4.0) == pytest.approx(7.0)
    assert turning_room(0.0, 2.0) == pytest.approx(2.5)


def test_a_circle_that_is_seen_to_be_wider_is_remembered():
    circle = TurningCircle(2.0)
    circle.begin((10.0, 0.0), WEST)
    assert not circle.widened((8.5, 1.0))
    assert circle.widened((6.8, 2.0))  # 3.2 m ahead of where it began
    assert circle.radius == 3.5
    assert not circle.widened((6.9, 3.0))
    circle.begin((0.0, 0.0), NORTH)
    assert not circle.widened((50.0, 3.4))  # to the side is no matter
    assert circle.radius == 3.5


def test_a_jump_of_the_position_is_no_turning_circle():
    circle = TurningCircle(2.0)
    circle.begin((0.0, 0.0), EAST)
    assert not circle.widened((40.0, 0.0))
    assert circle.radius == 2.0
