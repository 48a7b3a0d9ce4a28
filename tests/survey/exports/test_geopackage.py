"""Read back by GDAL, through pyogrio."""

import numpy as np
import pyogrio
import pytest
import shapely
from pyogrio.raw import read

from akrig.survey.exports.geopackage import export
from tests.survey.exports.lakes import BEGIN, PLACES, depth_at, surveyed


def layer(path, name):
    about, _, shapes, columns = read(path, layer=name)
    return shapely.from_wkb(shapes), dict(zip(about["fields"], columns, strict=True)), about


@pytest.mark.parametrize("origin", [PLACES[0], PLACES[2], PLACES[6]], ids=str)
def test_every_layer_lies_where_it_should(tmp_path, origin):
    data, X = surveyed(tmp_path, origin)
    path = tmp_path / "survey.gpkg"
    export(path, data)
    assert [name for name, _ in pyogrio.list_layers(path)] == ["area", "contours", "track", "soundings"]
    frame = data.area.frame

    shapes, columns, about = layer(path, "area")
    assert about["crs"] == "EPSG:4326"
    assert columns["role"].tolist() == ["fence", "keep-out", "home"]
    assert frame.to_metres(shapely.get_coordinates(shapes[0])[:-1]) == pytest.approx(data.area.fence, abs=1e-3)

    shapes, columns, _ = layer(path, "contours")
    for shape, depth in zip(shapes, columns["depth_m"], strict=True):
        assert np.abs(depth_at(shapely.get_coordinates(shape), origin) - depth).max() < 0.001  # a centimetre
    assert len(set(columns["depth_m"])) > 5

    shapes, columns, _ = layer(path, "track")
    assert frame.to_metres(shapely.get_coordinates(shapes[0])) == pytest.approx(X[:16], abs=1e-3)
    assert columns["begin"][0] == np.datetime64(int(BEGIN * 1000), "ms")
    assert columns["begin"][-1] - columns["end"][0] > np.timedelta64(30, "s")

    shapes, columns, _ = layer(path, "soundings")
    assert [shape is None for shape in shapes] == [k == 4 for k in range(30)]
    there = [k for k in range(30) if k != 4]
    assert frame.to_metres(shapely.get_coordinates(shapes[there])) == pytest.approx(X[there], abs=1e-3)
    assert columns["time"][7] == np.datetime64(int((BEGIN + 7) * 1000), "ms")
    assert columns["depth_m"][7] - columns["raw_depth_m"][7] == pytest.approx(0.2)
    assert [columns["status"][k] for k in (6, 7, 9)] == ["kept", "used", "rejected"]
    assert columns["reason"][9] == "a jump of 5 m"
    assert np.isnan(columns["depth_m"][9])


def test_a_new_one_takes_the_place_of_an_old_one_and_nothing_else_is_left(tmp_path):
    data, _ = surveyed(tmp_path, PLACES[0])
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "survey.gpkg"
    path.write_text("an old one")
    export(path, data)
    assert len(pyogrio.list_layers(path)) == 4
    assert [file.name for file in path.parent.iterdir()] == ["survey.gpkg"]
    failing, _ = surveyed(tmp_path / "other", PLACES[0])
    failing.folder.journal.write_text("{}\n{}\n")
    before = path.read_bytes()
    with pytest.raises(Exception, match="journal"):
        export(path, failing)
    assert path.read_bytes() == before
