import importlib.util
import subprocess
import sys
from importlib.machinery import ModuleSpec

import numpy as np
import pytest
from pyproj import Geod

from akrig.fields import CATALOGUE, UnknownField, samples
from akrig.fields.samples import jacksboro, sample_file, topobathy

GEOD = Geod(ellps="WGS84")


def test_jacksboro_lies_where_the_earth_has_it():
    field = jacksboro()
    assert (field.shape, field.units, field.extent.lower) == ((344, 403), "m", (0, 0))
    assert field.origin == pytest.approx((-84.41375, 36.44625))
    width, height = field.extent.size
    west, south, east, north = -84.41375, 36.44625, -84.07791666, 36.73291666
    middle = (south + north) / 2
    assert width == pytest.approx(GEOD.inv(west, middle, east, middle)[2], rel=1e-5)
    assert height == pytest.approx(GEOD.inv(west, south, west, north)[2], rel=1e-6)


def test_jacksboro_has_its_first_row_in_the_north():
    elevation = np.load(sample_file("jacksboro_fault_dem.npz"))["elevation"]
    field = jacksboro(interpolation="nearest")
    (xs, ys), height = field.centres, field.extent.size[1]
    np.testing.assert_array_equal(field(np.stack([xs, np.full_like(xs, height)], axis=1)), elevation[0])
    np.testing.assert_array_equal(field(np.stack([np.zeros_like(ys), ys], axis=1)), elevation[::-1, 0])


def test_topobathy_lies_where_the_earth_has_it():
    field = topobathy()
    assert (field.shape, field.units) == ((91, 120), "m")
    assert field.origin == pytest.approx((-126, 48.005), abs=1e-3)
    width, height = field.extent.size
    # Short steps on the parallel: the geodesic between the far ends is shorter than the parallel.
    parallel = sum(GEOD.inv(lon, 49, lon + 0.1, 49)[2] for lon in np.arange(-126, -122, 0.1))
    assert width == pytest.approx(parallel, rel=1e-4)
    assert height == pytest.approx(GEOD.inv(-124, 48.00522, -124, 49.99490)[2], rel=1e-4)


def test_topobathy_is_evenly_spaced_though_its_rows_are_not(tmp_path, monkeypatch):
    data = dict(np.load(sample_file("topobathy.npz")))
    assert np.ptp(np.diff(data["latitude"])) > 0.0005
    # A land whose height is its latitude must come out as an even slope.
    np.savez(tmp_path / "topobathy.npz", **(data | {"topo": np.repeat(data["latitude"][:, None], 120, axis=1)}))
    monkeypatch.setattr(samples, "sample_file", lambda name: tmp_path / name)
    field = topobathy()
    assert field.origin is not None
    ys = field.centres[1][1:-1]
    degrees = field(np.stack([np.zeros_like(ys), ys], axis=1)) - field.origin[1]
    np.testing.assert_allclose(degrees, ys / field.extent.size[1] * (49.99490 - 48.00522), atol=2e-4)


def test_topobathy_has_sea_in_the_south_west_and_mountains():
    field = topobathy()
    assert np.isfinite(field.values).all()
    assert field(np.array([[5000.0, 5000.0]])).item() < -1000
    assert field.values.max() > 2000


def test_both_are_in_the_table_and_matplotlib_is_not_imported():
    assert [name for name, entry in CATALOGUE.items() if entry.kind == "bundled"] == ["jacksboro", "topobathy"]
    script = (
        "import sys; from akrig.fields.samples import jacksboro, topobathy; jacksboro(), topobathy();"
        "sys.exit(any(m in sys.modules for m in ('matplotlib', 'rasterio', 'pyproj', 'PIL', 'torch')))"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


@pytest.mark.parametrize("spec", [None, ModuleSpec("matplotlib", None)])
def test_without_the_sample_data_says_so(monkeypatch, spec):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    with pytest.raises(UnknownField) as caught:
        jacksboro()
    assert str(caught.value).startswith("matplotlib's sample file jacksboro_fault_dem.npz is not on this machine")
