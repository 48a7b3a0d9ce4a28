"""Every ping becomes a sounding with the position at its time, and is accepted, or refused with its reason."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.config.survey import DepthSettings
from akrig.survey.link.soundings import Ping, Sounder, Sounding
from akrig.survey.link.track import Fix, Track
from akrig.survey.link.waterlevel import WaterLevel

EAST, NORTH = 0.0, math.pi / 2


class Water:
    """A boat that goes east with 1 m/s, sounding as it is told; seconds since 100."""

    def __init__(self, *, level=None, heading=EAST, **mounting) -> None:
        self.track, self.kept, self.heading = Track(), list[Sounding](), heading
        self.trouble: str | None = None
        self.sounder = Sounder(self.track, DepthSettings(deepest=50.0, **mounting), level=level)
        self.time = 100.0
        self.sail()

    def sail(self, seconds: float = 0.2, *, trusted: bool = True) -> None:
        self.time += seconds
        self.track.add(Fix(self.time, (self.time - 100, 0.0), self.heading, 1.0, trusted))
        self.judge(self.time)

    def hear(self, ping: Ping) -> None:
        self.sounder.hear(ping, trouble=self.trouble)

    def judge(self, now: float) -> None:
        self.kept += self.sounder.soundings(now)

    def sounds(self, *depths: float, confidence: int | None = 90) -> list[Sounding]:
        begin = len(self.kept)
        for depth in depths:
            self.hear(Ping(self.time + 0.1, depth, confidence))
            self.sail()
        return self.kept[begin:]

    def under_way(self) -> "Water":
        self.sounds(5.0, 5.0, 5.0)
        self.kept.clear()
        return self


def reasons(soundings: list[Sounding]) -> list[str | None]:
    return [sounding.reason for sounding in soundings]


def test_a_ping_gets_the_position_between_those_before_and_after_it():
    water = Water().under_way()
    (sounding,) = water.sounds(5.1)
    assert sounding.position == pytest.approx((water.time - 100.1, 0))
    assert (sounding.depth, sounding.raw, sounding.reason) == (5.1, 5.1, None)


def test_it_waits_for_the_position_after_it_and_then_gives_up():
    water = Water().under_way()
    water.hear(Ping(water.time + 0.1, 5.0))
    water.judge(water.time + 1.0)
    assert water.kept == []
    water.judge(water.time + 3.0)
    assert reasons(water.kept) == ["no position at this time"]
    assert water.kept[0].position is None


def test_a_late_sonar_is_matched_with_where_the_boat_was_then():
    water = Water(latency=1.0)
    water.sounds(*[5.0] * 10)
    (sounding,) = water.sounds(5.0)
    assert sounding.position == pytest.approx((water.time - 0.1 - 1.0 - 100, 0))
    assert sounding.time == pytest.approx(water.time - 0.1 - 1.0)


@pytest.mark.parametrize(("heading", "offset"), [(EAST, (2.0, -0.5)), (NORTH, (0.5, 2.0))])
def test_the_place_is_the_transducers_not_the_antennas(heading, offset):
    water = Water(forward=2.0, right=0.5, heading=heading).under_way()
    (sounding,) = water.sounds(5.0)
    assert sounding.position == pytest.approx((water.time - 100.1 + offset[0], offset[1]))


def test_depths_are_corrected_for_the_transducer_and_the_water_level():
    level = WaterLevel((0.0, 200.0), (0.0, 2.0))
    water = Water(transducer=0.3, level=level).under_way()
    (sounding,) = water.sounds(5.0)
    assert sounding.depth == pytest.approx(5.0 + 0.3 - sounding.time / 100)
    assert sounding.raw == 5.0


def test_without_a_water_level_for_its_time_a_ping_is_refused():
    assert "water level" in (reasons(Water(level=WaterLevel((0.0, 50.0), (0.0, 2.0))).sounds(5.0))[0] or "")


@pytest.mark.parametrize(
    ("depth", "confidence", "words"),
    [
        (math.nan, 90, "no echo"),
        (math.inf, 90, "no echo"),
        (0.0, None, "no echo"),
        (-1.0, None, "no echo"),
        (0.2, 90, "out of range"),
        (51.0, 90, "out of range"),
        (5.0, 29, "confidence too low (29 % of 30)"),
        (7.1, 90, "jump (7.10 m, the last ones were about 5.00)"),
        (2.9, None, "jump"),
    ],
)
def test_the_implausible_is_refused_with_its_reason(depth, confidence, words):
    water = Water().under_way()
    (sounding,) = water.sounds(depth, confidence=confidence)
    assert words in (sounding.reason or "")
    assert reasons(water.sounds(5.0)) == [None]  # and leaves no trace


def test_a_sonar_that_says_nothing_of_its_confidence_is_believed():
    assert reasons(Water().under_way().sounds(5.0, confidence=None)) == [None]


def test_without_a_trusted_position_nothing_is_accepted():
    water = Water().under_way()
    water.trouble = "no GPS fix"
    assert reasons(water.sounds(5.0)) == ["no GPS fix"]
    water.trouble = None
    water.hear(Ping(water.time + 0.1, 5.0))
    water.sail(trusted=False)
    assert reasons(water.kept[-1:]) == ["no position at this time"]


def test_the_first_sounding_must_be_confirmed_by_the_next():
    assert reasons(Water().sounds(5.0, 5.1, 5.2)) == ["the first one, not confirmed yet", None, None]
    assert reasons(Water().sounds(30.0, 5.1, 5.2, 5.3))[1:] == ["the first one, not confirmed yet", None, None]


def test_after_a_gap_the_bottom_may_be_anywhere():
    water = Water().under_way()
    for _ in range(60):
        water.sail()
    assert reasons(water.sounds(12.0, 12.0)) == ["the first one, not confirmed yet", None]


def test_a_step_in_the_bottom_is_believed_at_the_third_sounding():
    assert [reason is None for reason in reasons(Water().under_way().sounds(9.0, 9.1, 9.2, 9.3))] == [
        False, False, True, True,
    ]  # fmt: skip


def test_fish_that_disagree_are_no_step():
    assert None not in reasons(Water().under_way().sounds(2.0, 9.0, 1.5, 12.0))


def test_a_slope_is_followed():
    assert set(reasons(Water().under_way().sounds(*(5 + 0.3 * k for k in range(40))))) == {None}


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=40))
def test_every_ping_is_kept_once_whatever_it_says(depths):
    water = Water()
    kept = water.sounds(*depths)
    assert [str(sounding.raw) for sounding in kept] == [str(depth) for depth in depths]
    accepted = [sounding for sounding in kept if sounding.reason is None]
    assert all(0.3 <= sounding.depth <= 50 and sounding.position for sounding in accepted)


def test_a_ping_from_before_the_boat_told_the_date_keeps_no_other_waiting():
    track = Track()
    sounder = Sounder(track, DepthSettings())
    sounder.hear(Ping(1_000_000.0, 5.0), trouble=None)
    track.add(Fix(100.0, (0.0, 0.0), 0.0, 0.0, True))
    sounder.hear(Ping(100.0, 5.0), trouble=None)
    kept = list(sounder.soundings(100.1))
    assert [sounding.raw for sounding in kept] == [5.0, 5.0]
    assert kept[0].reason == "no position at this time"
