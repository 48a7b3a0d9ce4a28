"""People around a real autopilot: pilots, operators, and whoever starts akrig in the wrong place."""

from tests.ardupilot.autopilot import another_ground_station
from tests.ardupilot.trial import surveying, trial
from tests.survey.pond import degrees, finished, under_way

OUTSIDE = (-5, 20)  # metres of the pond: five west of its fence
FAR, KEPT_OUT = degrees((90, 50)), degrees((55, 36))


def test_refused_start_leaves_the_boat_to_its_pilot(tmp_path):
    with trial(tmp_path, place=OUTSIDE) as found:
        found.boat.pilot.change_mode("MANUAL")
        found.boat.pilot.arm()
        begin = found.boat.truth.now
        with under_way(found) as process:
            assert finished(process, found) == 1
        assert "bring it inside" in found.terminal
        found.boat.let_pass(5)
        assert found.boat.truth.modes(begin) == ["MANUAL"]
        assert found.boat.truth.armed


def test_resume_takes_the_boat_back_from_a_pilot(tmp_path):
    with trial(tmp_path, distance=700) as found, surveying(found) as process:
        truth, pilot = found.boat.truth, found.boat.pilot
        for times, mode in enumerate(("RTL", "LOITER", "MANUAL", "HOLD", "SMART_RTL", "RTL"), start=1):
            pilot.change_mode(mode)
            found.await_notice("Somebody changed the mode", times=times)
            answer = found.order("resume")
            assert answer.accepted, f"after {mode}: {answer.text}"
            begin = truth.now
            found.check_goes_on()
            assert truth.modes(begin) == ["GUIDED"], f"after {mode}: {found.notices[-3:]}"
            assert found.said("Somebody changed the mode") == times
        found.call_home(process)
        truth.check_never_outside()
        found.check_journal()


def test_resume_in_the_moment_of_a_mode_change_is_not_lost(tmp_path):
    """Before akrig can know who changed the mode; a boat in HOLD would drift."""
    with trial(tmp_path, distance=700) as found, surveying(found) as process:
        for _ in range(3):
            found.boat.pilot.change_mode("HOLD")
            answer = found.order("resume")
            assert answer.accepted, answer.text
            found.check_goes_on()
        found.call_home(process)
        found.boat.truth.check_never_outside()


def test_pilot_is_never_fought_and_gives_the_boat_back(tmp_path):
    with trial(tmp_path, distance=700) as found, surveying(found) as process:
        truth, pilot = found.boat.truth, found.boat.pilot
        pilot.change_mode("MANUAL")
        begin = truth.now
        found.await_notice("Somebody changed the mode to MANUAL")
        found.boat.let_pass(20)
        assert truth.modes(begin) == ["MANUAL"]
        pilot.change_mode("GUIDED")
        found.check_goes_on()
        pilot.disarm()
        begin = truth.now
        found.await_notice("disarmed the boat")
        found.boat.let_pass(10)
        assert not any(sight.armed for sight in truth.sights(begin))
        assert found.order("resume").accepted
        found.check_goes_on()
        found.call_home(process)
        truth.check_never_outside()
        found.check_journal()


def test_every_order_is_done(tmp_path):
    with trial(tmp_path, distance=700) as found, surveying(found) as process:
        assert found.order("hold").accepted
        found.await_mode("LOITER")
        assert found.order("resume").accepted
        found.await_mode("GUIDED")
        assert found.order("skip").accepted
        assert found.order("goto", FAR).accepted
        found.wait_for(lambda: found.distance_to(FAR) < 4, what="the place it was sent to")
        refused = found.order("goto", KEPT_OUT)
        assert not refused.accepted
        assert "keep-out" in refused.text
        found.call_home(process)
        found.boat.truth.check_never_outside()


def test_another_ground_station_of_the_same_name_is_told(tmp_path):
    """While one with akrig's own id is heard, the boat does not notice that akrig is gone."""
    with trial(tmp_path) as found, another_ground_station(found.boat, system=255), under_way(found):
        found.await_notice("Another ground station")
