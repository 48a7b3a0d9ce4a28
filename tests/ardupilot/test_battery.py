"""A low battery, by per cent, by volts and by the boat's own failsafe, brings the boat home."""

from tests.ardupilot.trial import surveying, trial
from tests.survey.pond import finished

TOWARDS_THE_WEST = {"SIM_TIDE_DIR": 90.0}


def test_per_cent_bring_the_boat_home_and_so_do_volts_that_contradict_them(tmp_path):
    with trial(tmp_path, distance=700, parameters={"BATT_FS_LOW_ACT": 0}) as found:
        truth, pilot = found.boat.truth, found.boat.pilot
        with surveying(found) as process:
            pilot.empty_battery_to(15)
            assert finished(process, found) == 0
        assert found.ended.startswith("came home: The battery was at")
        found.check_came_home()
        found.check_journal()
        pilot.empty_battery_to(95)
        with surveying(found, resume=True) as process:
            pilot.set(SIM_BATT_VOLTAGE=10)
            assert finished(process, found) == 0
        assert truth.percent > 80
        assert truth.volts < 10.5
        assert found.ended.startswith("came home")
        assert "battery" in found.ended
        found.check_came_home()
        found.check_journal()
        truth.check_never_outside()


def test_own_failsafe_that_stops_the_motors_is_not_left_adrift(tmp_path):
    """BATT_FS_LOW_ACT 2 (Hold), in a current: it is nobody's doing, and the boat comes home."""
    with trial(tmp_path, distance=700, parameters={"BATT_FS_LOW_ACT": 2}) as found:
        found.boat.pilot.set(SIM_TIDE_SPEED=0.3, **TOWARDS_THE_WEST)
        with surveying(found, metres=30) as process:
            found.boat.pilot.set(SIM_BATT_VOLTAGE=10.5)
            finished(process, found)
        assert "HOLD" in found.boat.truth.modes() or found.said("battery")
        assert not found.said("Somebody")
        assert found.ended.startswith("came home")
        found.check_came_home()
        found.boat.truth.check_never_outside()
