"""Whose doing a mode is."""

import pytest

from akrig.survey.link import intent as module
from akrig.survey.link.intent import Intent
from tests.survey.link.stage import Hand


@pytest.fixture
def hand(monkeypatch) -> Hand:
    hand = Hand()
    monkeypatch.setattr(module, "time", hand)
    return hand


def asked(mode: str, *, current: str) -> Intent:
    intent = Intent()
    intent.ask(mode, current=current)
    return intent


def test_a_boat_is_given_time_to_obey_then_it_is_overdue(hand):
    intent = asked("GUIDED", current="MANUAL")
    assert intent.verdict("MANUAL", patience=3) == "pending"
    hand.now += 4
    assert intent.verdict("MANUAL", patience=3) == "overdue"
    assert intent.verdict("GUIDED", patience=3) == "done"
    assert intent.verdict("MANUAL", patience=3) == "taken"


def test_a_third_mode_is_somebody_elses_at_once(hand):
    assert asked("GUIDED", current="MANUAL").verdict("HOLD", patience=3) == "taken"


def test_asking_again_after_somebody_took_over_begins_anew(hand):
    intent = asked("GUIDED", current="MANUAL")
    intent.verdict("GUIDED", patience=3)
    assert intent.verdict("MANUAL", patience=3) == "taken"
    intent.ask("GUIDED", current="MANUAL")
    assert intent.verdict("MANUAL", patience=3) == "pending"


def test_an_older_order_may_come_in_late_but_once_seen_it_is_not_expected_any_more(hand):
    intent = asked("HOLD", current="GUIDED")
    intent.ask("GUIDED", current="GUIDED")
    assert intent.verdict("GUIDED", patience=3) == "done"
    assert intent.verdict("HOLD", patience=3) == "pending"
    intent.ask("GUIDED", current="HOLD")
    assert intent.verdict("GUIDED", patience=3) == "done"
    assert intent.verdict("HOLD", patience=3) == "taken"


def test_an_old_order_that_was_obeyed_is_not_expected_any_more(hand):
    intent = asked("HOLD", current="GUIDED")
    intent.verdict("HOLD", patience=3)
    intent.ask("GUIDED", current="HOLD")
    intent.verdict("GUIDED", patience=3)
    hand.now += 0.5
    assert intent.verdict("HOLD", patience=3) == "taken"


def test_attempts_are_counted_until_one_is_obeyed(hand):
    intent = asked("LOITER", current="GUIDED")
    intent.ask("LOITER", current="GUIDED")
    assert intent.attempts == 2
    intent.verdict("LOITER", patience=3)
    assert intent.attempts == 0
    intent.ask("HOLD", current="LOITER")
    assert intent.attempts == 1
