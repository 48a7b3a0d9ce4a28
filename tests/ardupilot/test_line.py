"""The line to a real autopilot fails in every way: the boat acts on its own failsafe, and akrig takes it up again."""

import signal

import pytest

from tests.ardupilot.autopilot import HULLS
from tests.ardupilot.trial import Trial, surveying, trial

LONG_ENOUGH = 25.0  # boat seconds: FS_TIMEOUT and FS_GCS_TIMEOUT, ten in all, and then some


def lose(found: Trial, how: str) -> None:
    """The line is lost for a while, and is back."""
    line = found.boat.line
    if how == "closed":
        line.cut()
    else:
        line.stalled, line.loses_up, line.loses_down = how == "stalled", how == "up", how == "down"
    found.boat.let_pass(LONG_ENOUGH)
    line.restore()


@pytest.mark.parametrize("hull", HULLS)
def test_lost_line_is_taken_up_again(tmp_path, hull):
    with trial(tmp_path, hull=hull, distance=700) as found, surveying(found) as process:
        for how in ("stalled", "closed", "down", "up"):
            begin = found.boat.truth.now
            lose(found, how)
            found.check_goes_on()
            assert ("LOITER" in found.boat.truth.modes(begin)) == (how != "down"), f"{how}: the boat's own failsafe"
        assert not found.said("Somebody")
        found.call_home(process)
        found.boat.truth.check_never_outside()
        found.check_journal()


def test_boat_that_waits_keeps_its_place_after_a_lost_line(tmp_path):
    """FS_ACTION 2 stops the motors: once akrig is back, the boat must not be left adrift."""
    with trial(tmp_path, parameters={"FS_ACTION": 2}) as found, surveying(found) as process:
        assert found.order("hold").accepted
        found.await_mode("LOITER")
        lose(found, "stalled")
        assert "HOLD" in found.boat.truth.modes()
        found.await_mode("LOITER")
        assert found.order("resume").accepted
        found.check_goes_on()
        found.call_home(process)
        found.boat.truth.check_never_outside()


def test_computer_that_was_asleep_takes_the_boat_up_again(tmp_path):
    """Long enough for the boat's failsafe; what it said meanwhile is heard late, all at once."""
    with trial(tmp_path, distance=700) as found, surveying(found) as process:
        for seconds in (14, LONG_ENOUGH):
            process.send_signal(signal.SIGSTOP)
            found.boat.let_pass(seconds)
            process.send_signal(signal.SIGCONT)
            found.check_goes_on()
        assert "LOITER" in found.boat.truth.modes()
        assert not found.said("Somebody")
        found.call_home(process)
        found.boat.truth.check_never_outside()
