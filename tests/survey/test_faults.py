"""Whatever goes wrong on the water: no accepted sounding is lost, the boat stays inside, and the reason is said."""

import pytest

from tests.survey.harbour import harbour
from tests.survey.pond import begun, check_kept, finished, under_way


def test_survey_without_trouble_ends_at_home(tmp_path):
    with harbour(tmp_path, outliers=0.05, dropouts=0.1) as found, under_way(found) as process:
        assert finished(process, found) == 0
        assert found.ended == "budget"
        assert "at home" in found.notices[-1]
        assert found.distance_home() < 8
        found.check_never_outside()
        check_kept(found)
        reasons = {event["reason"].split(" (")[0] for event in found.events if event["event"] == "rejected"}
        assert "confidence too low" in reasons


def test_passing_troubles_are_waited_out(tmp_path):
    """GPS, link and sonar are lost for a while, and a pilot takes the boat and gives it back."""
    with harbour(tmp_path, distance=420, patience=400, wind=0.5) as found, under_way(found) as process:
        found.wait_for(begun(found), what="the survey's beginning")

        def wait_for_notice(*words: str) -> None:
            """Any of them; who notices the lost position first, akrig or the autopilot, depends on the moment."""
            found.wait_for(lambda: any(each in notice for notice in found.notices for each in words), what=words[0])

        for fault, said, over in (
            (("gps", "for", "25"), ("position cannot be trusted", "until it has a position"), "can be trusted again"),
            (("link", "for", "90"), ("No word from the boat",), "heard again"),
            (("pilot", "MANUAL"), ("Somebody changed the mode to MANUAL",), None),
        ):
            found.fault(*fault)
            wait_for_notice(*said)
            if over is not None:
                wait_for_notice(over)
        found.fault("pilot", "GUIDED")
        wait_for_notice("in GUIDED again")
        found.fault("sonar", "for", "12")
        assert finished(process, found) == 0
        assert found.ended == "budget"
        assert found.distance_home() < 8
        found.check_never_outside()
        check_kept(found)


@pytest.mark.parametrize(("fault", "said"), [(("sonar",), "sonar was silent"), (("battery", "10"), "battery was at")])
def test_lasting_trouble_brings_the_boat_home(tmp_path, fault, said):
    with harbour(tmp_path, distance=600) as found, under_way(found) as process:
        found.wait_for(begun(found), what="the survey's beginning")
        found.fault(*fault)
        finished(process, found)
        assert found.ended.startswith("came home")
        assert said in found.ended
        assert said in found.terminal
        assert found.distance_home() < 8
        found.check_never_outside()


def test_thruster_failure_stops_the_boat(tmp_path):
    with harbour(tmp_path, wind=0.0, current=0.0) as found, under_way(found) as process:
        found.wait_for(begun(found), what="the survey's beginning")
        found.fault("thruster", "both")
        assert finished(process, found) == 3
        assert found.ended.startswith("holds")
        assert "not come nearer" in found.terminal
        found.check_never_outside()
