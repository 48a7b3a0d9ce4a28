import json

import numpy as np
import pytest

from akrig.survey.exports.contours import sensible_interval, write_contours
from akrig.types import Prediction
from tests.survey.exports.lakes import PLACES, bed, depth_at, lake


def read(path):
    return json.loads(path.read_text())["features"]


@pytest.mark.parametrize("origin", PLACES, ids=str)
def test_lines_lie_at_their_depth_and_in_the_area(tmp_path, origin):
    area = lake(origin)
    assert write_contours(tmp_path / "c.geojson", predict=bed(area, origin), area=area, cell=2.0, interval=1.0) == 1.0
    features = read(tmp_path / "c.geojson")
    assert {feature["properties"]["depth_m"] for feature in features} >= {5.0, 10.0, 15.0}
    for feature in features:
        lonlat = np.array(feature["geometry"]["coordinates"])
        assert feature["geometry"]["type"] == "LineString"
        depth = depth_at(lonlat, origin)
        assert np.abs(depth - feature["properties"]["depth_m"]).max() < 0.001  # a centimetre on the ground
        assert area.clearance(area.frame.to_metres(lonlat)).min() > -0.01
        assert np.abs(np.diff(lonlat[:, 0])).max() < 180
    reached = np.concatenate([area.frame.to_metres(np.array(f["geometry"]["coordinates"])[[0, -1]]) for f in features])
    assert np.abs(area.clearance(reached)).max() < 0.01 or abs(origin[0]) > 179  # from border to border


def test_the_interval_is_a_round_number_for_about_ten_levels():
    assert sensible_interval(0.0, 10.0) == 1.0
    assert sensible_interval(2.0, 5.0) in (0.2, 0.5)
    assert sensible_interval(-100.0, 340.0) == 50.0
    assert sensible_interval(3.0, 3.0) is None
    for span in np.geomspace(0.01, 1e4, 50):
        assert 5 <= span / sensible_interval(1.0, 1.0 + span) <= 18


def test_a_flat_bed_has_no_lines(tmp_path):
    area = lake(PLACES[0])
    flat = lambda X: Prediction(np.full(len(X), 3.0), np.ones(len(X)))  # noqa: E731
    assert write_contours(tmp_path / "c.geojson", predict=flat, area=area, cell=5.0) is None
    assert read(tmp_path / "c.geojson") == []


def test_a_closed_line_around_a_hole_stays_closed(tmp_path):
    area = lake(PLACES[0])

    def hole(X):
        return Prediction(10 - 0.1 * np.hypot(*(X - (-30, -15)).T), np.ones(len(X)))

    write_contours(tmp_path / "c.geojson", predict=hole, area=area, cell=1.0, interval=0.5)
    (ring,) = [f["geometry"]["coordinates"] for f in read(tmp_path / "c.geojson") if f["properties"]["depth_m"] == 9.0]
    assert ring[0] == ring[-1]
    X = area.frame.to_metres(np.array(ring))
    assert np.hypot(*(X - (-30, -15)).T) == pytest.approx(np.full(len(X), 10.0), abs=0.05)


def test_wrong_arguments(tmp_path):
    area = lake(PLACES[0])
    with pytest.raises(ValueError, match="interval larger than 0"):
        write_contours(tmp_path / "c", predict=bed(area, PLACES[0]), area=area, cell=1.0, interval=0.0)
    with pytest.raises(ValueError, match="cells larger than 0"):
        write_contours(tmp_path / "c", predict=bed(area, PLACES[0]), area=area, cell=-1.0)
    with pytest.raises(ValueError, match="too many"):
        write_contours(tmp_path / "c", predict=bed(area, PLACES[0]), area=area, cell=0.001)
