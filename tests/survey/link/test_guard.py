"""What the guard promises at the border, and that it never fights the pilot."""

import pytest

from akrig.survey.link.alarms import Ending
from tests.survey.link.rig import ISLAND, lake
from tests.survey.link.stage import Stage


@pytest.fixture
def stage(monkeypatch) -> Stage:
    return Stage(monkeypatch).begin()


def kinds(stage: Stage) -> set[str]:
    return set(stage.guard.pauses)


# -- border


@pytest.mark.parametrize("velocity", [(2.0, 0.0), (0.0, -2.0), (2.0, 2.0)])
def test_a_boat_that_comes_too_near_to_the_fence_is_stopped_inside_it(stage, velocity):
    stage.place, stage.velocity = (90.0, -90.0) if velocity[1] <= 0 else (90.0, 90.0), velocity
    stage.run_until(lambda: kinds(stage) == {"breach"}, seconds=10)
    assert stage.link.modes() == ["LOITER"]
    assert 0 < stage.guard.border.clearance(stage.place) < 2.5
    assert stage.said("m from a border: it is stopped")


def test_a_keep_out_is_a_border_too(monkeypatch):
    stage = Stage(monkeypatch, area=lake(ISLAND)).begin()
    stage.place, stage.velocity = (14.0, 0.0), (1.0, 0.0)
    stage.run_until(lambda: kinds(stage) == {"breach"}, seconds=10)
    assert stage.place[0] < 20


def test_a_boat_outside_is_stopped_wherever_it_goes(stage):
    stage.place, stage.velocity = (101.0, 0.0), (-1.0, 0.0)
    stage.run(0.4)
    assert kinds(stage) == {"breach"}
    assert stage.said("outside the fence")
    assert stage.guard.resume() == "the boat is outside the fence or in a keep-out; bring it back by hand first"


def test_a_boat_that_lost_its_position_outside_does_not_go_on_before_it_is_known_to_be_back(stage):
    stage.place = (101.0, 0.0)
    stage.run(0.4)
    stage.fix, stage.place = 1, (90.0, 0.0)  # where that place is, cannot be trusted
    stage.run(5)
    refusal = stage.guard.resume()
    assert refusal is not None
    assert "no GPS fix" in refusal
    assert "it was outside the fence" in refusal
    assert "breach" in kinds(stage)
    stage.fix = 3
    stage.run(5)
    assert stage.guard.resume() is None
    assert stage.guard.is_clear


def test_after_a_breach_the_boat_may_come_back_but_not_go_on(stage):
    stage.place, stage.velocity = (97.0, 0.0), (1.0, 0.0)
    stage.run_until(lambda: kinds(stage) == {"breach"}, seconds=10)
    assert stage.guard.resume() is None
    assert stage.guard.must_engage
    stage.guard.note_requested_mode("GUIDED")
    stage.mode, stage.velocity = "GUIDED", (-1.0, 0.0)
    stage.run(10)
    assert stage.guard.is_clear
    stage.velocity = (1.0, 0.0)
    stage.run_until(lambda: kinds(stage) == {"breach"}, seconds=15)


def stopped(stage: Stage) -> Stage:
    """Near the fence, by akrig itself."""
    stage.place, stage.velocity = (96.0, 0.0), (0.5, 0.0)
    stage.run_until(lambda: kinds(stage) == {"breach"}, seconds=10)
    stage.velocity = (0.0, 0.0)
    return stage


def backs_off(stage: Stage, speed: float) -> None:
    """The mission's thread does what it does then: GUIDED, and away from the fence, or against a current."""
    stage.run_until(lambda: stage.guard.is_clear, seconds=10)
    assert stage.guard.must_engage
    assert stage.guard.begin_engaging()
    stage.guard.is_engaging = False
    stage.mode, stage.velocity = "GUIDED", (-speed, 0.0)
    stage.guard.border.leg(stage.place, (94.0, 0.0), away=True)


def test_a_boat_that_lies_still_at_the_fence_backs_off_by_itself(stage):
    stopped(stage)
    assert stage.said("m from a border: it is stopped, then backs off by itself.")
    stage.run(3)
    assert kinds(stage) == {"breach"}  # it comes to rest first
    stage.run_until(lambda: stage.guard.is_clear, seconds=10)
    stage.place = (stage.place[0] + 0.3, 0.0)  # positions wander, and there is no way yet
    stage.run(1)
    backs_off(stage, 0.5)
    assert stage.guard.border_watch.must_back_off
    stage.run(10)
    assert stage.guard.is_clear
    assert stage.link.modes() == ["LOITER"]


def test_a_boat_that_drifts_towards_the_fence_in_its_hold_backs_off_at_once(stage):
    stopped(stage)
    stage.velocity = (0.2, 0.0)  # a hold lets a boat drift some metres before it does anything
    stage.run_until(lambda: stage.guard.is_clear, seconds=3)
    assert stage.guard.border_watch.must_back_off
    assert stage.guard.border.clearance(stage.place) > 1.5


def test_a_boat_that_comes_nearer_while_it_backs_off_is_stopped_and_after_three_times_waits(stage):
    stopped(stage)
    before = stage.place[0]
    for _ in range(3):
        backs_off(stage, -0.5)  # the current is stronger
        stage.run_until(lambda: kinds(stage) == {"breach"}, seconds=3)
        assert stage.place[0] - before < 0.8
        stage.place, stage.velocity = (before, 0.0), (0.0, 0.0)
    stage.run(60)
    assert kinds(stage) == {"breach"}
    assert stage.said("The boat does not get away from the border: it holds its place. Say `resume` or `return`.")
    assert stage.link.modes() == ["LOITER"] * 4
    assert stage.guard.resume() is None  # a person looked: it is tried again
    backs_off(stage, 0.5)
    stage.run(10)
    assert stage.guard.is_clear


