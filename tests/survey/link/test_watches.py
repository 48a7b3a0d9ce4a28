"""By per cent and by volts, and that a percentage which contradicts the volts is not believed."""

import pytest

from tests.survey.link.stage import Stage


def test_volts_below_the_limit_count_whatever_the_percentage_says(monkeypatch):
    stage = Stage(monkeypatch, volts=11.0).begin()
    stage.millivolts, stage.battery = 10_000, 93
    stage.run(20)
    assert stage.guard.ending is not None
    assert stage.guard.ending.course == "return"
    assert stage.guard.ending.reason == (
        "The battery was at 10.00 V, below 11 V; the 93% that it reports cannot be right."
    )


def test_a_percentage_that_may_be_right_under_load_is_not_called_wrong(monkeypatch):
    stage = Stage(monkeypatch, volts=13.8).begin()
    stage.millivolts, stage.battery = 13_790, 34
    stage.run(20)
    assert stage.guard.ending is not None
    assert stage.guard.ending.reason == "The battery was at 13.79 V, below 13.8 V."


def test_a_motor_that_starts_is_no_low_battery(monkeypatch):
    stage = Stage(monkeypatch, volts=11.0).begin()
    for _ in range(5):
        stage.millivolts = 10_500
        stage.run(5)
        stage.millivolts = 12_000
        stage.run(1)
    assert stage.guard.ending is None


@pytest.mark.parametrize(("limit", "millivolts"), [(None, 9000), (11.0, 0), (11.0, 65_535)])
def test_without_a_limit_or_a_monitor_nothing_happens(monkeypatch, limit, millivolts):
    stage = Stage(monkeypatch, volts=limit).begin()
    stage.millivolts = millivolts
    stage.run(30)
    assert stage.guard.ending is None


def test_a_low_percentage_counts_at_any_voltage(monkeypatch):
    stage = Stage(monkeypatch, volts=11.0).begin()
    stage.battery = 19
    stage.run(10)
    assert stage.guard.ending is not None
    assert stage.guard.ending.reason == "The battery was at 19%."
