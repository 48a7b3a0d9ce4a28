"""Modes by name and number."""

import pytest

from akrig.survey.link.modes import ARDUPILOT, FAILSAFE, PX4, Modes

ARDUPILOTMEGA, GENERIC, PX4_AUTOPILOT = 3, 0, 12


@pytest.mark.parametrize("name", ARDUPILOT)
def test_ardupilots_numbers_are_those_of_rover(name):
    modes = Modes(ARDUPILOTMEGA)
    flag, number, sub = modes.parameters(name)
    assert (flag, sub) == (1, 0)
    assert modes.name(int(number)) == name


@pytest.mark.parametrize("autopilot", [GENERIC, PX4_AUTOPILOT])
@pytest.mark.parametrize("name", PX4)
def test_other_autopilots_count_as_px4_does(autopilot, name):
    modes = Modes(autopilot)
    _, main, sub = modes.parameters(name)
    assert modes.name(int(main) << 16 | int(sub) << 24) == name


def test_an_unknown_number_has_a_name_too():
    assert Modes(ARDUPILOTMEGA).name(99) == "mode 99"


def test_the_modes_of_failsafes_exist():
    assert set(FAILSAFE) <= set(ARDUPILOT)
