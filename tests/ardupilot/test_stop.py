"""Akrig ends, and the boat has nobody: it keeps its place for as long as it takes, and `resume` goes on."""

import signal

from tests.ardupilot.trial import surveying, trial
from tests.survey.pond import finished, under_way

PILOT_PASS = 190.0  # metres, a little less than both of its lines


def test_ctrl_c_leaves_a_hold_that_lasts_and_a_pilot_pass_that_goes_on(tmp_path):
    """A target that few readings seem to reach is no reason to leave out the rest of the first look."""
    with trial(tmp_path, distance=380, more="[target]\nuncertainty = 1.5") as found:
        found.boat.pilot.set(SIM_TIDE_SPEED=0.2, SIM_TIDE_DIR=90)
        with surveying(found) as process:
            process.send_signal(signal.SIGINT)
            assert finished(process, found) == 130
        assert found.boat.truth.mode == "LOITER"
        found.check_journal()
        found.check_hold_lasts()
        with under_way(found, resume=True) as process:
            assert finished(process, found) == 0
        assert found.ended in ("target", "budget")
        assert found.metres() > PILOT_PASS
        found.check_journal()
        found.check_came_home()
        found.boat.truth.check_never_outside()


def test_killed_akrig_leaves_a_hold_that_lasts(tmp_path):
    with trial(tmp_path) as found:
        found.boat.pilot.set(SIM_TIDE_SPEED=0.2, SIM_TIDE_DIR=90)
        with surveying(found) as process:
            process.kill()
            process.wait()
        found.await_mode("LOITER")
        found.check_hold_lasts()
        found.boat.truth.check_never_outside()


def test_failsafe_that_stops_the_motors_is_told(tmp_path):
    with trial(tmp_path, parameters={"FS_ACTION": 2}) as found, under_way(found):
        found.await_notice("FS_ACTION")
