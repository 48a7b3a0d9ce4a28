"""Old logs become readings in metres; what cannot be is left out and counted, or refused in one sentence."""

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest
from mcap.writer import Writer

from akrig.errors import AkrigError
from akrig.files import UnreadableFile, json_objects, read_lines
from akrig.frame import LocalFrame
from akrig.journal.legs import UnreadableLog
from akrig.survey.logs.kind import kind_of
from akrig.survey.logs.log import MOST_READINGS, read_log

FRAME = LocalFrame(139.6, 35.16)
BEGIN = 1_649_542_477


def write_mcap(path, soundings, *, topic="/soundings", frame: LocalFrame | None = FRAME, schema="akrig.Sounding"):
    with path.open("wb") as file:
        writer = Writer(file, chunk_size=2000)
        writer.start()
        if frame is not None:
            writer.add_metadata("akrig", {"longitude": repr(frame.longitude), "latitude": repr(frame.latitude)})
        channel = writer.register_channel(topic, "json", writer.register_schema(schema, "jsonschema", b"{}"))
        for k, sounding in enumerate(soundings):
            at = (BEGIN + k) * 10**9
            writer.add_message(channel, at, json.dumps(sounding).encode(), at)
        writer.finish()
    return path


def survey(num: int = 60) -> tuple[np.ndarray, list[dict]]:
    """A boat's way in metres, and its soundings: every third kept but not used, every seventh rejected."""
    X = np.array([[3.0 * k - 80, 40 * math.sin(k / 9)] for k in range(num)])
    soundings = []
    for k, (longitude, latitude) in enumerate(FRAME.to_degrees(X)):
        status = "rejected" if k % 7 == 6 else "kept" if k % 3 == 0 else "used"
        soundings.append({"longitude": longitude, "latitude": latitude, "depth": 5 + k / 30, "status": status})
    return X, soundings


def test_a_recording_gives_the_readings_that_the_surveys_model_had(tmp_path):
    X, soundings = survey()
    log = read_log(write_mcap(tmp_path / "r.mcap", soundings))
    used = [k for k, sounding in enumerate(soundings) if sounding["status"] == "used"]
    assert log.frame == FRAME  # the survey's own, so that both maps lie alike
    np.testing.assert_allclose([reading.position for reading in log.readings], X[used], atol=1e-6)
    assert [reading.value for reading in log.readings] == [soundings[k]["depth"] for k in used]
    assert [reading.time for reading in log.readings] == [k - used[0] for k in used]
    assert "60 soundings, left out: 8 rejected by the survey" in log.notes[0]


def test_with_a_spacing_every_accepted_sounding_counts(tmp_path):
    _, soundings = survey()
    log = read_log(write_mcap(tmp_path / "r.mcap", soundings), spacing=30)
    accepted = sum(sounding["status"] != "rejected" for sounding in soundings)
    assert f"medians of {accepted} in cells of 30 m" in log.notes[0]
    assert 5 < len(log.readings) < 20


def test_a_recording_cut_off_anywhere_gives_what_lies_before(tmp_path, rng):
    _, soundings = survey(300)
    whole = write_mcap(tmp_path / "r.mcap", soundings).read_bytes()
    values = [reading.value for reading in read_log(tmp_path / "r.mcap").readings]
    longest = 0
    for size in sorted(rng.integers(200, len(whole) - 1, 40)):
        (tmp_path / "cut.mcap").write_bytes(whole[:size])
        try:
            log = read_log(tmp_path / "cut.mcap")
        except UnreadableLog:  # before the first chunk ended
            assert longest == 0
            continue
        got = [reading.value for reading in log.readings]
        assert got == values[: len(got)]
        assert len(got) >= longest
        assert "was cut off or damaged" in log.notes[0]
        longest = len(got)
    assert longest > 100


HUGE = (10**14).to_bytes(8, "little")


def test_lengths_in_a_damaged_recording_take_no_room(tmp_path):
    _, soundings = survey()
    whole = write_mcap(tmp_path / "r.mcap", soundings).read_bytes()
    chunk = whole.index(b"zstd") - 4 - 4 - 8  # the name's length, the checksum, and the length unpacked
    packed = whole.index(b"zstd") + 4
    (tmp_path / "r.mcap").write_bytes(whole[:chunk] + HUGE + whole[chunk + 8 :])
    with pytest.raises(UnreadableLog, match="holds no sounding with a position and a depth"):  # none lies before it
        read_log(tmp_path / "r.mcap")
    (tmp_path / "r.mcap").write_bytes(whole[:packed] + HUGE + whole[packed + 8 :])
    assert "was cut off or damaged" in read_log(tmp_path / "r.mcap").notes[0]


def test_a_recording_of_another_program_is_one_sentence(tmp_path):
    write_mcap(tmp_path / "r.mcap", [{"level": 2}], topic="/rosout", frame=None, schema="foxglove.Log")
    with pytest.raises(UnreadableLog, match="is no recording of an akrig survey: it holds /rosout, but no /soundings"):
        read_log(tmp_path / "r.mcap")


