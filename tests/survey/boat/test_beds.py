import numpy as np
import pytest

from akrig.geometry import Box
from akrig.survey.boat import load_bed
from akrig.survey.boat.beds import NoBed
from tests.survey.boat.rig import FRAME

EXTENT = Box((-200, -150), (250, 150))


@pytest.mark.parametrize("name", ["lake", "flat"])
def test_procedural_beds_have_water_everywhere_even_far_outside(name):
    bed = load_bed(name, frame=FRAME, extent=EXTENT, seed=3)
    depths = bed(EXTENT.scaled(4).grid(40, 40))
    assert np.isfinite(depths).all()
    assert depths.min() >= 0.5
    assert depths.max() < 60


def test_a_lake_has_a_shore_and_a_deep_and_a_seed():
    one, same, other = (
        load_bed("lake", frame=FRAME, extent=EXTENT, seed=seed)(EXTENT.grid(50, 50)) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert np.abs(one - other).max() > 1
    assert np.ptp(one) > 5


def test_the_extent_is_grown_so_that_the_boat_does_not_run_off():
    grown = load_bed("flat", frame=FRAME, extent=EXTENT).extent
    assert grown.lower[0] <= EXTENT.lower[0] - 50
    assert grown.upper[1] >= EXTENT.upper[1] + 50


def test_beyond_the_edge_the_depth_of_the_edge_goes_on():
    bed = load_bed("lake", frame=FRAME, extent=EXTENT, seed=1)
    (x, y), far = bed.extent.upper, 1e6
    np.testing.assert_array_equal(bed(np.array([[far, y], [far, far]])), bed(np.array([[x, y], [x, y]])))


def test_soundings_make_a_bed(tmp_path):
    X = EXTENT.grid(30, 30)
    lonlat = FRAME.to_degrees(X)
    rows = [f"{lat:.8f},{lon:.8f},{5 + 0.01 * x:.3f}" for (lon, lat), (x, _) in zip(lonlat, X, strict=True)]
    (tmp_path / "lake.csv").write_text("\n".join(["latitude,longitude,depth", *rows]))
    bed = load_bed(str(tmp_path / "lake.csv"), frame=FRAME, extent=EXTENT)
    inner = EXTENT.scaled(0.8).grid(12, 12)
    np.testing.assert_allclose(bed(inner), 5 + 0.01 * inner[:, 0], atol=0.4)


def write_raster(path, values, *, west, south, east, north) -> str:
    rasterio = pytest.importorskip("rasterio")
    rows, columns = values.shape
    transform = rasterio.Affine((east - west) / columns, 0, west, 0, (south - north) / rows, north)
    options = {"driver": "GTiff", "height": rows, "width": columns, "count": 1, "dtype": "float64", "crs": "EPSG:4326"}
    with rasterio.open(path, "w", transform=transform, **options) as file:
        file.write(values, 1)
    return str(path)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_raster_makes_a_bed_whether_it_holds_depths_or_heights(tmp_path, sign):
    (west, south), (east, north) = FRAME.to_degrees(np.array([[-600.0, -600.0], [600.0, 600.0]]))
    values = sign * np.tile(np.linspace(2, 12, 120), (120, 1))
    path = write_raster(tmp_path / "lake.tif", values, west=west, south=south, east=east, north=north)
    inner = EXTENT.grid(9, 9)
    depths = load_bed(path, frame=FRAME, extent=EXTENT)(inner)
    np.testing.assert_allclose(depths, 7 + inner[:, 0] / 120, atol=0.2)


def test_a_raster_of_another_lake_is_refused(tmp_path):
    values = np.arange(81.0).reshape(9, 9)
    path = write_raster(tmp_path / "elsewhere.tif", values, west=20, south=30, east=20.01, north=30.01)
    with pytest.raises(NoBed, match="no depth in the area"):
        load_bed(path, frame=FRAME, extent=EXTENT)


def test_an_unknown_bed_is_refused_with_what_there_is():
    with pytest.raises(NoBed, match="try lake, flat"):
        load_bed("puddle", frame=FRAME, extent=EXTENT)
