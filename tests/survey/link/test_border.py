"""When a place is a breach."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.survey.link.border import Border
from tests.survey.link.rig import ISLAND, lake


@given(st.tuples(st.floats(-150, 150), st.floats(-150, 150)))
def test_a_place_outside_is_always_a_breach(place):
    border = Border(lake(ISLAND), 2.5)
    clearance = border.clearance(place)
    assert (border.breach(place) is not None) == (clearance < 0)  # inside, the first place is where it was launched


def test_nearer_than_the_limit_is_a_breach_unless_it_was_there_already():
    border = Border(lake(), 2.5)
    assert border.breach((98.0, 0.0)) is None
    assert border.breach((98.4, 0.0)) is None  # positions wander
    assert border.breach((98.6, 0.0)) == pytest.approx(1.4)
    border.forget()
    assert border.breach((98.6, 0.0)) is None
    assert border.breach((90.0, 0.0)) is None
    assert border.breach((97.6, 0.0)) == pytest.approx(2.4)


def test_a_leg_may_be_half_as_near_as_it_is_itself():
    border = Border(lake(), 2.5)
    border.leg((0.0, 0.0), (98.0, 0.0))
    assert border.breach((98.9, 0.0)) is None
    assert border.breach((99.1, 0.0)) is not None
    border.leg((98.0, 0.0), (0.0, 0.0))
    border.leg((50.0, 0.0), (0.0, 0.0))
    assert border.breach((50.0, 0.0)) is None
    assert border.breach((97.6, 0.0)) is not None


def test_a_boat_that_gets_away_may_come_no_nearer_than_positions_wander():
    border = Border(lake(), 2.5)
    border.leg((98.0, 0.0), (90.0, 0.0), away=True)
    assert border.breach((98.4, 0.0)) is None
    assert border.breach((98.6, 0.0)) == pytest.approx(1.4)
    border.leg((99.4, 0.0), (90.0, 0.0), away=True)  # so near, half of what is left
    assert border.breach((99.6, 0.0)) is None
    assert border.breach((99.8, 0.0)) == pytest.approx(0.2)
