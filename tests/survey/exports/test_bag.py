"""Read back by GDAL's own reader of BAG."""

import numpy as np
import pyproj
import pytest
import rasterio

from akrig.fields.prior import read_prior
from akrig.survey.exports.bag import NO_DATA, export
from tests.survey.exports.lakes import PLACES, depth_at, surveyed


def test_akrig_reads_its_own_as_a_raster_that_lies_on_earth(tmp_path):
    data, _ = surveyed(tmp_path, PLACES[0])
    export(tmp_path / "map.bag", data)
    prior = read_prior(tmp_path / "map.bag", frame=data.area.frame, workspace=data.area.extent)
    X = data.area.extent.grid(30, 30)
    X = X[prior.covers(X) & (data.area.clearance(X) > 4)]
    assert len(X) > 300
    assert np.abs(prior(X) - depth_at(data.area.frame.to_degrees(X), PLACES[0])).max() < 0.002


@pytest.mark.parametrize("origin", [PLACES[0], PLACES[4], PLACES[6]], ids=str)
def test_gdal_reads_elevation_and_uncertainty_where_they_are(tmp_path, origin):
    data, _ = surveyed(tmp_path, origin)
    export(tmp_path / "map.bag", data)
    with rasterio.open(tmp_path / "map.bag", driver="BAG") as file:
        assert file.descriptions == ("elevation", "uncertainty")
        assert file.nodatavals == (NO_DATA, NO_DATA)
        elevation, uncertainty = file.read().reshape(2, -1)
        rows, cols = (places.ravel() + 0.5 for places in np.indices(file.shape))
        to = file.transform
        x, y = to.a * cols + to.c, to.e * rows + to.f
        crs = pyproj.CRS.from_wkt(file.crs.to_wkt())
        about = file.tags(ns="xml:BAG")["xml:BAG"]
    flat = crs.sub_crs_list[0] if crs.is_compound else crs
    lonlat = np.column_stack(pyproj.Transformer.from_crs(flat, 4326, always_xy=True).transform(x, y))
    known = elevation != NO_DATA
    assert np.array_equal(known, uncertainty != NO_DATA)
    assert np.abs(-elevation[known] - depth_at(lonlat[known], origin)).max() < 0.001  # a centimetre on the ground
    assert uncertainty[known] == pytest.approx(-0.01 * elevation[known], rel=1e-5)
    assert np.array_equal(known, data.area.allows(data.area.frame.to_metres(lonlat)))
    assert "The uncertainty is one standard deviation." in about
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [
        "lake.geojson",
        "lake.toml",
        "map.bag",
    ]
