"""A whole survey on a real autopilot: killed in the middle, gone on with, home, and a hold that lasts."""

import pytest

from tests.ardupilot.autopilot import HULLS
from tests.ardupilot.trial import surveying, trial
from tests.survey.pond import finished, under_way


@pytest.mark.parametrize("hull", HULLS)
def test_survey_killed_in_the_middle_ends_at_home(tmp_path, hull):
    with trial(tmp_path, hull=hull) as found:
        with surveying(found, metres=100) as process:
            process.kill()
            process.wait()
        found.check_journal()
        with under_way(found, resume=True) as process:
            assert finished(process, found) == 0
        assert found.ended == "budget"
        assert "at home" in found.notices[-1]
        found.check_journal()
        found.check_came_home()
        found.check_hold_lasts()
        found.boat.truth.check_never_outside()
