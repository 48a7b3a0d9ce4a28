import json
from datetime import datetime

import numpy as np
import pytest

from akrig.frame import LocalFrame
from akrig.survey.exports.geojson import TrackPoint, iso_time, write_track
from tests.survey.exports.lakes import PLACES

BEGIN = 1_791_234_567.25


def track(X, times=None):
    times = BEGIN + np.arange(len(X)) if times is None else BEGIN + np.asarray(times)
    return [TrackPoint(float(t), (float(x), float(y))) for t, (x, y) in zip(times, X, strict=True)]


def read(path):
    return json.loads(path.read_text())["features"]


def seconds(text):
    return datetime.fromisoformat(text).timestamp() - BEGIN


@pytest.mark.parametrize("origin", PLACES, ids=str)
def test_places_and_times_come_back(tmp_path, origin):
    frame, X = LocalFrame(*origin), np.random.default_rng(0).uniform(-50, 50, (30, 2))
    write_track(tmp_path / "t.geojson", track(X), frame=frame)
    found = []
    for feature in read(tmp_path / "t.geojson"):
        lonlat = np.array(feature["geometry"]["coordinates"])
        assert np.abs(np.diff(lonlat[:, 0])).max() < 180
        at = np.array([seconds(text) for text in feature["properties"]["coordTimes"]])
        assert seconds(feature["properties"]["begin"]) == at[0]
        ideal = np.column_stack([np.interp(at, np.arange(30), X[:, k]) for k in range(2)])
        # Between corners, where the date line is, half a millisecond is 5 cm of this track.
        whole = np.abs(at - np.round(at)) < 1e-4
        assert np.abs(frame.to_metres(lonlat) - ideal)[whole].max() < 0.002
        assert np.abs(frame.to_metres(lonlat) - ideal).max() < 0.06
        found += at[np.abs(at - np.round(at)) < 1e-4].tolist()
    assert found == pytest.approx(np.arange(30))


def test_at_the_date_line_the_line_is_cut_on_the_line(tmp_path):
    write_track(tmp_path / "t.geojson", track([(-10.0, 0), (10, 0), (30, 0), (-30, 0)]), frame=LocalFrame(180.0, 10.0))
    lines = [feature["geometry"]["coordinates"] for feature in read(tmp_path / "t.geojson")]
    assert [len(line) for line in lines] == [2, 4, 2]
    assert (lines[0][-1][0], lines[1][0][0], lines[1][-1][0], lines[2][0][0]) == (180, -180, -180, 180)
    assert seconds(read(tmp_path / "t.geojson")[0]["properties"]["end"]) == pytest.approx(0.5)


def test_a_gap_cuts_the_line_and_order_is_that_of_time(tmp_path):
    points = track([(0.0, 0), (1, 0), (5, 0), (6, 0), (9, 9)], [0, 1, 40, 41, 99])
    write_track(tmp_path / "t.geojson", points[::-1], frame=LocalFrame(8.0, 47.0))
    kinds = [(f["geometry"]["type"], len(f["properties"]["coordTimes"])) for f in read(tmp_path / "t.geojson")]
    assert kinds == [("LineString", 2), ("LineString", 2), ("Point", 1)]
    write_track(tmp_path / "none.geojson", [], frame=LocalFrame(8.0, 47.0))
    assert read(tmp_path / "none.geojson") == []


def test_times_are_utc():
    assert iso_time(0.0) == "1970-01-01T00:00:00.000Z"
    assert iso_time(1649542477.7204) == "2022-04-09T22:14:37.720Z"


def test_a_place_is_finite():
    with pytest.raises(ValueError, match="finite"):
        TrackPoint(0.0, (np.nan, 1.0))
