"""Turning round at the end of a line, near the border: a boat with a rudder must go ahead to turn."""

import pytest

from tests.ardupilot.autopilot import HULLS
from tests.ardupilot.trial import surveying, trial

STOPPED_AT = 3.0  # metres from a border: half the pond's margin


@pytest.mark.parametrize("hull", HULLS)
def test_hairpins_are_driven_without_coming_near_the_border(tmp_path, hull):
    """From home to the near end of the first line, and straight back along it."""
    with trial(tmp_path, hull=hull) as found, surveying(found, metres=60):
        assert not found.said("from a border")
        assert found.boat.truth.clearances().min() > STOPPED_AT