def test_soundings_of_another_shape_are_one_sentence(tmp_path):
    write_mcap(tmp_path / "r.mcap", [{"range": 3.0}], frame=None)
    with pytest.raises(UnreadableLog, match="has a message on /soundings that is no sounding"):
        read_log(tmp_path / "r.mcap")


def test_a_recording_without_soundings_is_one_sentence(tmp_path):
    with pytest.raises(UnreadableLog, match="holds no sounding with a position and a depth"):
        read_log(write_mcap(tmp_path / "r.mcap", []))


def test_a_file_that_is_only_called_mcap_is_one_sentence(tmp_path):
    (tmp_path / "r.mcap").write_text("x,y,value\n")
    with pytest.raises(UnreadableLog, match="is not an MCAP file"):
        read_log(tmp_path / "r.mcap")


def deeper(lonlat, depth, *, fix_every: int = 10, seconds: float = 0.1) -> str:
    """A raw log: most lines have no fix."""
    lines = []
    for k, ((longitude, latitude), metres) in enumerate(zip(lonlat, depth, strict=True)):
        place = f"{latitude:.9f},{longitude:.9f}" if k % fix_every == 0 else "0.0,0.0"
        lines.append(f"{place},{metres:.3f},16.2,{BEGIN * 1000 + round(1000 * seconds * k)}")
    return "\n".join(lines) + "\n"


def cruise(num: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    """Metres and depths of a boat at 1 m/s that pings ten times a second."""
    way = np.arange(num) / 10
    line, along = way // 100, way % 100
    X = np.column_stack([np.where(line % 2 == 0, along, 100 - along), 10 * line])
    return X, 6 + X[:, 0] / 20


def test_a_raw_log_is_placed_between_its_fixes_and_thinned(tmp_path):
    X, depth = cruise()
    (tmp_path / "raw.csv").write_text(deeper(FRAME.to_degrees(X), depth))
    log = read_log(tmp_path / "raw.csv", spacing=5)
    assert log.frame is not None
    places = FRAME.to_metres(log.frame.to_degrees(np.array([reading.position for reading in log.readings])))
    assert 55 < len(places) < 90  # 300 m, and a line may run along the border between cells
    # A median over 5 m of a slope of 1 in 20, and positions interpolated around the corners.
    np.testing.assert_allclose([reading.value for reading in log.readings], 6 + places[:, 0] / 20, atol=0.3)
    assert np.abs(places[:, 1] - 10 * np.round(places[:, 1] / 10)).max() < 4
    times = [reading.time for reading in log.readings]
    assert times == sorted(times)
    assert times[0] == 0


def test_a_dense_log_is_thinned_by_itself(tmp_path):
    X, depth = cruise(9000)
    (tmp_path / "raw.csv").write_text(deeper(FRAME.to_degrees(X), depth))
    log = read_log(tmp_path / "raw.csv")
    assert log.spacing is not None
    assert MOST_READINGS / 3 < len(log.readings) <= MOST_READINGS
    assert f"{len(log.readings)} readings are replayed" in log.notes[0]
    assert "9000 soundings" in log.notes[0]


def test_what_is_wrong_with_a_raw_log_is_left_out_and_told(tmp_path, rng):
    X, depth = cruise()
    wrong = 10 * rng.choice(290, 12, replace=False) + 5
    depth[wrong[:5]] = 0.0
    depth[wrong[5:]] += 20
    lonlat = FRAME.to_degrees(X)
    lonlat[1500] += 0.1  # eleven kilometres
    (tmp_path / "raw.csv").write_text(deeper(lonlat, depth))
    log = read_log(tmp_path / "raw.csv", spacing=3)
    assert "left out: 1 stray fixes, 9 without a fix within 10 s or 5 m, 5 without a depth, 7 spikes;" in log.notes[0]
    assert max(reading.value for reading in log.readings) < 12
    assert np.ptp([reading.position for reading in log.readings], axis=0).max() < 110


def test_a_boat_at_rest_needs_no_new_fix_but_a_lost_one_does(tmp_path):
    X = np.concatenate([np.zeros((600, 2)), np.column_stack([np.linspace(0, 60, 601), np.zeros(601)])])
    depth = np.full(len(X), 5.0)
    # Fixes a minute apart: at rest, then after sixty metres.
    (tmp_path / "raw.csv").write_text(deeper(FRAME.to_degrees(X), depth, fix_every=600))
    with pytest.raises(UnreadableLog, match="at fewer than 3 places"):
        read_log(tmp_path / "raw.csv")


@pytest.mark.parametrize("header", ["latitude,longitude,depth_m", "Lat,Lon,Depth", "LONGITUDE,LATITUDE,DEPTH"])
def test_a_table_of_soundings_is_placed_about_its_middle(header, tmp_path, rng):
    lonlat = FRAME.to_degrees(rng.uniform(-200, 200, (90, 2)))
    columns = lonlat if header.startswith("LON") else lonlat[:, ::-1]
    rows = [f"{a:.10f},{b:.10f},{k / 10 + 1}" for k, (a, b) in enumerate(columns)]
    (tmp_path / "s.csv").write_text("\n".join([header, *rows]))
    log = read_log(tmp_path / "s.csv")
    assert log.frame is not None
    assert abs(log.frame.longitude - 139.6) < 0.001
    found = sorted((reading.value, *reading.position) for reading in log.readings)
    np.testing.assert_allclose(np.array(found)[:, 1:], log.frame.to_metres(lonlat), atol=1e-3)
    assert "all 90 are replayed" in log.notes[0]


def test_across_the_date_line_a_log_is_in_one_piece(tmp_path, rng):
    frame = LocalFrame(180.0, -17.0)
    lonlat = frame.to_degrees(rng.uniform(-300, 300, (50, 2)))
    rows = [f"{latitude:.9f},{longitude:.9f},{5 + k}" for k, (longitude, latitude) in enumerate(lonlat)]
    (tmp_path / "s.csv").write_text("\n".join(["latitude,longitude,depth", *rows]))
    positions = np.array([reading.position for reading in read_log(tmp_path / "s.csv").readings])
    assert np.ptp(positions, axis=0).max() < 620


def test_a_table_in_metres_can_be_thinned_too(tmp_path):
    X, depth = cruise()
    rows = [f"{x},{y},{z}" for (x, y), z in zip(X, depth, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["x,y,value", *rows]))
    assert len(read_log(tmp_path / "t.csv").readings) == 3000
    log = read_log(tmp_path / "t.csv", spacing=10)
    assert len(log.readings) == 31  # three lines of ten cells, and the very end of one
    assert log.frame is None


@pytest.mark.parametrize("odd", ["1e300", "-1e19", "1e15"])
def test_a_stray_position_in_a_table_is_one_sentence(tmp_path, odd):
    (tmp_path / "t.csv").write_text(f"x,y,value\n1,2,3\n4,5,6\n{odd},8,9\n")
    with pytest.raises(UnreadableLog, match=r"spans more than .* cells of 2 m; remove stray positions"):
        read_log(tmp_path / "t.csv", spacing=2)


FIX, NO_FIX = "35.16,139.6,5.0,16.2,", "0.0,0.0,5.0,16.2,"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([f"{NO_FIX}{BEGIN + k}000" for k in range(30)], "has no position fix among 30 soundings"),
        ([f"{FIX if k == 9 else NO_FIX}{BEGIN + k}000" for k in range(30)], "has one position fix among 30 soundings"),
        (["1,2,3", "4,5,6"], "has no header and 3 columns"),
        (["name,colour", "a,b"], "has no column x or y or value"),
        (["latitude,longitude,temperature", "35,139,16"], "no depth"),
        (["latitude,longitude,depth", "35.0,139.0,0", "35.001,139.0,0"], "no sounding with a position and a depth"),
        (["latitude,longitude,depth", *(f"{35 + k},139.0,5" for k in range(4))], "spans more than 20 km"),
        (["latitude,longitude,depth", "35.0,139.0,five"], "line 2"),
    ],
)
def test_what_is_no_log_of_a_sonar_is_one_sentence(lines, said, tmp_path):
    (tmp_path / "log.csv").write_text("\n".join(lines))
    with pytest.raises(AkrigError, match=said) as caught:
        read_log(tmp_path / "log.csv")
    assert "log.csv" in str(caught.value)


