"""No position, and water that moves: the boat stays inside, or says that it cannot."""

import pytest

from tests.ardupilot.trial import surveying, trial

WESTWARDS = 90.0  # SIM_TIDE_DIR: a current towards the fence that home is nearest to
ROOM = 3.0  # metres from a border, within which a boat is stopped
WEAK = {"MOT_THR_MAX": 5}  # per cent: a boat that a strong current carries off


def test_lost_position_is_waited_for(tmp_path):
    with trial(tmp_path, distance=700) as found, surveying(found) as process:
        begin = found.boat.truth.now
        found.boat.pilot.set(SIM_GPS1_ENABLE=0)
        found.await_notice("position")
        found.await_mode("HOLD")
        found.boat.let_pass(15)
        found.boat.pilot.set(SIM_GPS1_ENABLE=1)
        found.check_goes_on()
        assert "MANUAL" not in found.boat.truth.modes(begin)
        assert not found.said("Somebody")
        found.call_home(process)
        found.boat.truth.check_never_outside()
        found.check_journal()


def test_border_is_watched_for_a_pilot_who_is_not_at_the_sticks(tmp_path):
    """HOLD stops the motors, and the current has the boat: akrig keeps it inside."""
    with trial(tmp_path, distance=700) as found, surveying(found) as process:
        found.boat.pilot.set(SIM_TIDE_SPEED=0.4, SIM_TIDE_DIR=WESTWARDS)
        found.boat.pilot.change_mode("HOLD")
        found.await_notice("Somebody changed the mode to HOLD")
        found.await_mode("LOITER", seconds=120)
        found.boat.let_pass(60)
        found.boat.truth.check_never_outside()
        assert found.order("resume").accepted
        found.wait_for(lambda: found.boat.truth.clearances(-2).min() > ROOM, what="the way off the border")
        found.check_goes_on()
        found.call_home(process)
        found.boat.truth.check_never_outside()


@pytest.mark.parametrize(("hull", "current"), [("motorboat-skid", 2.2), ("motorboat", 0.8)])
def test_boat_that_was_carried_to_the_border_backs_off_by_itself(tmp_path, hull, current):
    """For a while the current is stronger than the boat; nobody gives an order."""
    with trial(tmp_path, hull=hull, distance=700, parameters=WEAK) as found, surveying(found, metres=3) as process:
        carried = found.boat.truth.now
        found.boat.pilot.set(SIM_TIDE_SPEED=current, SIM_TIDE_DIR=WESTWARDS)
        found.await_notice("m from a border: it is stopped, then backs off by itself")
        found.boat.pilot.set(SIM_TIDE_SPEED=0.2, MOT_THR_MAX=100)
        found.await_notice("The boat backs off from the border")
        found.wait_for(lambda: found.boat.truth.clearances(-2).min() > ROOM, what="the way off the border")
        back = found.boat.truth.now
        found.check_goes_on()
        assert not found.said("Say `resume`")
        found.call_home(process)
        # In between the current had it: how far it was carried depends on how soon this test heard of it.
        found.boat.truth.check_never_outside(until=carried)
        found.boat.truth.check_never_outside(back)


def test_current_beyond_its_power_is_told_and_the_boat_goes_on_afterwards(tmp_path):
    with trial(tmp_path, distance=700, parameters=WEAK) as found, surveying(found) as process:
        # Stronger than the boat, not than its filter: a jump of 6 m/s may cost the boat its position as well.
        found.boat.pilot.set(SIM_TIDE_SPEED=2.5, SIM_TIDE_DIR=WESTWARDS)
        found.await_notice("from a border")
        found.wait_for(lambda: found.boat.truth.clearances(-2).min() < -2, what="the boat outside the fence")
        found.boat.pilot.set(SIM_TIDE_SPEED=0)
        refused = found.order("resume")
        assert not refused.accepted
        assert "outside" in refused.text
        found.boat.pilot.change_mode("RTL")
        found.wait_for(lambda: found.boat.truth.distance_to(found.home) < 8, what="the pilot's way home")
        assert found.order("resume").accepted
        begin = found.boat.truth.now
        found.check_goes_on()
        found.call_home(process)
        found.boat.truth.check_never_outside(begin)
        found.check_journal()
