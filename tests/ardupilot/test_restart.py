"""A boat that was switched off and on, and one that cannot be armed: hands stay clear, and the reason is said."""

from tests.ardupilot.trial import surveying, trial
from tests.survey.pond import finished, under_way


def test_restarted_boat_waits_for_the_operator(tmp_path):
    with trial(tmp_path, distance=700) as found, surveying(found) as process:
        boat, life = found.boat, found.boat.truth.latest.life
        boat.switch_off()
        boat.switch_on()
        found.await_notice("restarted")
        boat.await_ready()
        boat.let_pass(10)
        assert not any(sight.armed for sight in boat.truth.sights() if sight.life > life)
        assert found.order("resume").accepted
        found.check_goes_on()
        found.call_home(process)
        boat.truth.check_never_outside()
        found.check_journal()


def test_boat_that_cannot_be_armed_says_why_and_its_silent_sonar_brings_it_home(tmp_path):
    """ArduPilot goes on sending when its sonar is silent: that it saw nothing. It takes five times as long, then."""
    with trial(tmp_path, distance=700, silence=12) as found:
        found.boat.sonar.is_silent = True
        found.boat.await_failing_checks()
        with under_way(found) as process:
            found.wait_for(lambda: "Rangefinder" in found.terminal, seconds=40, what="the boat's own words")
            assert not found.boat.truth.armed
            found.boat.sonar.is_silent = False
            found.await_metres(15)
            found.boat.sonar.is_silent = True
            found.boat.let_pass(10)
            found.boat.sonar.is_silent = False
            found.check_goes_on()
            found.boat.sonar.is_silent = True
            finished(process, found)
        assert found.ended.startswith("came home: The sonar ")
        found.check_came_home()
        found.boat.truth.check_never_outside()
        found.check_journal()


def test_resume_says_why_the_boat_cannot_be_armed(tmp_path):
    with trial(tmp_path, distance=700) as found, surveying(found) as process:
        found.boat.sonar.is_silent = True
        found.boat.pilot.disarm()
        found.await_notice("disarmed the boat")
        refused = found.order("resume")
        assert not refused.accepted
        assert "Rangefinder" in refused.text
        found.boat.sonar.is_silent = False
        found.boat.await_ready()
        assert found.order("resume").accepted
        found.check_goes_on()
        found.call_home(process)
        found.boat.truth.check_never_outside()
