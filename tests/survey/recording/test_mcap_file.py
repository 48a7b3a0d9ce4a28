"""A recording tells what the run folder tells, at the right times and places, to Foxglove and to `akrig replay`."""

import json
import math
from itertools import count, cycle, islice

import numpy as np
import pytest
import tomli_w
from mcap.reader import make_reader

from akrig.errors import BrokenJournal, RunFolderError
from akrig.journal.events import to_line
from akrig.survey.area import area_from
from akrig.survey.logs.log import read_log
from akrig.survey.logs.mcap_file import read_recording
from akrig.survey.recording.mcap_file import write_recording
from akrig.survey.recording.messages import journal_messages, telemetry_messages

FENCE = [[13.40, 52.50], [13.41, 52.50], [13.41, 52.505], [13.40, 52.505]]
ISLAND = [[13.404, 52.502], [13.405, 52.502], [13.405, 52.503]]
AREA = {"name": "pond", "fence": FENCE, "keep_outs": [ISLAND], "home": [13.401, 52.501]}
BEGIN = 1_700_000_000.25
FRAME = area_from(**AREA).frame


def place(k: int) -> list[float]:
    return [-100.0 + 3 * k, 20.0 + math.sin(k)]


def journal(num: int = 20) -> list[dict]:
    events: list[dict] = [
        {"event": "mission", "format": 1, "akrig": "0"},
        {"event": "plan", "waypoints": [[50.0, 5.0]]},
    ]
    for k in range(num):
        when = {"time": float(k), "unix": BEGIN + k, "position": place(k)}
        if k % 5 == 4:
            reason = "a jump of 9 m"
            position = None if k % 2 else place(k)
            events.append({"event": "rejected", **when, "position": position, "raw": 14.0, "reason": reason})
        else:
            events.append({"event": "sounding", **when, "value": 5 + k / 7, "raw": 4.5 + k / 7})
            if k % 3:  # far enough from the last: the model is given it
                events.append({"event": "measurement", "time": float(k), "position": place(k), "value": 5 + k / 7})
    events += [
        {"event": "notice", "time": 3.0, "unix": BEGIN + num, "level": "alarm", "message": "The battery is low."},
        {"event": "command", "time": 4.0, "unix": BEGIN + num + 1, "command": "hold", "answer": "Held.",
         "accepted": True},
        {"event": "epoch", "index": 0, "loss": None, "position": [1.0, 2.0], "heading": 0.5, "readings": 3,
         "distance": 60.0, "time": 20.0, "vehicle": {}},
        {"event": "fault", "message": "The planner failed."},
        {"event": "end", "reason": "budget"},
    ]  # fmt: skip
    return events


def telemetry(num: int = 20) -> list[dict]:
    return [
        {"time": float(k), "unix": BEGIN - 0.5 + k, "x": place(k)[0], "y": place(k)[1], "heading": 0.1, "speed": 1.5,
         "mode": "GUIDED", "armed": True, "battery": None, "voltage": 12.5, "fix": 3, "satellites": 9,
         "hdop": math.nan, "depth": 5.0, "link": 0.2, "waiting": ["The pilot has the helm."]}
        for k in range(num)
    ]  # fmt: skip


@pytest.fixture
def run(tmp_path):
    return make_run(tmp_path / "run", journal(), telemetry())


