import os
from pathlib import Path

import numpy as np
import pytest

from akrig.errors import InvalidField
from akrig.fields.soundings import Soundings, placed, read_soundings, soundings_field
from akrig.frame import LocalFrame
from akrig.geometry import Box

FRAME = LocalFrame(139.6, 35.16)
EXTENT = Box((-100, -50), (100, 50))


@pytest.fixture
def read(tmp_path):
    def reading(text):
        path = tmp_path / "depths.csv"
        path.write_text(text)
        return read_soundings(path)

    return reading


@pytest.mark.parametrize("header", ["latitude,longitude,depth_m", "Lat, LON ,Depth", "\ufefflat,lng,depth"])
def test_columns_are_found_by_name(read, header):
    soundings = read(f"{header}\n35.1,139.5,4.5\n\n35.2,139.6,5.5\n")
    assert soundings.lonlat.tolist() == [[139.5, 35.1], [139.6, 35.2]]
    assert soundings.depth.tolist() == [4.5, 5.5]
    assert soundings.time is None


def test_times_are_seconds_or_dates_and_rejected_rows_stay_out(read):
    rows = "\n".join(
        [
            "time,latitude,longitude,depth_m,status",
            "2022-04-10T00:00:01Z,35.1,139.5,4.5,used",
            "1649548802.5,35.1,139.5,4.6,kept",
            "2022-04-10T02:00:03+02:00,35.1,139.5,,rejected",
            "2022-04-10 00:00:04,35.1,139.5,4.8,used",
        ]
    )
    assert read(rows).time.tolist() == [1649548801, 1649548802.5, 1649548804]


def test_a_raw_log_keeps_its_lines_without_a_fix(read):
    soundings = read("0.0,0.0,5.3,16.2,1649542477720\n35.1,139.5,5.4,16.2,1649542478140\n")
    assert soundings.has_fix.tolist() == [False, True]
    assert soundings.time == pytest.approx([1649542477.720, 1649542478.140])


def test_pings_between_two_fixes_lie_on_the_way_between_them():
    lonlat = np.array(
        [[np.nan] * 2, [179.9999, 10.0], [np.nan] * 2, [-179.9997, 10.0004], [np.nan] * 2, [0, 0], [0, 0]]
    )
    lonlat[5:] = [[-179.9995, 10.0], [np.nan, np.nan]]
    time = np.array([0.0, 1.0, 2.0, 5.0, 6.0, 20.0, 21.0])
    found, left_out = placed(Soundings(lonlat, np.arange(7.0), time))
    assert left_out == 3  # before the first fix, in a gap of 15 s, after the last
    assert found.depth.tolist() == [1, 2, 3, 5]
    assert found.lonlat[1] == pytest.approx([-180, 10.0001])
    assert placed(Soundings(lonlat, np.arange(7.0), time), max_gap=15)[1] == 2
    assert placed(Soundings(lonlat, np.arange(7.0), time), max_gap=1)[1] == 4


def test_without_times_or_fixes_nothing_is_guessed():
    lonlat = np.array([[8.0, 47.0], [np.nan, np.nan]])
    assert placed(Soundings(lonlat, np.ones(2)))[1] == 1
    nowhere, left_out = placed(Soundings(lonlat[[1]], np.ones(1), np.zeros(1)))
    assert (len(nowhere), left_out) == (0, 1)
    one, left_out = placed(Soundings(lonlat, np.ones(2), np.arange(2.0)))
    assert (len(one), left_out) == (1, 1)


def test_a_dense_survey_gives_back_the_bed(rng):
    X = rng.uniform(EXTENT.lower, EXTENT.upper, (20_000, 2))
    bed = 5 + 0.03 * X[:, 0] + np.sin(X[:, 1] / 20)
    bed[::200] = 40.0  # a fish now and then, which medians do not see
    field = soundings_field(Soundings(FRAME.to_degrees(X), bed), FRAME, EXTENT, cell=5.0)
    inner = rng.uniform((-90, -40), (90, 40), (500, 2))
    error = field(inner) - (5 + 0.03 * inner[:, 0] + np.sin(inner[:, 1] / 20))
    assert np.sqrt(np.mean(error**2)) < 0.1
    assert field.extent == EXTENT


def test_between_lines_it_is_filled_and_far_from_them_it_is_not():
    x = np.arange(-95.0, 100, 1)
    X = np.vstack([np.column_stack([x, np.full_like(x, y)]) for y in (-48.0, -36.0)])
    field = soundings_field(Soundings(FRAME.to_degrees(X), 10 + X[:, 1] / 10), FRAME, EXTENT, cell=4.0)
    assert field(np.array([[0.0, -42.0]]))[0] == pytest.approx(5.8, abs=0.1)
    assert np.isnan(field(np.array([[0.0, 20.0]]))[0])


def test_soundings_in_one_line_fill_nothing():
    x = np.arange(-95.0, 100, 1)
    X = np.column_stack([x, np.zeros_like(x)])
    field = soundings_field(Soundings(FRAME.to_degrees(X), 10 + x / 10), FRAME, EXTENT)
    assert 0 < np.isfinite(field.values).mean() < 0.5


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        ("latitude,longitude,depth\n", "no soundings"),
        ("latitude,depth\n1,2\n", "no longitude, only latitude, depth; rename"),
        ("lat,lon,depth\n35,139,4\n35,139,deep\n", "line 3: the depth is 'deep', not a number"),
        ("lat,lon,depth\n35,139,nan\n", "line 2: the depth is 'nan'"),
        ("lat,lon,depth\n35,139\n", "line 2: the depth is ''"),
        (
            "lat,lon,depth\n139,35,4\n",
            "line 2: latitude 139 and longitude 35 are not on Earth; latitude and longitude look",
        ),
        ("35.1,139.5,4\n", "no header and 3 columns"),
        ("0.0,0.0,5.3,16.2,1649542477720\n0.0,0.0\n", "line 2: the depth is ''"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(read, text, reason):
    with pytest.raises(InvalidField, match=reason):
        read(text)


def test_soundings_of_another_place_make_no_field():
    elsewhere = Soundings(np.array([[35.16, 139.6 - 90]]), np.ones(1))
    with pytest.raises(InvalidField, match="None of the 1 soundings lies in the area"):
        soundings_field(elsewhere, FRAME, EXTENT)
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read_soundings("nowhere.csv")


def test_soundings_are_alike(unchecked):
    with pytest.raises(ValueError, match=r"got \(2, 2\), \(3,\)"):
        Soundings(np.zeros((2, 2)), np.zeros(3))
    with pytest.raises(ValueError, match="finite"):
        Soundings(np.zeros((1, 2)), np.array([np.nan]))


DATA = Path(os.environ.get("AKRIG_DATA", "nowhere")) / "soundings"


@pytest.mark.skipif(not (DATA / "raw_deeper_20220410.csv").is_file(), reason="AKRIG_DATA has no soundings folder")
def test_a_real_log():
    soundings = read_soundings(DATA / "raw_deeper_20220410.csv")
    found, left_out = placed(soundings)
    assert len(soundings) == 37576
    assert soundings.has_fix.sum() == 933
    assert len(found) + left_out == len(soundings)
    assert np.hypot(*(found.lonlat - np.median(found.lonlat, axis=0)).T).max() < 0.02
