"""A whole survey on a real autopilot: killed in the middle, gone on with, home, and a hold that lasts."""

import pytest

from tests.ardupilot.autopilot import HULLS
from tests.ardupilot.trial import killed, trial
from tests.survey.pond import begun, check_kept, finished, under_way


@pytest.mark.parametrize("hull", HULLS)
def test_survey_killed_in_the_middle_ends_at_home(tmp_path, hull):
    with trial(tmp_path, hull=hull) as found:
        with under_way(found) as process:
            found.wait_for(begun(found), what="the survey's beginning")
            found.await_metres(120)
            killed(process)
        written = (found.run / "journal.jsonl").read_bytes()
        with under_way(found, resume=True) as process:
            assert finished(process, found) == 0
        assert found.ended == "budget"
        assert "at home" in found.notices[-1]
        assert (found.run / "journal.jsonl").read_bytes().startswith(written[: written.rfind(b"\n") + 1])
        check_kept(found)
        found.check_came_home()
        found.boat.truth.check_never_outside()
        found.check_hold_lasts()