def make_run(path, events, lines):
    path.mkdir()
    (path / "config.toml").write_text(tomli_w.dumps({"survey": {"area": AREA}, "about": {"akrig": "0"}}))
    (path / "journal.jsonl").write_text("".join(map(to_line, events)))
    (path / "telemetry.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def messages(path) -> list[tuple[str, float, dict]]:
    with path.open("rb") as file:
        return [(channel.topic, message.log_time / 1e9, json.loads(message.data))
                for _, channel, message in make_reader(file, validate_crcs=True).iter_messages()]  # fmt: skip


def on(path, topic: str) -> list[dict]:
    return [content for at, _, content in messages(path) if at == topic]


def test_every_line_is_in_the_recording_in_the_order_of_time(run, tmp_path):
    written = write_recording(run, tmp_path / "r.mcap")
    found = messages(tmp_path / "r.mcap")
    assert written == len(found)
    times = [at for _, at, _ in found]
    assert times == sorted(times)
    assert times[0] == pytest.approx(BEGIN - 0.5)
    counted = {topic: sum(at == topic for at, _, _ in found) for topic in {at for at, _, _ in found}}
    assert counted == {"/area": 1, "/plan": 1, "/boat/position": 20, "/boat/telemetry": 20, "/soundings": 20,
                       "/events": 4 + 4, "/epochs": 1}  # fmt: skip


def test_foxglove_knows_the_schemas_by_name(run, tmp_path):
    write_recording(run, tmp_path / "r.mcap")
    with (tmp_path / "r.mcap").open("rb") as file:
        summary = make_reader(file).get_summary()
    assert summary is not None
    names = {channel.topic: summary.schemas[channel.schema_id].name for channel in summary.channels.values()}
    assert names["/boat/position"] == "foxglove.LocationFix"
    assert names["/events"] == "foxglove.Log"
    assert names["/plan"] == names["/area"] == "foxglove.GeoJSON"
    for schema in summary.schemas.values():
        assert schema.encoding == "jsonschema"
        assert json.loads(schema.data)["type"] == "object"


def test_messages_have_only_what_their_schemas_name_and_never_null(run, tmp_path):
    write_recording(run, tmp_path / "r.mcap")
    kinds = {"number": (int, float), "integer": int, "string": str, "boolean": bool, "object": dict, "array": list}
    with (tmp_path / "r.mcap").open("rb") as file:
        for schema, _, message in make_reader(file).iter_messages():
            assert schema is not None
            properties = json.loads(schema.data)["properties"]
            for name, value in json.loads(message.data).items():
                assert isinstance(value, kinds[properties[name]["type"]]), (name, value)


def test_positions_are_those_of_the_frame(run, tmp_path):
    write_recording(run, tmp_path / "r.mcap")
    expected = FRAME.to_degrees(np.array([place(k) for k in range(20)]))
    fixes = on(tmp_path / "r.mcap", "/boat/position")
    np.testing.assert_allclose([[fix["longitude"], fix["latitude"]] for fix in fixes], expected, rtol=0, atol=1e-12)
    assert fixes[0]["timestamp"] == {"sec": 1_699_999_999, "nsec": 750_000_000}


def test_soundings_say_what_became_of_them(run, tmp_path):
    write_recording(run, tmp_path / "r.mcap")
    soundings = on(tmp_path / "r.mcap", "/soundings")
    assert [sounding["status"] for sounding in soundings[:5]] == ["kept", "used", "used", "kept", "rejected"]
    assert soundings[1]["depth"] == 5 + 1 / 7
    assert soundings[1]["raw"] == 4.5 + 1 / 7
    assert soundings[4]["reason"] == "a jump of 9 m"
    assert "longitude" in soundings[4]
    assert "longitude" not in soundings[9]  # rejected without a position
    assert "depth" not in soundings[4]


def test_a_measurement_nobody_noted_as_a_sounding_is_one(tmp_path):
    events = [{**event, "event": "measurement"} if event["event"] == "sounding" else event for event in journal()]
    events = [event for event in events if event["event"] != "measurement" or "unix" in event]
    write_recording(make_run(tmp_path / "run", events, []), tmp_path / "r.mcap")
    statuses = [sounding["status"] for sounding in on(tmp_path / "r.mcap", "/soundings")]
    assert statuses == ["rejected" if k % 5 == 4 else "used" for k in range(20)]


def test_the_log_tells_what_happened_and_how_grave_it_is(run, tmp_path):
    write_recording(run, tmp_path / "r.mcap")
    told = [(event["level"], event["message"]) for event in on(tmp_path / "r.mcap", "/events")]
    assert told[0] == (1, "Sounding rejected: a jump of 9 m.")
    assert told[-4:] == [(4, "The battery is low."), (2, "hold: accepted. Held."), (5, "The planner failed."),
                         (2, "The mission ended: budget.")]  # fmt: skip


def test_area_and_plan_are_geojson_in_degrees(run, tmp_path):
    write_recording(run, tmp_path / "r.mcap")
    area = json.loads(on(tmp_path / "r.mcap", "/area")[0]["geojson"])
    rings = {feature["properties"]["role"]: feature["geometry"]["coordinates"] for feature in area["features"]}
    assert rings["fence"] == [[*FENCE, FENCE[0]]]
    assert rings["keep-out"] == [[*ISLAND, ISLAND[0]]]
    assert rings["home"] == AREA["home"]
    (goal,) = json.loads(on(tmp_path / "r.mcap", "/plan")[0]["geojson"])["features"]
    np.testing.assert_allclose(goal["geometry"]["coordinates"], FRAME.to_degrees(np.array([[50.0, 5.0]]))[0])


def test_a_later_plan_begins_where_the_boat_was(tmp_path):
    events = [*journal()[:5], {"event": "plan", "waypoints": [[0.0, 0.0], [9.0, 9.0]]}]
    write_recording(make_run(tmp_path / "run", events, []), tmp_path / "r.mcap")
    way, goal = json.loads(on(tmp_path / "r.mcap", "/plan")[1]["geojson"])["features"]
    X = np.array([place(1), [0.0, 0.0], [9.0, 9.0]])
    np.testing.assert_allclose(way["geometry"]["coordinates"], FRAME.to_degrees(X))
    assert goal["geometry"]["type"] == "Point"


def test_made_again_it_is_the_same_file(run, tmp_path):
    write_recording(run, tmp_path / "a.mcap")
    write_recording(run, tmp_path / "b.mcap")
    assert (tmp_path / "a.mcap").read_bytes() == (tmp_path / "b.mcap").read_bytes()


def test_torn_last_lines_are_left_out(run, tmp_path):
    whole = write_recording(run, tmp_path / "a.mcap")
    for name in ("journal.jsonl", "telemetry.jsonl"):
        text = (run / name).read_text()
        (run / name).write_text(text[:-10])
    # The journal's end was one message, the telemetry's last line two.
    assert write_recording(run, tmp_path / "b.mcap") == whole - 3


def test_a_line_of_telemetry_that_is_none_is_passed_over(run, tmp_path):
    whole = write_recording(run, tmp_path / "a.mcap")
    text = (run / "telemetry.jsonl").read_text()
    (run / "telemetry.jsonl").write_text('{"time": 0.1, "un\n[1, 2]\n' + text)
    assert write_recording(run, tmp_path / "b.mcap") == whole


def test_a_survey_that_has_just_begun_has_a_recording_too(tmp_path):
    run = make_run(tmp_path / "run", journal()[:1], [])
    (run / "telemetry.jsonl").unlink()
    assert write_recording(run, tmp_path / "r.mcap") == 0
    assert len(read_recording(tmp_path / "r.mcap").depth) == 0


def test_a_journal_damaged_in_the_middle_is_refused_and_nothing_is_left_behind(run, tmp_path):
    text = (run / "journal.jsonl").read_text()
    (run / "journal.jsonl").write_text(text.replace("5.142857142857143", "6.142857142857143", 1))
    with pytest.raises(BrokenJournal, match="is damaged"):
        write_recording(run, tmp_path / "r.mcap")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_only_surveys_are_recorded(run, tmp_path):
    (run / "config.toml").write_text("[about]\n")
    with pytest.raises(RunFolderError, match="is not the folder of a survey"):
        write_recording(run, tmp_path / "r.mcap")


def test_a_place_that_cannot_be_written_is_one_sentence(run, tmp_path):
    with pytest.raises(RunFolderError, match="could not be written"):
        write_recording(run, tmp_path / "nowhere" / "r.mcap")


def test_what_was_recorded_is_read_back(run, tmp_path):
    write_recording(run, tmp_path / "r.mcap")
    found = read_recording(tmp_path / "r.mcap")
    kept = [event for event in journal() if event["event"] == "sounding"]
    used = [event["time"] for event in journal() if event["event"] == "measurement"]
    X = np.array([event["position"] for event in kept])
    assert found.frame == FRAME
    assert found.is_whole
    assert found.num_rejected == 4
    np.testing.assert_allclose(FRAME.to_metres(found.lonlat), X, atol=1e-6)
    assert found.depth.tolist() == [event["value"] for event in kept]
    assert found.used.tolist() == [event["time"] in used for event in kept]
    np.testing.assert_allclose(found.time, [event["unix"] for event in kept], atol=1e-6)


def test_replaying_a_recording_is_replaying_the_survey(run, tmp_path):
    write_recording(run, tmp_path / "r.mcap")
    log = read_log(tmp_path / "r.mcap")
    used = [event for event in journal() if event["event"] == "measurement"]
    assert log.frame == FRAME
    np.testing.assert_allclose([reading.position for reading in log.readings], [e["position"] for e in used], atol=1e-6)
    assert [reading.value for reading in log.readings] == [event["value"] for event in used]


def test_a_survey_that_never_ends_is_streamed():
    """Nothing waits for the end: memory does not grow with the survey."""
    endless = ({**event, "id": k, "unix": BEGIN + k} for k in count() for event in journal()[2:6])
    assert len(list(islice(journal_messages(endless, FRAME), 3000))) == 3000
    assert len(list(islice(telemetry_messages(cycle(telemetry()), FRAME), 3000))) == 3000
