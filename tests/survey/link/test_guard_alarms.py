"""What the guard does when the link, the boat, its position, its battery or its sonar fails."""

import pytest
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from akrig.survey.link.alarms import Ending
from tests.survey.link.stage import Stage


@pytest.fixture
def stage(monkeypatch) -> Stage:
    return Stage(monkeypatch).begin()


def kinds(stage: Stage) -> set[str]:
    return set(stage.guard.pauses)


# -- link


def test_a_lost_link_is_waited_for(stage):
    stage.is_heard = False
    stage.run(4)
    assert stage.guard.is_clear
    stage.run(4)
    assert kinds(stage) == {"link"}
    stage.is_heard = True
    stage.run(1)
    assert stage.guard.is_clear
    assert stage.guard.must_engage
    assert stage.link.orders == []


@pytest.mark.parametrize("mode", ["HOLD", "RTL", "SMART_RTL"])
def test_what_the_boat_did_by_itself_while_the_link_was_lost_is_taken_up(stage, mode):
    stage.is_heard = False
    stage.run(10)
    stage.mode, stage.is_heard = mode, True
    stage.run(1)
    assert stage.guard.is_clear
    assert stage.guard.must_engage
    assert stage.said(f"put itself into {mode}")


def test_a_boat_that_comes_back_disarmed_or_in_manual_waits_for_a_person(stage):
    stage.is_heard = False
    stage.run(10)
    stage.mode, stage.armed, stage.is_heard = "HOLD", False, True
    stage.run(10)
    assert kinds(stage) == {"pilot"}


def test_patience_ends_and_the_survey_with_it(monkeypatch):
    stage = Stage(monkeypatch, patience=100).begin()
    stage.is_heard = False
    stage.run(90)
    assert stage.guard.ending is None
    stage.run(20)
    assert stage.guard.ending is not None
    assert (stage.guard.ending.course, "No word from the boat" in stage.guard.ending.reason) == ("hold", True)


# -- restart


def test_a_restart_keeps_the_motors_off_until_a_person_says_so(stage):
    stage.is_heard = False
    stage.run(3)
    stage.is_heard, stage.booted, stage.mode, stage.armed, stage.fix = True, stage.hand.now - 1, "MANUAL", False, 1
    stage.run(10)
    assert "restart" in kinds(stage)
    assert stage.said("keep hands clear")
    assert stage.link.orders == []
    assert stage.guard.resume() is None
    assert kinds(stage) == {"gps"}
    stage.run(20)
    assert not stage.guard.is_clear
    stage.fix = 3
    stage.run(5)
    assert stage.guard.is_clear
    assert stage.guard.must_engage


def test_a_boat_that_says_it_starts_has_restarted(stage):
    stage.mode, stage.armed = "INITIALIZING", False
    stage.run(0.4)
    assert kinds(stage) == {"restart"}


# -- GPS


def test_without_a_fix_the_motors_stop_until_it_is_back(stage):
    stage.fix = 1
    stage.run(2)
    assert stage.guard.is_clear
    stage.run(3)
    assert kinds(stage) == {"gps"}
    assert stage.link.modes() == ["HOLD"]
    stage.fix = 3
    stage.run(2)
    assert kinds(stage) == {"gps"}  # the boat's own failsafe takes a moment longer
    stage.run(2)
    assert stage.guard.is_clear
    assert stage.guard.must_engage


def test_a_coarse_fix_is_none(stage):
    stage.hdop = 500
    stage.run(5)
    assert kinds(stage) == {"gps"}
    assert stage.said("HDOP 5.0")


def test_a_boat_that_stops_by_itself_without_gps_is_no_pilot(stage):
    stage.fix = 1
    stage.run(0.4)
    stage.mode, stage.status = "HOLD", mavlink.MAV_STATE_CRITICAL
    stage.run(5)
    assert kinds(stage) == {"gps"}
    stage.fix, stage.status = 3, mavlink.MAV_STATE_STANDBY
    stage.run(4)
    assert stage.guard.is_clear
    assert stage.guard.must_engage


def test_a_pilot_keeps_the_boat_when_gps_is_lost_and_found(stage):
    stage.mode = "MANUAL"
    stage.run(2)
    stage.fix = 1
    stage.run(10)
    stage.fix = 3
    stage.run(10)
    assert kinds(stage) == {"pilot"}
    assert stage.link.orders == []


