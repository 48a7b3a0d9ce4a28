import resource
from functools import partial

import numpy as np
import pyproj
import pytest
import rasterio
from rio_cogeo.cogeo import cog_validate

from akrig.frame import LocalFrame
from akrig.s44 import SharedError
from akrig.survey.exports.bag import export as export_bag
from akrig.survey.exports.geotiff import map_crs, map_grid, write_depth_geotiff
from akrig.survey.exports.usual import export_map
from akrig.types import Prediction
from tests.survey.exports.lakes import PLACES, bed, depth_at, lake, surveyed


@pytest.fixture(params=PLACES, ids=str)
def origin(request):
    return request.param


def cells_in_degrees(data):
    """Of all cells' centres, by the file's own transform and pyproj alone."""
    rows, cols = (places.ravel() + 0.5 for places in np.indices(data.shape))
    to = data.transform
    x, y = to.a * cols + to.b * rows + to.c, to.d * cols + to.e * rows + to.f
    return np.column_stack(pyproj.Transformer.from_crs(data.crs.to_wkt(), 4326, always_xy=True).transform(x, y))


def test_every_cell_holds_the_prediction_at_its_own_centre(tmp_path, origin):
    area = lake(origin)
    write_depth_geotiff(tmp_path / "map.tif", predict=bed(area, origin), area=area, cell=2.0)
    with rasterio.open(tmp_path / "map.tif") as data:
        mean, std, _ = data.read().reshape(3, -1)
        lonlat = cells_in_degrees(data)
    known = np.isfinite(mean)
    assert np.array_equal(known, np.isfinite(std))
    error = mean[known] - depth_at(lonlat[known], origin)
    assert np.abs(error).max() < 0.001  # a centimetre on the ground is 0.001 in depth
    assert std[known] == pytest.approx(0.01 * mean[known], rel=1e-5)
    X = area.frame.to_metres(lonlat)
    clear = np.abs(area.clearance(X)) > 0.01
    assert np.array_equal(known[clear], area.allows(X)[clear])
    assert known.sum() * 4 == pytest.approx(area.size, rel=0.03)


def test_it_says_what_it_is(tmp_path):
    area = lake(PLACES[0])
    write_depth_geotiff(tmp_path / "map.tif", predict=bed(area, PLACES[0]), area=area, cell=0.4)
    with rasterio.open(tmp_path / "map.tif") as data:
        assert data.crs.to_epsg() == 32632
        assert data.descriptions == ("mean depth", "standard deviation", "order of survey")
        assert data.units == ("m", "m", None)
        assert np.isnan(data.nodatavals).all()
        assert data.dtypes == ("float32", "float32", "float32")
        assert (data.compression.name, data.block_shapes[0]) == ("deflate", (256, 256))
        assert data.res == (0.4, 0.4)
        assert (data.bounds.left / 0.4) % 1 == pytest.approx(0, abs=1e-6) or (data.bounds.left / 0.4) % 1 > 1 - 1e-6
    assert [file.name for file in tmp_path.iterdir()] == ["map.tif"]


