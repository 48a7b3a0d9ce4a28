"""What a survey makes of findings: notices, or one refusal with all that is dangerous."""

import pytest

from akrig.errors import Interrupted, UnsafeStart
from akrig.survey.preflight import checks, examine
from akrig.survey.preflight.checks import check_start, one_line
from tests.survey.preflight.boats import found, ready, survey


class Boat:
    """As much of one as is told something."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []
        self.link = self
        self.is_interrupted = False

    def tell(self, level: str, message: str) -> None:
        self.told.append((level, message))


@pytest.fixture
def start(monkeypatch, tmp_path, unchecked):
    """A start with these facts; returns what was told."""

    def begin(facts, boat=None):
        boat = boat or Boat()
        monkeypatch.setattr(checks, "gather_facts", lambda *_: facts)
        check_start(boat, None, tmp_path)
        return boat.told

    return begin


def test_what_is_well_is_not_told(start):
    assert start(ready()) == []


def test_warnings_are_told_in_a_line_with_what_to_type(start):
    assert start(ready(FS_ACTION=2)) == [
        (
            "warning",
            "FS_ACTION 2: If the link breaks or akrig stops, the boat stops its motors and drifts (Hold). "
            "(param set FS_ACTION 6)",
        )
    ]


def test_all_dangers_are_told_at_once_with_how_to_take_them_on(start):
    with pytest.raises(UnsafeStart) as caught:
        start(ready(FS_GCS_ENABLE=0, battery=0.1))
    assert "\n  - FS_GCS_ENABLE 0: " in str(caught.value)
    assert "\n  - battery: 10% and 15.9 V" in str(caught.value)
    assert str(caught.value).endswith('set safety.accept = ["FS_GCS_ENABLE", "battery"].')


def test_what_is_taken_on_is_only_told(start):
    told = start(ready(FS_GCS_ENABLE=0, survey=survey(safety={"accept": ["FS_GCS_ENABLE"]})))
    assert [message.split(":")[0] for _, message in told] == ["FS_GCS_ENABLE 0"]


def test_a_boat_outside_cannot_be_taken_on(start):
    with pytest.raises(UnsafeStart) as caught:
        start(ready(place=(-9.0, 0.0), FS_GCS_ENABLE=0))
    assert "accept" not in str(caught.value)


def test_who_stops_waiting_is_not_told_what_was_not_heard_meanwhile(start):
    boat = Boat()
    boat.is_interrupted = True
    with pytest.raises(Interrupted):
        start(ready(FS_GCS_ENABLE=0), boat)
    assert boat.told == []


def test_a_line_holds_name_value_sentence_and_the_first_thing_to_type():
    finding = found(ready(MAV_GCS_SYSID=252), "MAV_GCS_SYSID")
    assert one_line(finding).startswith("MAV_GCS_SYSID 252: The boat waits for ground station 252")
    assert one_line(finding).endswith("(param set MAV_GCS_SYSID 255)")
    assert all("\n" not in one_line(each) for each in examine(ready(FS_ACTION=0)))
