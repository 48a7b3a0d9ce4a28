"""A map of a field that lies on Earth lies there, too: in netCDF by the CF conventions, and as GeoTIFF."""

from pathlib import Path

import numpy as np
import pyproj
import pytest
import rasterio
import xarray as xr

from akrig.config import load_settings
from akrig.journal.record import read_record
from akrig.runs import create_run, run_mission

QUICK = {
    "kernel": "rbf",
    "strategy": "random",
    "budget": 60,
    "scoring": {"grid": [10, 10], "map_grid": [24, 16], "snapshots": 0},
}
PLACES = {  # reference system, and the west edge, the north edge and the cells' sides in it
    "metres": ("EPSG:25832", 500_123.0, 5_270_777.0, 25.0, 25.0),
    "degrees": ("EPSG:4326", 9.1, 47.7, 0.0005, 0.0004),
    "feet": ("EPSG:2263", 900_000.0, 200_000.0, 80.0, 60.0),
}
ROWS, COLUMNS = 40, 60


def height(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """At shares of the field's sides, from the south-west corner: every place has its own."""
    return 100 + 70 * x + 25 * y + 10 * np.sin(5 * x)


def raster(path: Path, place: str) -> Path:
    crs, west, north, width, depth = PLACES[place]
    x, y = np.meshgrid((np.arange(COLUMNS) + 0.5) / COLUMNS, 1 - (np.arange(ROWS) + 0.5) / ROWS)
    grid = rasterio.Affine(width, 0, west, 0, -depth, north)
    about = {"driver": "GTiff", "width": COLUMNS, "height": ROWS, "count": 1, "dtype": "float32"}
    with rasterio.open(path, "w", crs=crs, transform=grid, **about) as file:
        file.write(height(x, y).astype(np.float32), 1)
    return path


@pytest.fixture(scope="module", params=PLACES)
def mapped(request, tmp_path_factory) -> tuple[str, Path]:
    """A mission over a raster in each kind of coordinates."""
    folder = tmp_path_factory.mktemp(request.param)
    field = raster(folder / "hill.tif", request.param)
    run_mission(create_run(load_settings(None, {**QUICK, "field": str(field)}), folder / "run"))
    return request.param, folder / "run"


def shares(place: str, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    _, west, north, width, depth = PLACES[place]
    return (x - west) / (COLUMNS * width), (y - (north - ROWS * depth)) / (ROWS * depth)


def test_the_geotiff_has_the_fields_system_and_lies_where_the_field_does(mapped):
    place, run = mapped
    with rasterio.open(run / "map.tif") as file:
        assert file.crs == rasterio.crs.CRS.from_user_input(PLACES[place][0])
        assert file.descriptions == ("prediction", "standard deviation")
        mean, std = file.read()
        rows, columns = np.mgrid[0 : file.height, 0 : file.width]
        x, y = (np.array(values).reshape(mean.shape) for values in file.xy(rows.ravel(), columns.ravel()))
        _, west, north, width, depth = PLACES[place]
        left, bottom, right, top = file.bounds
    assert west < left < right < west + COLUMNS * width
    assert north - ROWS * depth < bottom < top < north
    assert (std > 0).all()
    assert np.corrcoef(mean.ravel(), height(*shares(place, x, y)).ravel())[0, 1] > 0.9


def test_cells_are_at_their_places_to_a_thousandth_of_a_pixel(mapped):
    """The truth in map.nc, read at the GeoTIFF's coordinates, is the field at those coordinates."""
    place, run = mapped
    with xr.open_dataset(run / "map.nc") as content, rasterio.open(run / "map.tif") as file:
        x, y = np.meshgrid(content["x"], content["y"])
        np.testing.assert_allclose(content["truth"], height(*shares(place, x, y)), atol=0.05)
        np.testing.assert_allclose(file.read(1)[::-1], content["mean"], rtol=1e-6)
        grid = file.transform
        column, row = (content["x"].to_numpy() - grid.c) / grid.a, (content["y"].to_numpy()[::-1] - grid.f) / grid.e
        np.testing.assert_allclose(column, np.arange(file.width) + 0.5, atol=1e-3)
        np.testing.assert_allclose(row, np.arange(file.height) + 0.5, atol=1e-3)


def test_the_netcdf_follows_the_cf_conventions(mapped):
    place, run = mapped
    wanted = pyproj.CRS.from_user_input(PLACES[place][0])
    with xr.open_dataset(run / "map.nc", decode_coords=False) as content:
        assert content.attrs["Conventions"].startswith("CF-1.")
        for name in ("mean", "std", "truth"):
            assert content[name].attrs["grid_mapping"] == "crs"
        attributes = content["crs"].attrs
        assert pyproj.CRS.from_wkt(attributes["crs_wkt"]) == wanted
        assert pyproj.CRS.from_cf(attributes).equals(wanted)
        assert "grid_mapping_name" in attributes
        names = [content[axis].attrs["standard_name"] for axis in ("x", "y")]
        geographic = place == "degrees"
        assert names == (
            ["longitude", "latitude"] if geographic else ["projection_x_coordinate", "projection_y_coordinate"]
        )


def test_a_record_is_in_the_missions_metres_as_ever(mapped):
    _, run = mapped
    record = read_record(run)
    assert record.map is not None
    workspace = record.workspace
    assert (record.map["x"][0], record.map["y"][0]) == pytest.approx(workspace.lower)
    assert (record.map["x"][-1], record.map["y"][-1]) == pytest.approx(workspace.upper)
    assert set(record.map.coords) <= {"x", "y", "base"}
    assert record.field_name == "hill.tif"


def test_a_field_that_is_nowhere_has_no_system_and_no_geotiff(tmp_path):
    np.save(tmp_path / "hill.npy", height(*np.meshgrid(np.linspace(0, 1, 30), np.linspace(0, 1, 20))))
    run_mission(create_run(load_settings(None, {**QUICK, "field": str(tmp_path / "hill.npy")}), tmp_path / "run"))
    assert not (tmp_path / "run" / "map.tif").exists()
    with xr.open_dataset(tmp_path / "run" / "map.nc") as content:
        assert "crs" not in content
        assert set(content.coords) == {"x", "y"}
