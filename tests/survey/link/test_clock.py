"""Boat time: continuous whatever the boat says, right as soon as it tells the date."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.survey.link import clock as module
from akrig.survey.link.clock import BoatClock
from tests.survey.link.hand import Hand

DATE = 1_780_000_000.0


@pytest.fixture
def hand(monkeypatch) -> Hand:
    hand = Hand(1_700_000_000.0)
    monkeypatch.setattr(module, "time", hand)
    return hand


def test_guesses_by_this_computer_until_the_boat_tells_the_date(hand):
    clock = BoatClock()
    assert clock.hear(5_000) == pytest.approx(hand.time())
    assert not clock.is_known
    assert clock.hear(6_000, 0) == pytest.approx(hand.time() + 1)  # a GPS without time says 0
    assert not clock.is_known
    assert clock.hear(7_000, round(DATE * 1e6)) == pytest.approx(DATE)
    assert clock.is_known
    assert clock.hear(6_500) == pytest.approx(DATE - 0.5)


def test_goes_on_between_messages_as_fast_as_the_boat_does(hand):
    clock = BoatClock(speedup=10)
    clock.hear(1_000, round(DATE * 1e6))
    hand.now += 2
    assert clock.now == pytest.approx(DATE + 20)


def test_a_date_set_right_is_no_time_that_passed(hand):
    clock = BoatClock()
    begin = clock.hear(1_000)
    clock.hear(2_000, round(DATE * 1e6))
    assert clock.now - clock.corrected - begin == pytest.approx(1)


def test_a_restart_is_noticed_and_time_goes_on(hand):
    clock = BoatClock()
    clock.hear(600_000, round(DATE * 1e6))
    hand.now += 30
    assert clock.hear(2_500) == pytest.approx(DATE + 30)
    assert (clock.restarts, clock.is_known) == (1, False)
    hand.now += 1
    assert clock.now == pytest.approx(DATE + 31)
    assert clock.hear(3_500, round((DATE + 31.25) * 1e6)) == pytest.approx(DATE + 31.25)  # the date corrects the guess
    assert (clock.is_known, clock.corrected) == (True, pytest.approx(0.25))


def test_a_restart_is_noticed_by_the_date_when_the_boat_was_away_for_longer_than_it_had_been_on(hand):
    clock = BoatClock()
    clock.hear(60_000, round(DATE * 1e6))
    hand.now += 600
    clock.hear(300_000, round((DATE + 600) * 1e6))
    assert clock.restarts == 1
    assert clock.now == pytest.approx(DATE + 600)


def test_a_message_that_comes_late_is_no_restart(hand):
    clock = BoatClock()
    clock.hear(10_000, round(DATE * 1e6))
    assert clock.hear(8_500) == pytest.approx(DATE - 1.5)
    assert clock.restarts == 0
    assert clock.now == pytest.approx(DATE)


@given(st.lists(st.integers(0, 1_000_000), min_size=2, max_size=30))
def test_never_more_restarts_than_falls(stamps):
    clock = BoatClock()
    for stamp in stamps:
        clock.hear(stamp)
    assert clock.restarts <= sum(b < a for a, b in itertools.pairwise(stamps))


def test_a_guess_after_a_restart_that_was_a_little_ahead_stays_so_that_no_time_goes_back(hand):
    clock = BoatClock()
    clock.hear(600_000, round(DATE * 1e6))
    hand.now += 30
    guessed = clock.hear(2_500)
    assert clock.hear(2_600, round((DATE + 30.1 - 0.16) * 1e6)) > guessed
    assert clock.is_known
    assert clock.restarts == 1