@pytest.mark.parametrize("why", ["outside", "carried", "operator", "no hold", "gps", "ending", "own fence"])
def test_a_boat_that_is_not_akrigs_alone_or_not_at_rest_inside_does_not_back_off(stage, why):
    stopped(stage)
    if why == "outside":
        stage.place = (101.0, 0.0)
    elif why == "carried":
        stage.place, stage.velocity = (60.0, 0.0), (0.8, 0.0)
    elif why == "operator":
        stage.guard.pause("operator", "The operator holds the boat.")
    elif why == "no hold":
        stage.obeys, stage.mode = False, "GUIDED"
    elif why == "gps":
        stage.fix = 1
    elif why == "ending":
        stage.guard.end(Ending("hold", "Stopped from the keyboard."))
    else:
        stage.guard.border_watch.must_back_off = False
    stage.run(30)
    assert "breach" in kinds(stage)
    assert not stage.said("The boat backs off")


def test_a_pilot_who_takes_a_boat_that_backs_off_has_it(stage):
    stopped(stage)
    backs_off(stage, 0.5)
    stage.run(1)
    stage.mode, stage.velocity = "MANUAL", (0.5, 0.0)
    stage.run(20)
    assert kinds(stage) == {"pilot"}
    assert stage.link.modes() == ["LOITER"]


def test_a_way_that_ends_at_a_jetty_may_go_there(monkeypatch):
    stage = Stage(monkeypatch, area=lake(home=(98.8, 0.0))).begin()
    stage.guard.border.leg((80.0, 0.0), (98.8, 0.0))
    stage.place, stage.velocity = (90.0, 0.0), (1.0, 0.0)
    stage.run(8.8)
    assert stage.guard.is_clear
    stage.run(2)
    assert kinds(stage) == {"breach"}


def test_on_breach_return_comes_home_and_is_not_stopped_on_its_way(monkeypatch):
    stage = Stage(monkeypatch, on_breach="return").begin()
    stage.place, stage.velocity = (97.0, 0.0), (0.5, 0.0)
    stage.run_until(lambda: stage.guard.ending, seconds=10)
    assert stage.guard.ending.course == "return"
    stage.guard.come_home()
    stage.run(1)
    assert not stage.guard.pauses
    assert stage.link.modes() == []


def test_a_position_that_is_not_trusted_is_no_breach(stage):
    stage.fix, stage.place = 1, (150.0, 0.0)
    stage.run(1)
    assert kinds(stage) == set()


# -- pilot


@pytest.mark.parametrize("mode", ["MANUAL", "HOLD", "RTL", "LOITER", "AUTO", "STEERING"])
def test_a_pilot_who_takes_over_is_never_fought(stage, mode):
    stage.mode = mode
    stage.run(20)
    assert kinds(stage) == {"pilot"}
    assert stage.said(f"Somebody changed the mode to {mode}")
    assert stage.link.orders == []


def test_the_boat_is_taken_up_again_when_the_pilot_gives_it_back(stage):
    stage.mode = "MANUAL"
    stage.run(5)
    stage.mode = "GUIDED"
    stage.run(1)
    assert stage.guard.is_clear
    assert stage.guard.must_engage
    assert stage.said("in GUIDED again")


def test_a_pilot_may_bring_the_boat_anywhere(stage):
    stage.mode, stage.velocity = "MANUAL", (10.0, 0.0)
    stage.run(20)
    assert kinds(stage) == {"pilot"}
    stage.mode, stage.velocity = "GUIDED", (0.0, 0.0)
    stage.run(1)
    assert kinds(stage) == {"breach"}  # but from outside, akrig does not go on


def test_somebody_disarms(stage):
    stage.armed = False
    stage.run(1)
    assert stage.guard.is_clear
    stage.run(5)
    assert kinds(stage) == {"pilot"}
    assert stage.said("disarmed")
    assert stage.link.orders == []


def test_a_boat_that_is_being_armed_is_not_armed_yet_and_that_is_fine(stage):
    stage.armed, stage.guard.is_engaging = False, True
    stage.run(30)
    assert stage.guard.is_clear


def test_a_pilot_hours_after_a_lost_link_is_not_mistaken_for_the_boats_failsafe(stage):
    stage.is_heard = False
    stage.run(10)
    stage.is_heard = True
    stage.run(60)
    assert stage.guard.is_clear
    stage.mode = "HOLD"
    stage.run(10)
    assert kinds(stage) == {"pilot"}
    assert stage.link.orders == []


def test_akrigs_own_orders_are_nobody_taking_over_even_if_they_come_in_late(stage):
    stage.obeys = False
    stage.guard.hold()
    stage.guard.note_requested_mode("GUIDED")  # changed its mind before the boat did anything
    stage.run(0.6)
    stage.mode = "LOITER"
    stage.run(1)
    assert stage.guard.is_clear
    stage.obeys = True
    stage.run(6)
    assert stage.mode == "GUIDED"
    assert stage.guard.is_clear


# -- orders that are not obeyed


def test_an_order_is_given_again_until_it_is_obeyed_and_then_stop_the_motors(stage):
    stage.obeys = False
    stage.guard.pause("operator", "held")
    stage.guard.hold()
    stage.run(11)
    assert stage.link.modes() == ["LOITER", "LOITER", "HOLD", "HOLD"]
    stage.obeys, stage.mode = True, "HOLD"
    stage.run(20)
    assert len(stage.link.modes()) == 4
    assert kinds(stage) == {"operator"}