def test_the_third_band_is_the_strictest_order_of_survey_that_is_met(tmp_path):
    """By the table of S-44, and the legend that the file itself holds."""
    area, path = lake(PLACES[0]), tmp_path / "map.tif"
    uncertainty = partial(SharedError(0.02, 0.03).added, noise_variance=0.0001)
    write_depth_geotiff(path, predict=bed(area, PLACES[0]), area=area, cell=1.0, uncertainty=uncertainty)
    with rasterio.open(path) as data:
        (depth, std, code), legend = data.read().astype(float).reshape(3, -1), data.tags(3)
    total = np.sqrt(std**2 + 0.0001 + 0.02**2 + (0.03 * depth) ** 2)
    assert "S-44" in legend["STANDARD"]
    labels = {int(name.removeprefix("ORDER_")): label for name, label in legend.items() if name.startswith("ORDER_")}
    assert labels == {1: "Exclusive Order", 2: "Special Order", 3: "Order 1b", 4: "Order 2"}
    found = set()
    for place in np.flatnonzero(np.isfinite(depth)):
        limits = [np.hypot(a, b * depth[place]) for a, b in ((0.15, 0.0075), (0.25, 0.0075), (0.5, 0.013), (1, 0.023))]
        met = [number for number, limit in enumerate(limits, start=1) if 1.96 * total[place] <= limit]
        assert code[place] == met[0] if met else np.isnan(code[place])
        found.add(met[0] if met else None)
    assert found == {1, 2, 3, 4, None}
    assert np.isnan(code[np.isnan(depth)]).all()


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ((8.5, 47), 32632),
        ((6.0, 47), 32632),
        ((5.999, 47), 32631),
        ((-180, 1), 32601),
        ((180, -1), 32701),
        ((0, 0), 32631),
    ],
)
def test_the_zone_is_that_of_the_place(place, code):
    assert map_crs(LocalFrame(*place)).to_epsg() == code
    zone = pyproj.database.query_utm_crs_info(
        datum_name="WGS 84", area_of_interest=pyproj.aoi.AreaOfInterest(place[0], place[1], place[0], place[1])
    )
    assert str(code) in [info.code for info in zone] or abs(place[0]) == 180


def test_beyond_utm_it_is_the_areas_own_map():
    assert map_crs(LocalFrame(10, 84.5)).to_epsg() is None
    assert "Transverse Mercator" in map_crs(LocalFrame(10, -85)).to_wkt()


def test_a_failure_leaves_the_old_map(tmp_path):
    area = lake(PLACES[0])
    path = tmp_path / "map.tif"
    write_depth_geotiff(path, predict=bed(area, PLACES[0]), area=area, cell=5.0)
    before = path.read_bytes()

    def fails(X):
        raise ArithmeticError("no model")

    with pytest.raises(ArithmeticError):
        write_depth_geotiff(path, predict=fails, area=area, cell=5.0)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_wrong_cells_are_refused():
    with pytest.raises(ValueError, match="larger than 0 metres; got 0"):
        map_grid(lake(PLACES[0]), 0.0)
    with pytest.raises(ValueError, match="too many; take larger ones"):
        map_grid(lake(PLACES[0]), 0.001)


def test_it_is_cloud_optimised(tmp_path):
    area = lake(PLACES[0])
    slope = lambda X: Prediction(10 + 0.1 * X[:, 0] + 0.07 * X[:, 1], np.ones(len(X)))  # noqa: E731
    write_depth_geotiff(tmp_path / "map.tif", predict=slope, area=area, cell=0.22)
    is_valid, errors, warnings = cog_validate(tmp_path / "map.tif", strict=True)
    assert is_valid, (errors, warnings)
    with rasterio.open(tmp_path / "map.tif") as whole, rasterio.open(tmp_path / "map.tif", overview_level=0) as half:
        assert whole.overviews(1) == [2, 4]
        assert whole.tags(ns="IMAGE_STRUCTURE")["LAYOUT"] == "COG"
        cells, coarse = whole.read(1), half.read(1)
    known = np.isfinite(coarse)
    rows, cols = np.nonzero(known)
    blocks = np.stack([cells[2 * rows + i, 2 * cols + j] for i in (0, 1) for j in (0, 1)])
    assert (blocks == coarse[known]).any(axis=0).all()  # a cell of the map, not a mean of some


@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.95, 0.999])
@pytest.mark.parametrize("make", [export_map, export_bag])
def test_a_full_disk_is_one_sentence_and_leaves_the_old_map(tmp_path, make, share):
    data, _ = surveyed(tmp_path / "survey", PLACES[0])
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "map"
    make(path, data)
    size = path.stat().st_size
    path.write_text("the old one")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(share * size), limits[1]))
    try:
        with pytest.raises(OSError, match=r"map could not be written .*; make room on the disk"):
            make(path, data)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [file.name for file in path.parent.iterdir()] == ["map"]
    assert path.read_text() == "the old one"
