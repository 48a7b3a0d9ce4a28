"""Logs written byte by byte as ArduPilot documents its messages."""

import struct

import numpy as np
import pytest
from pymavlink.DFReader import DFReader_binary

from akrig.journal.legs import UnreadableLog
from akrig.survey.logs.log import read_log
from tests.survey.logs.cruises import BEGIN, FRAME, cruise, depth_at, placed

HEAD = b"\xa3\x95"
SIZES = {"Q": 8, "B": 1, "L": 4, "f": 4, "I": 4, "H": 2, "c": 2, "C": 2, "b": 1, "N": 16, "n": 4, "Z": 64}
AS_STRUCT = {"L": "i", "c": "h", "C": "H", "N": "16s", "n": "4s", "Z": "64s"}
MESSAGES = {
    "FMT": (128, "BBnNZ", "Type,Length,Name,Format,Columns"),
    "GPS": (10, "QBBIHBcLLfffff", "TimeUS,I,Status,GMS,GWk,NSats,HDop,Lat,Lng,Alt,Spd,GCrs,VZ,Yaw"),
    "DPTH": (11, "QBLLf", "TimeUS,Inst,Lat,Lng,Depth"),
    "ATT": (12, "QccccCC", "TimeUS,DesRoll,Roll,DesPitch,Pitch,DesYaw,Yaw"),
}
GPS_EPOCH, LEAP, WEEK = 315_964_800, 18, 604_800  # seconds


def message(name, *values):
    number, form, _ = MESSAGES[name]
    return HEAD + bytes([number]) + struct.pack("<" + "".join(AS_STRUCT.get(each, each) for each in form), *values)


def formats():
    return b"".join(
        message("FMT", number, 3 + sum(map(SIZES.get, form)), name.encode(), form.encode(), columns.encode())
        for name, (number, form, columns) in MESSAGES.items()
    )


def write(path, *, tilted=(), lost=(), instances=(0,), kinds=("GPS", "ATT", "DPTH")):
    parts = [formats()]
    for k, (seconds, place, depth) in enumerate(zip(*cruise(2.0), strict=True)):
        longitude, latitude = (np.round(FRAME.to_degrees(place[None])[0] * 1e7)).astype(int).tolist()
        micro = 5_000_000 + round(seconds * 1e6)
        week, milli = divmod(round((BEGIN + seconds - GPS_EPOCH + LEAP) * 1000), WEEK * 1000)
        told = {
            "GPS": [(micro, 0, 1 if k in lost else 3, milli, week, 12, 80, latitude, longitude, 400, 2, 90, 0, 0)],
            "ATT": [(micro, 0, 100, 0, -2500 if k in tilted else 50, 0, 9000)],
            "DPTH": [(micro, inst, latitude, longitude, depth + 5 * inst) for inst in instances],
        }
        parts += [message(kind, *values) for kind in kinds for values in told[kind]]
    path.write_bytes(b"".join(parts))
    return path


def test_depths_lie_where_the_autopilot_was_and_when(tmp_path):
    log = read_log(write(tmp_path / "00000012.BIN"))
    X, y = placed(log)
    assert len(y) == 180
    assert np.abs(X - cruise(2.0)[1]).max() < 0.02
    assert np.abs(y - depth_at(X)).max() < 0.002
    assert [reading.time for reading in log.readings[:3]] == pytest.approx([0, 0.5, 1.0], abs=1e-3)
    with DFReader_binary(str(tmp_path / "00000012.BIN")) as others:
        first = others.recv_match(type=["DPTH"])
    assert first._timestamp == pytest.approx(BEGIN, abs=0.01)


def test_tilted_soundings_those_without_gps_and_other_sonars_are_left_out(tmp_path):
    log = read_log(write(tmp_path / "a.bin", tilted=(5, 6), lost=range(100, 140), instances=(0, 1)))
    assert "2 at more than 15 degrees of roll or pitch" in log.notes[0]
    assert "40 without a fix within 10 s" in log.notes[0]
    X, y = placed(log)
    assert len(y) == 138
    assert np.abs(y - depth_at(X)).max() < 0.002


def test_a_log_cut_off_or_damaged_gives_what_can_be_read(tmp_path, rng, capfd):
    whole = write(tmp_path / "a.bin").read_bytes()
    begin = len(formats())
    values = cruise(2.0)[2]
    for size in rng.integers(len(whole) // 3, len(whole), 4):
        (tmp_path / "cut.bin").write_bytes(whole[:size])
        y = placed(read_log(tmp_path / "cut.bin"))[1]
        assert y == pytest.approx(values[: len(y)], abs=1e-5)
        assert len(y) > 55
    for place in rng.integers(begin, len(whole) - 600, 4):
        (tmp_path / "spoilt.bin").write_bytes(whole[:place] + bytes(300) + whole[place + 300 :])
        assert len(placed(read_log(tmp_path / "spoilt.bin"))[1]) > 165
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("how", "said"), [({"kinds": ("GPS", "ATT")}, r"no depths \(DPTH\)"), ({"lost": range(180)}, "no position fix")]
)
def test_what_is_no_survey_is_one_sentence(tmp_path, how, said):
    with pytest.raises(UnreadableLog, match=said):
        read_log(write(tmp_path / "a.bin", **how))


def test_a_log_of_nothing_but_its_beginning_is_one_sentence(tmp_path):
    for content in (formats()[:50], formats(), HEAD + b"\x80" + bytes(86), (HEAD + b"\x80") * 9):
        (tmp_path / "a.bin").write_bytes(content)
        with pytest.raises(UnreadableLog, match=r"a\.bin"):
            read_log(tmp_path / "a.bin")