def test_a_held_boat_keeps_its_place_again_after_gps_was_lost(stage):
    stage.guard.pause("operator", "held")
    stage.guard.hold()
    stage.run(1)
    stage.fix = 1
    stage.run(6)
    stage.fix = 3
    stage.run(4)
    assert stage.link.modes() == ["LOITER", "HOLD", "LOITER"]
    assert kinds(stage) == {"operator"}


def test_a_boat_that_lives_but_does_not_tell_where_it_is_is_stopped(stage):
    stage.is_heard = False
    for _ in range(40):  # nothing but heartbeats
        stage.run(0.2)
        stage.link.heard_at = stage.hand.now
    assert kinds(stage) == {"gps"}
    assert stage.said("no position comes from the boat")
    assert stage.link.modes() == ["HOLD"]


def test_a_computer_that_was_busy_elsewhere_sees_no_ghosts(stage):
    stage.battery, stage.is_pinging = 15, False
    stage.run(1)
    stage.hand.now += 100  # nobody listened
    stage.battery, stage.is_pinging = 90, True
    stage.run(2)
    assert (stage.guard.ending, stage.told) == (None, [])


# -- battery and sonar


def test_a_low_battery_brings_the_boat_home(stage):
    stage.battery = 15
    stage.run(3)
    stage.battery = 90  # a dip is none
    stage.run(3)
    stage.battery = 15
    stage.run(4)
    assert stage.guard.ending is None
    stage.run(4)
    assert stage.guard.ending == Ending("return", "The battery was at 15%.")
    assert stage.said("battery is at 15%")
    stage.guard.come_home()
    stage.run(20)
    assert stage.guard.ending is None  # it is on its way


def test_an_unknown_battery_is_no_alarm(stage):
    stage.battery = -1
    stage.run(30)
    assert stage.guard.is_clear


def test_a_silent_sonar_brings_the_boat_home_but_not_while_it_waits(stage):
    stage.is_pinging = False
    stage.guard.pause("operator", "held")
    stage.guard.hold()
    stage.run(100)
    assert stage.guard.ending is None
    stage.guard.resume()
    stage.guard.note_requested_mode("GUIDED")
    stage.mode = "GUIDED"
    stage.run(50)
    assert stage.guard.ending is None
    stage.run(15)
    assert stage.guard.ending is not None
    assert (stage.guard.ending.course, stage.said("No sounding for")) == ("return", True)


def test_soundings_that_are_all_refused_are_told_first_and_then_bring_the_boat_home(stage):
    stage.refusal = "no echo"
    stage.run(65)
    assert (stage.guard.ending, len(stage.told)) == (None, 1)
    assert stage.said("No usable sounding for 60 s, the last one was refused: no echo")
    stage.refusal = None
    stage.run(5)
    assert stage.told[-1] == ("info", "Soundings are accepted again.")
    stage.refusal = "no echo"
    stage.run(295)
    assert stage.guard.ending is None
    stage.run(10)
    assert stage.guard.ending == Ending("return", "The sonar brought nothing usable for 300 s: no echo.")


# -- the rest


def test_nothing_is_watched_before_akrig_is_in_charge_and_after(monkeypatch):
    stage = Stage(monkeypatch)
    stage.fix, stage.battery, stage.mode, stage.place = 1, 5, "MANUAL", (500.0, 0.0)
    stage.run(30)
    stage.guard.take_charge()
    stage.guard.give_up_charge()
    stage.run(30)
    assert (stage.told, stage.link.orders) == ([], [])


def test_the_first_ending_counts_and_a_stop_even_on_the_way_home(stage):
    stage.guard.end(Ending("return", "first"))
    stage.guard.end(Ending("hold", "second"))
    assert stage.guard.ending == Ending("return", "first")
    stage.guard.come_home()
    stage.guard.end(Ending("return", "again"))
    assert stage.guard.ending is None
    stage.guard.end(Ending("hold", "stopped"))
    assert stage.guard.ending == Ending("hold", "stopped")


def test_a_journal_that_cannot_be_written_does_not_keep_it_from_acting(stage):
    def tell(level: str, message: str) -> None:
        raise OSError("disk full")

    stage.guard._tell = tell
    stage.place, stage.velocity = (97.0, 0.0), (1.0, 0.0)
    with pytest.raises(OSError, match="disk full"):
        stage.run(5)
    assert stage.link.modes() == ["LOITER"]
