"""Every sounding gets an id and a moment and is written down; the mission is given those that are far enough apart."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.survey.link.clock import BoatClock, MissionClock
from akrig.survey.link.readings import MissionReadings
from akrig.survey.link.soundings import Sounding
from akrig.types import Measurement

DATE = 1_780_000_000.0


class Log:
    """Readings of a mission that began at `DATE`, or goes on, and what was written down."""

    def __init__(self, *, begin: float = 0.0, last_id: int = 0) -> None:
        boat = BoatClock()
        boat.hear(1000, round(DATE * 1e6))
        self.clock = MissionClock(boat, begin=begin)
        self.clock.start()
        self.written: list[tuple[int, float]] = []
        self.readings = MissionReadings(self.clock, spacing=2.0, last_id=last_id, write=self._write)

    def _write(self, sounding: Sounding, id: int, moment: float) -> None:
        if sounding.raw < 0:
            raise OSError("The disk is full.")
        self.written.append((id, moment))

    def add(self, second: float, x: float = 0.0, *, reason: str | None = None, raw: float = 5.0) -> None:
        self.readings.add(Sounding(DATE + second, (x, 0.0), 5.0, raw, reason))


def test_a_reading_is_the_sounding_with_its_id():
    log = Log(last_id=40)
    log.add(1.0, 7.0)
    (reading,) = log.readings.taken()
    assert (reading.position, reading.value, reading.id) == ((7.0, 0.0), 5.0, 41)
    assert log.written == [(41, reading.time)]
    assert list(log.readings.taken()) == []


def test_all_are_written_and_those_apart_are_used():
    log = Log()
    for k in range(9):
        log.add(k, k / 2, reason="jump" if k == 4 else None)
    assert [id for id, _ in log.written] == list(range(1, 10))
    assert [reading.position[0] for reading in log.readings.taken()] == [0.0, 2.5]  # at 2.0 it was refused


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=20), st.sampled_from([0.0, 300.0]))
def test_ids_and_times_grow_whatever_the_boats_clock_does(seconds, begin):
    log = Log(begin=begin)
    for second in seconds:
        log.add(second)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(log.written))
    if begin:
        assert log.written[0][1] > begin


def test_what_cannot_be_written_is_not_used():
    log = Log()
    with pytest.raises(OSError, match="full"):
        log.add(0.0, raw=-1.0)
    assert list(log.readings.taken()) == []


def test_soundings_of_an_earlier_stretch_keep_their_ids():
    log = Log(begin=50.0, last_id=9)
    log.readings.offer(Measurement(49.0, (0.0, 0.0), 4.0, 8))
    log.add(1.0, 1.0)
    log.add(2.0, 3.0)
    assert [reading.id for reading in log.readings.taken()] == [8, 11]


def test_a_date_that_is_set_right_is_no_time_that_passed():
    boat = BoatClock()
    boat.hear(1000)  # no date yet: a guess
    clock = MissionClock(boat)
    assert clock.now == 0.0
    clock.start()
    boat.hear(2000, round(DATE * 1e6))
    assert clock.moment(DATE) == pytest.approx(1.0, abs=0.1)
