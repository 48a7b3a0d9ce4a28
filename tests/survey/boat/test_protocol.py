"""What a ground station may rely on; the boat is stepped by hand, its messages packed and parsed as on the wire."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.survey.boat import Fault
from akrig.survey.boat.dialect import Mode, mavlink
from tests.survey.boat.rig import FRAME, Rig, of, on_the_wire

ACCEPTED, DENIED, FAILED = mavlink.MAV_RESULT_ACCEPTED, mavlink.MAV_RESULT_DENIED, mavlink.MAV_RESULT_FAILED
UNSUPPORTED = mavlink.MAV_RESULT_UNSUPPORTED
ASKED_FOR = [
    "SYSTEM_TIME", "GLOBAL_POSITION_INT", "ATTITUDE", "GPS_RAW_INT", "SYS_STATUS", "BATTERY_STATUS", "VFR_HUD",
    "DISTANCE_SENSOR", "RANGEFINDER", "WATER_DEPTH", "EKF_STATUS_REPORT", "NAV_CONTROLLER_OUTPUT", "HOME_POSITION",
    "AUTOPILOT_VERSION", "MISSION_CURRENT", "POSITION_TARGET_GLOBAL_INT", "LOCAL_POSITION_NED", "GPS_GLOBAL_ORIGIN",
]  # fmt: skip


def number_of(name: str) -> int:
    return getattr(mavlink, f"MAVLINK_MSG_ID_{name}")


def test_heartbeat_once_a_second_as_a_surface_boat_of_ardupilot_and_nothing_else_unasked():
    heard = Rig().run(30)
    beats = of(heard, "HEARTBEAT")
    assert 30 <= len(beats) <= 32  # one more for each change of mode
    assert {beat.type for beat in beats} == {mavlink.MAV_TYPE_SURFACE_BOAT}
    assert {beat.autopilot for beat in beats} == {mavlink.MAV_AUTOPILOT_ARDUPILOTMEGA}
    assert {message.get_type() for message in heard} == {"HEARTBEAT", "STATUSTEXT"}


@pytest.mark.parametrize("name", ASKED_FOR)
def test_streams_what_is_asked_for_at_the_rate_asked_for(name):
    rig = Rig(sonar_dropout_rate=0).ready()
    assert not of(rig.run(2), name)
    assert rig.stream(number_of(name), rate=4) == ACCEPTED
    assert 39 <= len(of(rig.run(10), name)) <= 41
    assert rig.command(mavlink.MAV_CMD_SET_MESSAGE_INTERVAL, number_of(name), -1) == ACCEPTED
    assert not of(rig.run(3), name)


def test_a_message_can_be_had_once_and_an_unknown_one_is_refused():
    rig = Rig()
    rig.run(15)
    assert rig.command(mavlink.MAV_CMD_REQUEST_MESSAGE, number_of("AUTOPILOT_VERSION")) == ACCEPTED
    assert len(of(rig.heard, "AUTOPILOT_VERSION")) == 1
    assert rig.command(mavlink.MAV_CMD_REQUEST_MESSAGE, 9999) == FAILED
    assert rig.command(mavlink.MAV_CMD_SET_MESSAGE_INTERVAL, 9999, 1e6) == DENIED
    assert rig.command(mavlink.MAV_CMD_SET_MESSAGE_INTERVAL, 33, math.nan) == DENIED


def test_an_interval_can_be_asked_back():
    rig = Rig()
    rig.stream(33, rate=5)
    assert rig.command(mavlink.MAV_CMD_GET_MESSAGE_INTERVAL, 33) == ACCEPTED
    assert of(rig.heard, "MESSAGE_INTERVAL")[-1].interval_us == 200_000
    rig.command(mavlink.MAV_CMD_GET_MESSAGE_INTERVAL, 30)
    assert of(rig.heard, "MESSAGE_INTERVAL")[-1].interval_us == -1


def test_old_stations_ask_for_groups_of_messages():
    rig = Rig()
    rig.send(mavlink.MAVLink_request_data_stream_message(1, 1, mavlink.MAV_DATA_STREAM_POSITION, 2, 1))
    assert 19 <= len(of(rig.run(10), "GLOBAL_POSITION_INT")) <= 21
    rig.send(mavlink.MAVLink_request_data_stream_message(1, 1, mavlink.MAV_DATA_STREAM_ALL, 2, 0))
    assert not of(rig.run(3), "GLOBAL_POSITION_INT")


def test_position_is_zero_until_the_filter_has_settled_then_right():
    rig = Rig()
    rig.stream(33, rate=5)
    early, late = of(rig.run(5), "GLOBAL_POSITION_INT"), of(rig.run(20), "GLOBAL_POSITION_INT")
    assert {(message.lat, message.lon) for message in early} == {(0, 0)}
    X = FRAME.to_metres(np.array([[late[-1].lon / 1e7, late[-1].lat / 1e7]]))
    assert np.hypot(*(X[0] - rig.boat.position)) < 2


def test_the_filter_says_by_its_flags_that_it_is_lost_not_by_its_variances():
    rig = Rig()
    rig.stream(number_of("EKF_STATUS_REPORT"), rate=2)
    assert {report.flags for report in of(rig.run(8), "EKF_STATUS_REPORT")[4:]} == {0xA7}
    rig.ready(Mode.HOLD)
    rig.run(5)
    rig.boat.inject(Fault("gps"))
    reports = of(rig.run(20), "EKF_STATUS_REPORT")
    assert list(dict.fromkeys(report.flags for report in reports)) == [0x33F, 0x25, 0xA7]
    assert max(report.pos_horiz_variance for report in reports) < 0.8


def test_the_clock_is_unknown_until_gps_told_it():
    rig = Rig(start_time_unix=1.7e9)
    rig.stream(2, rate=1)
    times = [(message.time_unix_usec, message.time_boot_ms) for message in of(rig.run(10), "SYSTEM_TIME")]
    assert times[0][0] == 0
    assert times[-1][0] / 1e6 == pytest.approx(1.7e9 + times[-1][1] / 1000)


def test_depth_in_all_three_messages():
    rig = Rig(sonar_noise_std=0, sonar_outlier_rate=0, sonar_dropout_rate=0)
    for name in ("DISTANCE_SENSOR", "RANGEFINDER", "WATER_DEPTH"):
        rig.stream(number_of(name), rate=5)
    heard = rig.run(15)
    sensor, water = of(heard, "DISTANCE_SENSOR")[-1], of(heard, "WATER_DEPTH")[-1]
    assert (sensor.current_distance, sensor.orientation, sensor.min_distance) == (500, 25, 30)
    assert 1 <= sensor.signal_quality <= 100
    assert of(heard, "RANGEFINDER")[-1].distance == pytest.approx(5.0)
    assert (water.distance, water.healthy) == (pytest.approx(5.0), 1)
    assert abs(water.lat - on_the_wire(0, 0)[0]) < 200


def test_unsupported_commands_are_said_to_be():
    assert Rig().command(mavlink.MAV_CMD_DO_PARACHUTE, 1) == UNSUPPORTED


@pytest.mark.parametrize("target", [(2, 1), (1, 154), (255, 190)])
def test_commands_for_others_are_left_to_others(target):
    assert Rig().command(mavlink.MAV_CMD_REQUEST_MESSAGE, 0, target=target) is None


@pytest.mark.parametrize("target", [(0, 0), (1, 0), (1, 1), (0, 1)])
def test_commands_for_all_are_for_the_boat_too(target):
    assert Rig().command(mavlink.MAV_CMD_REQUEST_MESSAGE, 0, target=target) == ACCEPTED


def test_acknowledgements_name_who_asked():
    message = mavlink.MAVLink_command_long_message(1, 1, mavlink.MAV_CMD_REQUEST_MESSAGE, 0, 0, 0, 0, 0, 0, 0, 0)
    (ack,) = of(Rig().send(message, source=(42, 7)), "COMMAND_ACK")
    assert (ack.target_system, ack.target_component) == (42, 7)


def test_command_int_does_what_command_long_does():
    rig = Rig().ready()
    latitude, longitude = on_the_wire(40, 0)
    order = mavlink.MAVLink_command_int_message(
        1, 1, mavlink.MAV_FRAME_GLOBAL, mavlink.MAV_CMD_DO_REPOSITION, 0, 0, -1, 1, 0, math.nan, latitude, longitude, 0
    )
    assert of(rig.send(order), "COMMAND_ACK")[0].result == ACCEPTED
    rig.run_until(lambda: rig.away_from(40, 0) < 3, seconds=90)


@pytest.mark.parametrize(("mode", "result"), [(Mode.HOLD, ACCEPTED), (1, FAILED), (99, FAILED), (16, FAILED)])
def test_modes_by_command_and_by_message(mode, result):
    for by_message in (False, True):
        rig = Rig()
        rig.run(15)
        if by_message:
            (ack,) = rig.send(mavlink.MAVLink_set_mode_message(1, 1, mode))
            assert (ack.command, ack.result) == (mavlink.MAVLINK_MSG_ID_SET_MODE, result)
        else:
            assert rig.mode(mode) == result
        assert (rig.boat.mode == mode) == (result == ACCEPTED)
        beats = of(rig.run(0.1), "HEARTBEAT")
        assert not beats or beats[-1].custom_mode == rig.boat.mode


def test_a_mode_without_the_custom_flag_is_denied():
    rig = Rig()
    rig.run(2)
    assert rig.command(mavlink.MAV_CMD_DO_SET_MODE, 0, Mode.HOLD) == DENIED


def test_parameters_are_listed_read_and_set():
    rig = Rig(speedup=25)
    rig.send(mavlink.MAVLink_param_request_list_message(1, 1))
    listed = of(rig.run(5), "PARAM_VALUE")
    assert [value.param_index for value in listed] == list(range(listed[0].param_count))
    values = {value.param_id: value.param_value for value in listed}
    assert (values["SIM_SPEEDUP"], values["FRAME_CLASS"], values["SYSID_THISMAV"]) == (25, 2, 1)
    (answer,) = rig.send(mavlink.MAVLink_param_set_message(1, 1, b"WP_SPEED", 1.2, 9))
    assert answer.param_value == pytest.approx(1.2)
    (read,) = rig.send(mavlink.MAVLink_param_request_read_message(1, 1, b"WP_SPEED", -1))
    assert read.param_value == answer.param_value
    (by_place,) = rig.send(mavlink.MAVLink_param_request_read_message(1, 1, b"", read.param_index))
    assert by_place.param_id == "WP_SPEED"


@pytest.mark.parametrize(("name", "value"), [(b"WP_SPEED", math.nan), (b"SIM_SPEEDUP", 0.0), (b"FS_ACTION", 1e9)])
def test_a_value_that_cannot_be_is_answered_with_the_one_that_stays(name, value):
    rig = Rig()
    before = rig.boat.parameters[name.decode()]
    (answer,) = rig.send(mavlink.MAVLink_param_set_message(1, 1, name, value, 9))
    assert answer.param_value == pytest.approx(before)


def test_who_asks_for_an_unknown_parameter_is_told_that_there_is_none():
    rig = Rig()
    (answer,) = rig.send(mavlink.MAVLink_param_request_read_message(1, 1, b"NO_SUCH", -1))
    assert (answer.get_type(), answer.param_id) == ("PARAM_ERROR", "NO_SUCH")
    assert answer.error == mavlink.MAV_PARAM_ERROR_DOES_NOT_EXIST


def test_unknown_parameters_that_are_set_or_numbered_get_no_answer():
    rig = Rig()
    assert rig.send(mavlink.MAVLink_param_set_message(1, 1, b"NO_SUCH", 1.0, 9)) == []
    assert rig.send(mavlink.MAVLink_param_request_read_message(1, 1, b"", 9999)) == []


def test_a_new_system_number_is_obeyed_at_once():
    rig = Rig()
    rig.send(mavlink.MAVLink_param_set_message(1, 1, b"SYSID_THISMAV", 7, 4))
    assert rig.boat.parameters["MAV_SYSID"] == 7
    assert rig.command(mavlink.MAV_CMD_REQUEST_MESSAGE, 0) is None
    assert rig.command(mavlink.MAV_CMD_REQUEST_MESSAGE, 0, target=(7, 1)) == ACCEPTED


def test_timesync_and_ping_are_answered():
    rig = Rig()
    rig.run(2)
    (sync,) = rig.send(mavlink.MAVLink_timesync_message(0, 12345))
    assert (sync.ts1, sync.tc1) == (12345, 2_000_000_000)
    assert rig.send(mavlink.MAVLink_timesync_message(99, 12345)) == []
    (pong,) = rig.send(mavlink.MAVLink_ping_message(77, 3, 0, 0))
    assert (pong.time_usec, pong.seq, pong.target_system) == (77, 3, 255)


def test_home_can_be_asked_for_and_set():
    rig = Rig()
    rig.run(2)
    assert rig.command(mavlink.MAV_CMD_GET_HOME_POSITION) == FAILED
    rig.run(13)
    latitude, longitude = on_the_wire(30, -20)
    order = mavlink.MAVLink_command_int_message(
        1, 1, 0, mavlink.MAV_CMD_DO_SET_HOME, 0, 0, 0, 0, 0, 0, latitude, longitude, 0
    )
    replies = rig.send(order)
    assert of(replies, "COMMAND_ACK")[0].result == ACCEPTED
    home = of(replies, "HOME_POSITION")[0]
    assert (home.latitude, home.longitude) == pytest.approx((latitude, longitude), abs=1)
    nowhere = mavlink.MAVLink_command_int_message(1, 1, 0, mavlink.MAV_CMD_DO_SET_HOME, *(0,) * 6, 1_000_000_000, 1, 0)
    assert of(rig.send(nowhere), "COMMAND_ACK")[0].result == DENIED


def test_long_texts_come_in_pieces():
    rig = Rig()
    rig.boat.autopilot.say("x" * 50 + "y" * 50 + "z")
    pieces = of(rig.run(0.1), "STATUSTEXT")
    assert "".join(piece.text for piece in pieces) == "x" * 50 + "y" * 50 + "z"
    assert [piece.chunk_seq for piece in pieces] == [0, 1, 2]
    assert {piece.id for piece in pieces} == {1}


FLOATS = st.floats(width=32)
NUMBERS = st.sampled_from(
    [v for k, v in vars(mavlink).items() if k.startswith("MAV_CMD_") and isinstance(v, int) and 0 <= v < 65536]
)


@cache
def battered() -> Rig:
    """The same boat gets all of it."""
    return Rig(reboot_seconds=0.1).ready()


@given(number=NUMBERS, params=st.lists(FLOATS, min_size=7, max_size=7), place=st.tuples(FLOATS, FLOATS))
def test_no_command_however_hostile_stops_the_boat(number, params, place):
    rig = battered()
    rig.command(number, *params)
    rig.send(mavlink.MAVLink_mission_item_message(1, 1, 0, 3, 16, 2, 1, *params[:4], *place, params[6]))
    rig.send(
        mavlink.MAVLink_set_position_target_local_ned_message(0, 1, 1, 1, int(number) % 4096, *params, *params[:4])
    )
    rig.run(0.5)
    assert np.isfinite(rig.boat.position).all()
    assert np.isfinite(rig.boat.navigation.state).all()
