"""Old maps in other coordinate systems, written by rasterio, or as text."""

import numpy as np
import pyproj
import pytest
import rasterio

from akrig.errors import InvalidField
from akrig.fields.prior import read_prior
from akrig.frame import LocalFrame
from akrig.geometry import Box

FRAME = LocalFrame(8.5, 47.3)
WORKSPACE = Box((-100, -60), (100, 60))


def depth_at(X):
    """So that 0.1 m on the ground is a centimetre."""
    return 30 + 0.1 * X[:, 0] + 0.07 * X[:, 1]


def write(path, crs, *, cells=(90, 110), sign=1, size=(260.0, 200.0), middle=(0.0, 0.0), hole=None):
    """Each cell holds the depth at its own centre."""
    to = pyproj.Transformer.from_crs(FRAME.crs, crs, always_xy=True)
    corners = np.array([[x, y] for x in (-0.5, 0.5) for y in (-0.5, 0.5)]) * size + middle
    x, y = to.transform(*corners.T)
    (rows, cols), (west, east, south, north) = cells, (min(x), max(x), min(y), max(y))
    width, height = (east - west) / cols, (north - south) / rows
    xs, ys = np.meshgrid(west + (np.arange(cols) + 0.5) * width, north - (np.arange(rows) + 0.5) * height)
    X = np.column_stack(to.transform(xs.ravel(), ys.ravel(), direction="INVERSE"))
    values = sign * depth_at(X).reshape(rows, cols)
    if hole is not None:
        values[hole] = -32768
    about = {"width": cols, "height": rows, "count": 1, "dtype": "float64", "crs": crs, "nodata": -32768}
    place = rasterio.Affine(width, 0, west, 0, -height, north)
    with rasterio.open(path, "w", driver="GTiff", transform=place, **about) as file:
        file.write(values, 1)
    return path


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:32632", "EPSG:2056"])
@pytest.mark.parametrize("sign", [1, -1])
def test_depths_are_where_they_were_whether_the_map_has_heights_or_depths(tmp_path, rng, crs, sign):
    prior = read_prior(write(tmp_path / "old.tif", crs, sign=sign), frame=FRAME, workspace=WORKSPACE)
    X = rng.uniform(WORKSPACE.lower, WORKSPACE.upper, (200, 2))
    assert np.abs(prior(X) - depth_at(X)).max() < (0.01 if crs != "EPSG:2056" else 0.02)
    assert prior.covers(X).all()


def test_an_ascii_grid_as_gebco_gives_it(tmp_path):
    """Squares of degrees, heights."""
    cell, (west, north), (rows, cols) = 2e-5, FRAME.degrees_of(-130.0, 100.0), (90, 175)
    xs, ys = np.meshgrid(west + (np.arange(cols) + 0.5) * cell, north - (np.arange(rows) + 0.5) * cell)
    heights = -depth_at(FRAME.to_metres(np.column_stack([xs.ravel(), ys.ravel()]))).reshape(rows, cols)
    header = f"ncols {cols}\nnrows {rows}\nxllcorner {west!r}\nyllcorner {north - rows * cell!r}\ncellsize {cell!r}\n"
    lines = [" ".join(f"{value:.6f}" for value in row) for row in heights]
    (tmp_path / "gebco.asc").write_text(header + "\n".join(lines))
    (tmp_path / "gebco.prj").write_text(pyproj.CRS.from_epsg(4326).to_wkt("WKT1_ESRI"))
    prior = read_prior(tmp_path / "gebco.asc", frame=FRAME, workspace=WORKSPACE)
    X = WORKSPACE.grid(30, 30)
    assert np.abs(prior(X) - depth_at(X)).max() < 0.01


def test_where_it_has_no_data_the_nearest_counts(tmp_path):
    path = write(tmp_path / "old.tif", "EPSG:32632", hole=(slice(30, 50), slice(40, 60)), size=(150.0, 90.0))
    prior = read_prior(path, frame=FRAME, workspace=WORKSPACE)
    X = WORKSPACE.grid(60, 60)
    depths, covered = prior(X), prior.covers(X)
    assert np.isfinite(depths).all()
    assert 0.3 < covered.mean() < 0.6
    inner = (np.abs(X) < (73, 43)).all(axis=1) & covered  # not beyond the outermost centres
    assert np.abs(depths - depth_at(X))[inner].max() < 0.01
    assert depths.min() >= depth_at(X)[covered].min() - 0.5


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"crs": "EPSG:32632", "middle": (5000.0, 0.0)}, "has data for only 0% of the area; is it the map of another"),
        ({"crs": "EPSG:32632", "hole": (slice(None), slice(None))}, "Not one cell"),
    ],
)
def test_a_map_of_another_place_is_one_sentence(tmp_path, how, said):
    with pytest.raises(InvalidField, match=said):
        read_prior(write(tmp_path / "old.tif", **how), frame=FRAME, workspace=WORKSPACE)
