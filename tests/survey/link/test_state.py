"""What the boat's messages mean."""

import math

import pytest
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from akrig.survey.link import state as module
from akrig.survey.link.decoding import Attitude, GpsStatus, decode
from akrig.survey.link.soundings import Ping
from akrig.survey.link.state import BoatState, Health
from tests.survey.link.rig import FRAME, parsed, wire
from tests.survey.link.stage import Hand

BOOT = 50_000
DATE = 1_780_000_000


class Ears:
    def __init__(self, *, source: str = "auto") -> None:
        self.pings: list[Ping] = []
        self.state = BoatState(FRAME, source=source, max_hdop=3.0)
        self.hear(mavlink.MAVLink_system_time_message(DATE * 1_000_000, BOOT))

    def hear(self, *messages, component: int = 1) -> None:
        for message in messages:
            event = decode(parsed(message, component=component))
            ping = None if event is None else self.state.update(event)
            self.pings += [] if ping is None else [ping]

    @property
    def depths(self) -> list[float]:
        return [ping.depth for ping in self.pings]


@pytest.fixture
def hand(monkeypatch) -> Hand:
    hand = Hand()
    monkeypatch.setattr(module, "time", hand)
    return hand


def heartbeat(*, mode: int = 15, base: int = 1, autopilot: int = 3, status: int = 4):
    return mavlink.MAVLink_heartbeat_message(11, autopilot, base, mode, status, 3)


def position(x: float, y: float, *, boot: int = BOOT, hdg: int = 9000):
    return mavlink.MAVLink_global_position_int_message(boot, *wire(x, y), 0, 0, 30, 40, 0, hdg)


def gps(*, fix: int = 3, eph: int = 90, satellites: int = 9):
    return mavlink.MAVLink_gps_raw_int_message(0, fix, 0, 0, 0, eph, 65535, 0, 0, satellites)


def distance(metres: float, *, boot: int = BOOT, orientation: int = 25, quality: int = 0, number: int = 0):
    return mavlink.MAVLink_distance_sensor_message(
        boot, 30, 10_000, round(100 * metres), 1, number, orientation, 0, 0.0, 0.0, (0.0,) * 4, quality
    )


def water_depth(metres: float, *, boot: int = BOOT, healthy: int = 1):
    return mavlink.MAVLink_water_depth_message(boot, 0, healthy, 0, 0, 0.0, 0.0, 0.0, 0.0, metres, 15.0)


def test_mode_arming_and_failsafe_from_the_autopilots_heartbeat_only():
    ears = Ears()
    ears.hear(heartbeat(mode=15, base=1 | 128))
    ears.hear(heartbeat(mode=0, base=0, autopilot=0), component=154)  # a gimbal
    health = ears.state.health
    assert (health.mode, health.armed, health.critical) == ("GUIDED", True, False)
    ears.hear(heartbeat(mode=4, status=5))
    assert (health.mode, health.armed, health.critical) == ("HOLD", False, True)
    ears.hear(heartbeat(mode=77))
    assert health.mode == "mode 77"


def test_positions_in_metres_with_the_compass_heading_turned():
    ears = Ears()
    ears.hear(gps(), position(30.0, -40.0, hdg=9000))
    latest = ears.state.track.latest
    assert latest is not None
    assert latest.position == pytest.approx((30, -40), abs=0.02)
    assert (latest.heading, latest.speed) == (pytest.approx(0), pytest.approx(0.5))
    assert (latest.time, latest.trusted) == (pytest.approx(DATE), True)


def test_without_a_heading_in_the_position_the_attitude_counts():
    ears = Ears()
    ears.hear(mavlink.MAVLink_attitude_message(BOOT, 0, 0, math.pi, 0, 0, 0), gps(), position(0, 0, hdg=65535))
    latest = ears.state.track.latest
    assert latest is not None
    assert latest.heading == pytest.approx(-math.pi / 2)


def test_zeros_are_no_position_and_neither_is_what_the_map_cannot_show():
    ears = Ears()
    for lat, lon in ((0, 0), (0, 993000000)):
        ears.hear(gps(), mavlink.MAVLink_global_position_int_message(BOOT, lat, lon, 0, 0, 0, 0, 0, 0))
    assert ears.state.track.latest is None


@pytest.mark.parametrize(
    "word", [gps(fix=1), gps(eph=400), mavlink.MAVLink_ekf_status_report_message(128, 0, 0, 0, 0, 0)]
)
def test_a_position_without_a_good_fix_or_filter_is_not_trusted(word):
    ears = Ears()
    ears.hear(gps(), word, position(1, 1))
    latest = ears.state.track.latest
    assert latest is not None
    assert not latest.trusted


def test_unknown_numbers_are_unknown():
    ears = Ears()
    ears.hear(gps(eph=65535, satellites=255), mavlink.MAVLink_sys_status_message(*(0,) * 4, 65535, -1, -1, *(0,) * 6))
    health = ears.state.health
    assert (health.hdop, health.satellites, health.battery, health.voltage) == (None,) * 4
    ears.hear(mavlink.MAVLink_sys_status_message(*(0,) * 4, 14800, -1, 66, *(0,) * 6))
    assert (health.battery, health.voltage) == (0.66, 14.8)


