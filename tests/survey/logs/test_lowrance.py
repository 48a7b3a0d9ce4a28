"""Frames written byte by byte as opensounder/sounder-log-formats lays them out, and read by sllib, too."""

import struct

import numpy as np
import pytest
from sllib import create_reader

from akrig.journal.legs import UnreadableLog
from akrig.survey.logs.log import read_log
from tests.survey.logs.cruises import BEGIN, FRAME, cruise, depth_at, placed

RADIUS = 6356752.3142
PICTURE = 300  # bytes
KINDS = ("sl2", "sl3")


def mercator(lonlat):
    longitude, latitude = np.radians(lonlat).T
    return np.round(RADIUS * np.column_stack([longitude, np.log(np.tan(latitude / 2 + np.pi / 4))])).astype(int)


def frame(kind, at, k, seconds, place, feet, *, channel=0, flags=0x02BE):
    """Offsets as in the documentation."""
    head = bytearray(144 if kind == "sl2" else 168)
    where = {
        "sl2": {0: ("I", at), 28: ("H", len(head) + PICTURE), 32: ("H", channel), 34: ("H", PICTURE), 36: ("I", k),
                60: ("I", BEGIN), 64: ("f", feet), 108: ("i", place[0]), 112: ("i", place[1]), 132: ("H", flags),
                140: ("I", round(seconds * 1000))},
        "sl3": {0: ("I", at), 8: ("H", len(head) + PICTURE), 12: ("I", channel), 16: ("I", k), 40: ("I", BEGIN),
                44: ("I", PICTURE), 48: ("f", feet), 92: ("i", place[0]), 96: ("i", place[1]), 116: ("H", flags),
                124: ("I", round(seconds * 1000))},
    }[kind]  # fmt: skip
    for offset, (form, value) in where.items():
        struct.pack_into(f"<{form}", head, offset, value)
    return bytes(head) + bytes(PICTURE)


def write(path, *, rate=5.0, every=1, channels=(0, 2)):
    """Two channels; a place is told every so many pings, and stands until the next."""
    kind = path.suffix[1:]
    content = bytearray(struct.pack("<HHHH", int(kind[-1]), 1, 3200, 0))
    time, X, depth = cruise(rate)
    places = mercator(FRAME.to_degrees(X))
    for k, (seconds, feet) in enumerate(zip(time, depth / 0.3048, strict=True)):
        for channel in channels:
            content += frame(kind, len(content), k, seconds, places[k - k % every], feet, channel=channel)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_soundings_lie_where_the_recorder_was_to_its_whole_metres(tmp_path, kind):
    path = write(tmp_path / f"lake.{kind}")
    log = read_log(path)
    X, y = placed(log)
    assert len(y) == 450
    told = FRAME.to_degrees(cruise(5.0)[1])
    exact = mercator(told) / RADIUS
    lonlat = np.degrees(np.column_stack([exact[:, 0], 2 * np.arctan(np.exp(exact[:, 1])) - np.pi / 2]))
    moved = np.concatenate([[True], (np.diff(exact, axis=0) != 0).any(axis=1)])
    assert np.abs(X - FRAME.to_metres(lonlat))[moved].max() < 0.001
    assert np.hypot(*(X - cruise(5.0)[1]).T).max() < 1.5
    assert np.abs(y - depth_at(cruise(5.0)[1])).max() < 1e-4
    assert np.abs(np.diff([reading.time for reading in log.readings]) - 0.2).max() < 2e-3
    with create_reader(str(path)) as others:
        theirs = [(each.longitude, each.latitude, each.water_depth_m) for each in others if each.channel == 0]
    theirs = np.array(theirs)
    assert theirs[:, 2] == pytest.approx(y, abs=1e-6)
    assert FRAME.to_metres(theirs[moved, :2]) == pytest.approx(X[moved], abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_between_two_places_it_went_straight(tmp_path, kind):
    X, _ = placed(read_log(write(tmp_path / f"lake.{kind}", every=10)))
    straight = np.hypot(*(X - cruise(5.0)[1][: len(X)]).T)
    assert np.median(straight) < 0.8  # its own whole metres
    assert len(np.unique(np.round(X, 2), axis=0)) > 430


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_cut_off_or_damaged_is_passed_over(tmp_path, rng, kind):
    whole = write(tmp_path / f"lake.{kind}").read_bytes()
    depths = cruise(5.0)[2]
    for size in rng.integers(len(whole) // 3, len(whole), 3):
        (tmp_path / f"cut.{kind}").write_bytes(whole[:size])
        y = placed(read_log(tmp_path / f"cut.{kind}"))[1]
        assert y == pytest.approx(depths[: len(y)], abs=1e-4)
        assert len(y) > 140
    for place in rng.integers(2000, len(whole) - 5000, 3):
        (tmp_path / f"spoilt.{kind}").write_bytes(whole[:place] + rng.bytes(2000) + whole[place + 2000 :])
        assert len(placed(read_log(tmp_path / f"spoilt.{kind}"))[1]) > 430


def test_a_channel_without_a_depth_is_not_asked(tmp_path):
    content = bytearray(struct.pack("<HHHH", 2, 1, 3200, 0))
    time, X, depth = cruise()
    for k, place in enumerate(mercator(FRAME.to_degrees(X))):
        for channel, feet in ((0, 0.0), (1, depth[k] / 0.3048)):
            content += frame("sl2", len(content), k, time[k], place, feet, channel=channel)
    (tmp_path / "a.sl2").write_bytes(content)
    assert len(placed(read_log(tmp_path / "a.sl2"))[1]) == 90


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_survey_is_one_sentence(tmp_path, kind):
    path = tmp_path / f"a.{kind}"
    whole = write(tmp_path / f"lake.{kind}").read_bytes()
    for content, said in (
        (whole[:8], "0 frames, none of which has a depth"),
        (whole[:8] + bytes(5000), "0 frames, none of which has a depth"),
        (whole[:8] + frame(kind, 8, 0, 0, (0, 0), 5.0, flags=0), "has no position fix among 1 sounding"),
    ):
        path.write_bytes(content)
        with pytest.raises(UnreadableLog, match=said):
            read_log(path)
