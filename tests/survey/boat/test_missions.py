from hypothesis import given
from hypothesis import strategies as st

from akrig.survey.boat.dialect import Mode, mavlink
from tests.survey.boat.rig import Rig, of, on_the_wire, texts

OTHER = (77, 190)


def item(seq: int, command: int = 16, *, place=(0.0, 0.0), frame: int = 6, params=(0.0,) * 4):
    latitude, longitude = on_the_wire(*place)
    return mavlink.MAVLink_mission_item_int_message(
        1, 1, seq, frame, command, 0, 1, *params, latitude, longitude, 0.0
    )  # fmt: skip


def upload(rig: Rig, items: list) -> int:
    """The MAV_MISSION_RESULT."""
    replies = rig.send(mavlink.MAVLink_mission_count_message(1, 1, len(items)))
    while (reply := replies[-1]).get_type() == "MISSION_REQUEST":
        replies = rig.send(items[reply.seq])
    return reply.type


def download(rig: Rig) -> list:
    (count,) = rig.send(mavlink.MAVLink_mission_request_list_message(1, 1))
    found = [rig.send(mavlink.MAVLink_mission_request_int_message(1, 1, n))[0] for n in range(count.count)]
    rig.send(mavlink.MAVLink_mission_ack_message(1, 1, 0))
    return found


PLACES = st.lists(st.tuples(st.floats(-400, 400), st.floats(-400, 400)), min_size=1, max_size=12)


@given(places=PLACES)
def test_what_was_sent_is_what_is_fetched(places):
    rig = Rig()
    items = [item(n, place=place) for n, place in enumerate(places)]
    assert upload(rig, items) == mavlink.MAV_MISSION_ACCEPTED
    assert [(got.x, got.y, got.command) for got in download(rig)] == [(sent.x, sent.y, 16) for sent in items]


def test_a_mission_can_be_cleared_and_survives_a_reboot():
    rig = Rig()
    upload(rig, [item(0), item(1)])
    rig.boat.reboot()
    rig.run(5)
    assert len(download(rig)) == 2
    assert rig.send(mavlink.MAVLink_mission_clear_all_message(1, 1))[0].type == mavlink.MAV_MISSION_ACCEPTED
    assert download(rig) == []


def test_a_missing_item_is_asked_for_again_and_given_up_in_the_end():
    rig = Rig()
    rig.run(2)
    rig.send(mavlink.MAVLink_mission_count_message(1, 1, 2))
    heard = rig.run(7)
    assert 5 <= len(of(heard, "MISSION_REQUEST")) <= 7
    assert of(rig.run(3), "MISSION_ACK")[0].type == mavlink.MAV_MISSION_OPERATION_CANCELLED


def test_only_one_station_sends_at_a_time():
    rig = Rig()
    rig.send(mavlink.MAVLink_mission_count_message(1, 1, 2))
    (denied,) = rig.send(mavlink.MAVLink_mission_count_message(1, 1, 2), source=OTHER)
    assert denied.type == mavlink.MAV_MISSION_DENIED
    assert denied.target_system == OTHER[0]


def test_what_cannot_be_is_refused_and_the_old_mission_stays():
    rig = Rig()
    upload(rig, [item(0), item(1)])
    assert upload(rig, [item(0), item(1, command=82)]) == mavlink.MAV_MISSION_UNSUPPORTED
    assert upload(rig, [item(0), item(1, frame=1)]) == mavlink.MAV_MISSION_UNSUPPORTED_FRAME
    assert upload(rig, [item(0)] * 5000) == mavlink.MAV_MISSION_NO_SPACE
    assert len(download(rig)) == 2


def test_fences_are_not_stored():
    (ack,) = Rig().send(mavlink.MAVLink_mission_count_message(1, 1, 2, mavlink.MAV_MISSION_TYPE_FENCE))
    assert (ack.type, ack.mission_type) == (mavlink.MAV_MISSION_UNSUPPORTED, mavlink.MAV_MISSION_TYPE_FENCE)


def test_auto_drives_the_mission_and_says_what_it_reached():
    rig = Rig().ready()
    stops = [(25.0, 0.0), (25.0, 20.0)]
    mission = [
        item(0),
        item(1, place=stops[0]),
        item(2, 178, params=(1.0, 1.0, 0.0, 0.0)),
        item(3, place=stops[1]),
        item(4, 20),
    ]
    assert upload(rig, mission) == mavlink.MAV_MISSION_ACCEPTED
    assert rig.mode(Mode.AUTO) == mavlink.MAV_RESULT_ACCEPTED
    nearest = dict.fromkeys(stops, 1e9)
    heard = []
    for _ in range(240):
        heard += rig.run(0.5)
        nearest = {stop: min(away, rig.away_from(*stop)) for stop, away in nearest.items()}
    assert max(nearest.values()) < 4
    assert [message.seq for message in of(heard, "MISSION_ITEM_REACHED")] == [1, 3, 4]
    assert "Mission Complete" in texts(heard)
    assert rig.away_from(0, 0) < 5


def test_auto_waits_where_it_is_told_to():
    rig = Rig().ready()
    upload(rig, [item(0), item(1, 19, place=(15.0, 0.0), params=(30.0, 0.0, 0.0, 0.0))])
    rig.command(mavlink.MAV_CMD_MISSION_START)
    rig.run(30)
    assert not of(rig.heard, "MISSION_ITEM_REACHED")
    assert of(rig.run(30), "MISSION_ITEM_REACHED")


def test_auto_without_a_mission_is_refused():
    rig = Rig().ready()
    assert rig.mode(Mode.AUTO) == mavlink.MAV_RESULT_FAILED
    assert "No Mission. Can't set AUTO." in texts(rig.run(0.1))


def test_the_current_item_can_be_chosen():
    rig = Rig().ready()
    upload(rig, [item(0), item(1, place=(50.0, 0.0)), item(2, place=(0.0, 20.0))])
    assert rig.send(mavlink.MAVLink_mission_set_current_message(1, 1, 2))[0].seq == 2
    assert rig.command(mavlink.MAV_CMD_DO_SET_MISSION_CURRENT, 9) == mavlink.MAV_RESULT_FAILED
    rig.mode(Mode.AUTO)
    rig.run_until(lambda: rig.away_from(0, 20) < 4, seconds=60)
