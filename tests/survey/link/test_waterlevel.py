"""A water-level file is read right, or refused with one clear sentence."""

import os
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.survey.link.waterlevel import UnusableWaterLevel, WaterLevel, read_water_level

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC).timestamp()
GOOD = "time,level\n2026-05-01T12:00:00Z,1.0\n2026-05-01T13:00:00Z,3.0\n"


def written(tmp_path, text: str | bytes):
    path = tmp_path / "gauge.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD.replace("\n", "\r\n"),
        "\ufeff" + GOOD,
        GOOD.replace("Z", ""),  # UTC, unless it says otherwise
        GOOD.replace("time,level", "station, Time ,Level_m").replace("2026", "x,2026"),
        GOOD.replace("12:00:00Z", "14:00:00+02:00"),
    ],
)
def test_reads_what_gauges_write(tmp_path, text):
    level = read_water_level(written(tmp_path, text))
    assert level.at(NOON + 900) == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "needs columns time and level"),
        ("when,how\n1,2\n", "needs columns time and level"),
        ("time;level\n2026-05-01;1\n", "needs columns time and level"),
        ("time,level\n", "at least two"),
        ("time,level\n2026-05-01,1\n", "at least two"),
        (GOOD + "yesterday,1\n", "line 4: 'yesterday'"),
        (GOOD + "2026-05-01T14:00:00Z,\n", "line 4"),
        (GOOD + "2026-05-01T14:00:00Z\n", "line 4"),
        (GOOD + "2026-05-01T14:00:00Z,high\n", "line 4"),
        (GOOD + "2026-05-01T14:00:00Z,nan\n", "cannot be"),
        (GOOD + "2026-05-01T14:00:00Z,inf\n", "cannot be"),
        (GOOD + "2026-05-01T13:00:00Z,1\n", "not in the order of time at 2026-05-01 13:00"),
        (GOOD + "2026-05-01T12:30:00Z,1\n", "not in the order of time"),
        (GOOD + "0001-01-01T00:00:00+14:00,1\n", "line 4"),
        (b"\xff\xfe\x00", "not a text file"),
        (b"time,level\n\x00,\x00\n", "gauge.csv"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(tmp_path, text, words):
    with pytest.raises(UnusableWaterLevel) as caught:
        read_water_level(written(tmp_path, text))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(UnusableWaterLevel, match="no water-level file"):
        read_water_level(tmp_path / "none.csv")
    with pytest.raises(UnusableWaterLevel, match="cannot be read"):
        read_water_level(tmp_path)


def test_a_pipe_and_a_device_are_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "device.csv").symlink_to("/dev/zero")
    for name in ("pipe.csv", "device.csv"):
        with pytest.raises(UnusableWaterLevel, match="not a file"):
            read_water_level(tmp_path / name)


@given(st.floats(-10, 110))
def test_interpolates_as_numpy_does_and_knows_nothing_outside(time):
    times, levels = (0.0, 10.0, 35.0, 100.0), (1.0, -2.0, 4.0, 3.5)
    found = WaterLevel(times, levels).at(time)
    if 0 <= time <= 100:
        assert found == pytest.approx(float(np.interp(time, times, levels)))
    else:
        assert found is None


@pytest.mark.parametrize(("begin", "end"), [(-1, 50), (50, 101), (-5, 200)])
def test_a_series_that_does_not_cover_the_survey_says_what_it_covers(begin, end):
    level = WaterLevel((NOON, NOON + 100), (0.0, 0.0), "gauge.csv")
    level.check_covers(NOON, NOON + 100)
    with pytest.raises(UnusableWaterLevel, match=r"gauge.csv covers 2026-05-01 12:00 UTC to .* the survey may last"):
        level.check_covers(NOON + begin, NOON + end)
