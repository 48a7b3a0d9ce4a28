"""Whose doing a mode is, and what the guard does about each: the words are those of a real ArduPilot."""

import pytest
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from akrig.survey.link import mode_watch as module
from akrig.survey.link.mode_watch import Intent
from tests.survey.link.stage import Hand, Stage


@pytest.fixture
def stage(monkeypatch) -> Stage:
    return Stage(monkeypatch).begin()


def goes_into(stage: Stage, mode: str, *texts: str, status: int = mavlink.MAV_STATE_ACTIVE) -> None:
    """The boat changes its mode without being asked: the heartbeat comes first, the words after it."""
    stage.obeys, stage.mode, stage.status = True, mode, status
    stage.run(0.4)
    for text in texts:
        stage.texts(text)
    stage.run(4)


def kinds(stage: Stage) -> set[str]:
    return set(stage.guard.pauses)


@pytest.mark.parametrize("mode", ["MANUAL", "RTL", "HOLD", "LOITER"])
def test_a_mode_without_words_is_a_pilots_and_resume_takes_it_back(stage, mode):
    goes_into(stage, mode)
    assert kinds(stage) == {"pilot"}
    assert stage.said(f"Somebody changed the mode to {mode}")
    assert stage.guard.resume() is None
    stage.run(10)  # until the mission's thread asks for GUIDED, the old mode is nobody taking over again
    assert kinds(stage) == set()
    assert stage.guard.must_engage
    assert stage.guard.begin_engaging()
    stage.mode = "GUIDED"
    stage.run(2)
    assert stage.guard.is_clear


def test_resume_counts_before_it_is_said_who_changed_the_mode(stage):
    stage.guard.must_engage = False  # under way
    stage.mode = "HOLD"
    stage.run(0.4)
    assert not stage.guard.pauses
    assert stage.guard.resume() is None
    stage.run(5)
    assert stage.guard.must_engage  # else nobody would put it into GUIDED again
    assert not stage.guard.pauses


def test_a_pilot_who_takes_over_again_after_resume_has_it(stage):
    goes_into(stage, "RTL")
    assert stage.guard.resume() is None
    goes_into(stage, "MANUAL")
    assert kinds(stage) == {"pilot"}


def test_until_it_is_known_who_did_it_nobody_steers(stage):
    stage.mode = "LOITER"
    stage.run(0.4)
    assert not stage.guard.pauses
    assert not stage.guard.is_clear
    assert not stage.guard.begin_engaging()


@pytest.mark.parametrize("text", ["Radio Failsafe", "GCS Failsafe"])
def test_a_boat_that_misses_heartbeats_is_waited_for_until_it_hears(stage, text):
    goes_into(stage, "LOITER", text, status=mavlink.MAV_STATE_CRITICAL)
    assert kinds(stage) == {"deaf"}
    stage.run(20)
    assert kinds(stage) == {"deaf"}
    stage.status = mavlink.MAV_STATE_ACTIVE
    stage.texts("GCS Failsafe Cleared")
    stage.run(1)
    assert stage.guard.is_clear
    assert stage.guard.must_engage
    assert not stage.said("Somebody")


def test_a_computer_that_was_asleep_takes_the_boat_up_again(stage):
    """The boat's own words were lost, and all that its heartbeat says is that there is a failsafe."""
    stage.hand.now += 14
    goes_into(stage, "LOITER", status=mavlink.MAV_STATE_CRITICAL)
    assert stage.guard.is_clear
    assert stage.guard.must_engage
    assert stage.said("The boat put itself into LOITER while the link was lost")


def test_a_computer_that_was_busy_for_a_moment_takes_nothing_from_a_pilot(stage):
    stage.hand.now += 4
    goes_into(stage, "LOITER")
    assert kinds(stage) == {"pilot"}


def test_a_boat_that_hears_again_is_believed_without_words(stage):
    goes_into(stage, "HOLD", "Radio Failsafe", status=mavlink.MAV_STATE_CRITICAL)
    stage.status = mavlink.MAV_STATE_ACTIVE
    stage.run(5)
    assert stage.guard.is_clear


@pytest.mark.parametrize("mode", ["HOLD", "LOITER", "RTL"])
def test_the_boats_own_battery_failsafe_brings_it_home_by_an_allowed_way(stage, mode):
    goes_into(stage, mode, "Battery 1 is low 9.98V used 7 mAh")
    assert stage.guard.ending is not None
    assert stage.guard.ending.course == "return"
    assert "Battery 1 is low" in stage.guard.ending.reason
    assert not stage.guard.pauses
    stage.guard.come_home()
    assert stage.guard.must_engage
    assert stage.guard.is_clear
    assert not stage.said("Somebody")


def test_a_lost_position_is_no_pilot(stage):
    stage.fix = 1
    goes_into(stage, "HOLD", "EKF variance", "EKF failsafe", status=mavlink.MAV_STATE_CRITICAL)
    assert kinds(stage) == {"gps"}


def test_the_boats_own_fence_holds_it(stage):
    goes_into(stage, "HOLD", "Fence Breached")
    assert kinds(stage) == {"breach"}
    assert stage.link.modes()[-1] == "LOITER"