def test_depths_in_all_three_messages_with_the_boats_time():
    for message in (distance(7.5), water_depth(7.5), mavlink.MAVLink_rangefinder_message(7.5, 0.0)):
        ears = Ears()
        ears.hear(message)
        assert ears.depths == [pytest.approx(7.5)]
        assert ears.pings[0].time == pytest.approx(DATE, abs=1)
        assert ears.state.health.depth == pytest.approx(7.5)


def test_quality_is_confidence_and_0_is_unknown():
    ears = Ears()
    ears.hear(distance(7.5, quality=0), distance(7.5, quality=1), distance(7.5, quality=80))
    assert [ping.confidence for ping in ears.pings] == [None, 1, 80]


@pytest.mark.parametrize("message", [distance(100.0), distance(0.1), water_depth(7.5, healthy=0)])
def test_a_sonar_at_its_limits_or_not_well_has_no_echo(message):
    ears = Ears()
    ears.hear(message)
    assert math.isnan(ears.depths[0])
    assert ears.state.health.depth is None


def test_a_sensor_that_looks_ahead_is_no_sonar():
    ears = Ears()
    ears.hear(distance(7.5, orientation=0))
    assert ears.pings == []


def test_of_several_messages_the_best_counts_until_it_is_silent(hand):
    ears = Ears()
    for _ in range(5):
        hand.now += 1
        ears.hear(distance(1.0), water_depth(2.0), mavlink.MAVLink_rangefinder_message(3.0, 0.0))
    assert ears.depths == [1.0] * 5
    for _ in range(12):
        hand.now += 1
        ears.hear(water_depth(2.0), mavlink.MAVLink_rangefinder_message(3.0, 0.0))
    assert ears.depths == [1.0] * 5 + [2.0] * 2


def test_a_sonar_that_speaks_for_itself_has_a_clock_of_its_own_and_gives_way_to_the_autopilot(hand):
    ears = Ears()
    for second in range(3):
        hand.now += 1
        ears.hear(distance(4.0, boot=second), component=196)
    assert ears.depths == [4.0] * 3
    assert ears.state.clock.restarts == 0
    ears.hear(distance(5.0))
    ears.hear(distance(4.0, boot=4), component=196)
    assert ears.depths == [4.0] * 3 + [5.0]


@pytest.mark.parametrize("source", ["auto", "DISTANCE_SENSOR"])
def test_of_two_sonars_that_look_down_the_first_counts_until_it_is_silent(source, hand):
    ears = Ears(source=source)
    for _ in range(3):
        hand.now += 1
        ears.hear(distance(6.0, number=1), distance(5.0))
    assert ears.depths == [6.0] + [5.0] * 3  # the second was alone at first
    for _ in range(12):
        hand.now += 1
        ears.hear(distance(6.0, number=1))
    assert ears.depths == [6.0] + [5.0] * 3 + [6.0] * 2


@pytest.mark.parametrize(("source", "depths"), [("WATER_DEPTH", [2.0]), ("DISTANCE_SENSOR", [1.0]), ("", [])])
def test_a_chosen_source_is_the_only_one(source, depths):
    ears = Ears(source=source)
    ears.hear(distance(1.0), water_depth(2.0), mavlink.MAVLink_rangefinder_message(3.0, 0.0))
    assert ears.depths == depths


def test_other_components_know_nothing_of_the_boat():
    ears = Ears()
    ears.hear(
        gps(fix=1), position(5, 5, boot=1), mavlink.MAVLink_attitude_message(1, 0, 0, 1, 0, 0, 0),
        mavlink.MAVLink_sys_status_message(*(0,) * 4, 12000, -1, 1, *(0,) * 6), component=191,
    )  # fmt: skip
    assert (ears.state.track.latest, ears.state.health.fix_type, ears.state.health.battery) == (None,) * 3
    assert ears.state.clock.restarts == 0


def test_targets_arrivals_and_texts():
    ears = Ears()
    ears.hear(
        mavlink.MAVLink_position_target_global_int_message(BOOT, 0, 0xFFF8, 475, 93, *(0.0,) * 9),
        mavlink.MAVLink_mission_item_reached_message(0),
        mavlink.MAVLink_statustext_message(2, b"Arm: Need Position Estimate"),
    )
    assert (ears.state.target, ears.state.arrivals) == ((475, 93), 1)
    assert list(ears.state.health.texts) == ["Arm: Need Position Estimate"]


def test_what_was_known_of_the_position_is_forgotten_after_a_restart():
    ears = Ears()
    ears.hear(gps())
    ears.state.forget_position()
    assert ears.state.health.gps_trouble(3.0) == "no word from the GPS"


def test_silence_of_one_kind_of_message(hand):
    ears = Ears()
    ears.hear(gps())
    hand.now += 7
    assert (ears.state.silence(GpsStatus), ears.state.silence(Attitude)) == (7, math.inf)


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({}, "no word from the GPS"),
        ({"fix_type": 2}, "no GPS fix"),
        ({"fix_type": 3, "hdop": 4.2}, "too coarse (HDOP 4.2)"),
        ({"fix_type": 6, "hdop": 0.8, "filter_ok": False}, "filter"),
    ],
)
def test_says_why_a_position_cannot_be_trusted(known, words):
    assert words in (Health(**known).gps_trouble(3.0) or "")


def test_a_good_fix_is_trusted_even_if_nothing_is_known_of_hdop_and_filter():
    assert Health(fix_type=3).gps_trouble(3.0) is None
