"""The fence on board, with the parameters that docs/field.md recommends: a second line behind akrig's own."""

from tests.ardupilot.fence import fence_in
from tests.ardupilot.trial import surveying, trial
from tests.ardupilot.wire import wait_until

WESTWARDS = 90.0  # SIM_TIDE_DIR
BEYOND = 5.0  # metres past the line within which the boat is stopped
PLACE = 3.0  # metres that it may wander then


def test_fence_on_board_does_not_disturb_a_survey_and_its_doing_is_not_a_pilots(tmp_path):
    with trial(tmp_path, distance=700) as found:
        fence_in(found.boat)
        with surveying(found) as process:
            found.await_metres(150)
            assert set(found.boat.truth.modes(0)) <= {"MANUAL", "HOLD", "GUIDED"}
            found.call_home(process)
        found.boat.truth.check_never_outside()


def test_fence_on_board_stops_a_boat_that_drifts_out_and_keeps_it_there(tmp_path):
    """Without akrig: in HOLD, its motors off, with a current."""
    with trial(tmp_path) as found:
        boat, truth = found.boat, found.boat.truth
        fence_in(boat)
        boat.pilot.change_mode("HOLD")
        boat.pilot.arm()
        boat.pilot.set(SIM_TIDE_SPEED=0.5, SIM_TIDE_DIR=WESTWARDS)
        wait_until(lambda: truth.mode == "LOITER", seconds=90, what="the fence's own Loiter")
        boat.let_pass(20)
        begin, place = truth.now, truth.latest.place
        boat.hurry(600)
        assert truth.modes(begin) == ["LOITER"]
        assert truth.distance_to(place) < PLACE
        assert truth.clearances(0).min() > -BEYOND
        boat.pilot.change_mode("GUIDED")  # it can be fetched
