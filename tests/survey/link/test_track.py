"""The track: where the boat was at any moment of the last minute, or honestly nothing."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.survey.link.track import Fix, Track


def fix(time: float, x: float = 0.0, *, heading: float = 0.0, trusted: bool = True) -> Fix:
    return Fix(time, (x, -x), heading, 1.0, trusted)


def track(*fixes: Fix) -> Track:
    made = Track()
    for each in fixes:
        made.add(each)
    return made


@given(st.floats(0, 1))
def test_a_straight_line_between_neighbours(share):
    found = track(fix(10, 1), fix(11, 3), fix(12, 0)).at(10 + share)
    assert found is not None
    assert found.position == pytest.approx((1 + 2 * share, -1 - 2 * share))


def test_headings_turn_the_short_way():
    found = track(fix(0, heading=math.pi - 0.1), fix(1, heading=-math.pi + 0.1)).at(0.5)
    assert found is not None
    assert math.cos(found.heading) == pytest.approx(-1)


def test_nothing_before_the_first_after_the_last_and_in_a_gap():
    made = track(fix(10), fix(11), fix(14), fix(15))
    assert [made.at(moment) is None for moment in (9.9, 10, 10.5, 12.5, 14.5, 15, 15.1)] == [
        True, False, False, True, False, False, True,
    ]  # fmt: skip


def test_between_a_trusted_and_an_untrusted_position_nothing_is_trusted():
    made = track(fix(0), fix(1, trusted=False), fix(2))
    assert [found.trusted for found in map(made.at, (0, 0.5, 1.5, 2)) if found] == [True, False, False, True]


def test_a_late_position_is_dropped_and_a_clock_set_back_begins_anew():
    made = track(fix(10, 1), fix(11, 2), fix(10.5, 7))
    assert made.latest is not None
    assert (made.latest.time, made.at(10.5).position) == (11, (1.5, -1.5))  # type: ignore[union-attr]
    made.add(fix(2, 5))
    assert (made.latest.time, made.at(10.5)) == (2, None)


def test_keeps_a_minute():
    made = track(*(fix(second, second) for second in range(200)))
    assert made.at(100) is None
    assert made.at(140) is not None