def test_logs_are_known_by_what_is_in_them(tmp_path):
    for name, content, kind in (
        ("a", "x,y,value\n", "table"),
        ("b", "Time;Latitude;Longitude;Depth\n", "soundings"),
        ("c", "0.0,0.0,5.3,16.2,1649542477720\n", "soundings"),
        ("d", "in the way", "table"),
        ("e", "", "table"),
    ):
        (tmp_path / name).write_text(content)
        assert kind_of(tmp_path / name) == kind
    assert kind_of(tmp_path) == "folder"


def real(name: str) -> Path:
    path = Path(os.environ.get("AKRIG_DATA", "nowhere")) / "soundings" / name
    return path if path.exists() else pytest.skip(f"{name} is not on this machine")


def test_a_real_raw_log_loses_few_of_its_pings():
    log = read_log(real("raw_deeper_20220410.csv"))
    assert 800 < len(log.readings) <= MOST_READINGS
    assert "37576 soundings, left out: 1403 without a fix" in log.notes[0]
    values = [reading.value for reading in log.readings]
    assert 2 < min(values) < max(values) < 17


def test_a_real_table_of_soundings_is_thinned():
    log = read_log(real("aburatsubo.csv"))
    assert 800 < len(log.readings) <= MOST_READINGS
    assert "106424 soundings" in log.notes[0]


def test_a_file_without_lines_is_not_read_whole(tmp_path):
    with (tmp_path / "telemetry.jsonl").open("wb") as file:
        file.write(b'{"time": 1}\n')
        file.truncate(20_000_000_000)  # of zeros, which take no room
    lines = json_objects(read_lines(tmp_path / "telemetry.jsonl"))
    assert next(lines) == {"time": 1}
    with pytest.raises(UnreadableFile, match="has a line of more than"):
        next(lines)