def test_a_fence_on_board_that_acts_without_words_is_no_pilot(stage):
    stage.hear(mavlink.MAVLink_fence_status_message(1, 1, 3, 0))
    goes_into(stage, "LOITER")
    assert kinds(stage) == {"breach"}
    assert not stage.said("Somebody")


def test_another_failsafe_waits_for_a_person_and_the_border_is_watched(stage):
    goes_into(stage, "HOLD", "Crash: Going to HOLD")
    assert kinds(stage) == {"failsafe"}
    stage.place, stage.velocity = (95.0, 0.0), (0.5, 0.0)
    stage.run_until(lambda: "breach" in kinds(stage), seconds=10)
    assert stage.link.modes()[-1] == "LOITER"
    assert stage.place[0] < 100


def test_a_boat_that_disarmed_itself_says_why(stage):
    stage.armed = False
    stage.texts("Crash: Disarming")
    stage.run(5)
    assert kinds(stage) == {"pilot"}
    assert stage.said("The boat disarmed itself (Crash: Disarming)")


def test_a_boat_that_was_disarmed_is_not_disarmed_again_by_the_resume_itself(stage):
    stage.armed = False
    stage.run(5)
    assert kinds(stage) == {"pilot"}
    assert stage.guard.resume() is None
    stage.run(10)  # until the mission's thread arms it
    assert kinds(stage) == set()
    assert stage.guard.begin_engaging()
    stage.run(10)
    stage.armed, stage.guard.is_engaging = True, False
    stage.run(2)
    assert stage.guard.is_clear


# -- a pilot who is not at the sticks


def test_a_boat_left_in_hold_is_kept_inside(stage):
    goes_into(stage, "HOLD")
    stage.place, stage.velocity = (95.0, 0.0), (0.5, 0.0)
    stage.run_until(lambda: "breach" in kinds(stage), seconds=10)
    stage.run(1)
    assert stage.link.modes() == ["LOITER"]
    assert stage.mode == "LOITER"
    stage.mode = "MANUAL"  # the pilot wants it all the same, and has it
    stage.run(20)
    assert stage.link.modes() == ["LOITER"]
    assert stage.guard.pauses.keys() >= {"pilot"}


def test_a_pilot_at_the_sticks_is_told_and_left_alone(stage):
    goes_into(stage, "MANUAL")
    stage.place, stage.velocity = (95.0, 0.0), (0.5, 0.0)
    stage.run(20)
    assert stage.link.modes() == []
    assert stage.said("in MANUAL: whoever steers, bring it back")


def test_giving_back_a_boat_that_was_kept_inside_is_enough(stage):
    goes_into(stage, "HOLD")
    stage.place, stage.velocity = (95.0, 0.0), (0.5, 0.0)
    stage.run_until(lambda: "breach" in kinds(stage), seconds=10)
    stage.velocity = (0.0, 0.0)
    stage.run(1)
    stage.mode = "GUIDED"
    stage.run(2)
    assert stage.guard.is_clear


@pytest.mark.parametrize("word", ["pilot", "operator"])
def test_a_low_battery_ends_a_wait(stage, word):
    if word == "pilot":
        goes_into(stage, "LOITER")
    else:
        stage.guard.pause("operator", "The operator holds the boat.")
        stage.guard.hold()
    stage.run(2)
    stage.battery = 15
    stage.run(8)
    assert stage.guard.ending is not None
    assert not stage.guard.pauses


def test_a_low_battery_is_told_to_whoever_is_at_the_sticks(stage):
    goes_into(stage, "MANUAL")
    stage.battery = 15
    stage.run(10)
    assert stage.guard.ending is None
    assert stage.said("whoever has the boat, bring it home")


@pytest.mark.parametrize("trouble", ["border", "gps", "battery", "operator"])
def test_a_pilot_is_not_fought_in_the_moment_before_it_is_known_who_it_is(stage, trouble):
    stage.run(1)
    if trouble == "border":
        stage.place = (97.0, 0.0)
        stage.run(0.4)
        stage.place = (98.5, 0.0)
    elif trouble == "gps":
        stage.fix = 1
        stage.run(2.4)
    elif trouble == "battery":
        stage.battery = 15
        stage.run(4.4)
    stage.mode = "MANUAL"
    stage.run(0.4)
    assert not stage.guard.pauses.keys() & {"pilot"}
    if trouble == "operator":
        stage.guard.hold()
    stage.run(20)
    assert stage.link.modes() == []
    assert stage.mode == "MANUAL"
    assert "pilot" in kinds(stage)
    assert stage.guard.ending is None


# -- a link that dies while the boat waits


def test_a_boat_that_waits_at_the_border_is_kept_there_after_a_lost_link(stage):
    stage.place, stage.velocity = (97.0, 0.0), (0.5, 0.0)
    stage.run_until(lambda: kinds(stage) == {"breach"}, seconds=10)
    stage.velocity, stage.is_heard = (0.0, 0.0), False
    stage.run(10)
    assert "link" in kinds(stage)
    stage.mode, stage.is_heard = "HOLD", True  # its own failsafe, meanwhile
    stage.run(3)
    assert kinds(stage) == {"breach"}
    assert stage.mode == "LOITER"


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
