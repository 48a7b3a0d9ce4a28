import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import RegularGridInterpolator

from akrig.fields import GridField, InvalidField
from akrig.geometry import Box
from akrig.protocols import Field

TILE = Box((-11, -11), (11, 11))
FLAT = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def ramp(extent: Box = Box((0, 0), (3, 2)), **options) -> GridField:
    return GridField(FLAT, extent, **options)


def numbered(rows: int, cols: int, extent: Box, **options) -> GridField:
    """Each cell holds row * 1000 + column."""
    values = np.add.outer(1000.0 * np.arange(rows), np.arange(float(cols)))
    return GridField(values, extent, interpolation="nearest", **options)


def test_is_a_field():
    assert isinstance(ramp(), Field)


def test_row_zero_is_south_and_column_zero_west():
    field = ramp(interpolation="nearest")
    np.testing.assert_array_equal(field(np.array([[0.1, 0.1], [2.9, 0.1], [0.1, 1.9], [2.9, 1.9]])), [1, 3, 4, 6])


def test_nearest_gives_the_cell_a_point_is_in_and_the_upper_border_belongs_to_the_last():
    field = ramp(interpolation="nearest")
    np.testing.assert_array_equal(field(np.array([[0, 0], [1, 1], [0.999, 0.999], [3, 2]], dtype=float)), [1, 5, 1, 6])


# x, index: what the authors' package finds for 360 cells on [-11, 11].
AUTHORS = [
    (-11, 0),
    (-10, 16),
    (-5, 98),
    (-1e-9, 179),
    (0, 179),
    (0.5, 187),
    (5, 261),
    (10, 343),
    (10.99, 359),
    (11, 359),
]


@pytest.mark.parametrize(("x", "index"), AUTHORS)
def test_with_a_margin_the_cells_are_those_of_the_authors(x, index):
    field = numbered(360, 360, TILE, cell_margin=1e-4)
    assert field(np.array([[x, -11.0]])).item() == index
    assert field(np.array([[-11.0, x]])).item() == 1000 * index


def test_with_a_margin_not_all_cells_of_a_small_extent_are_seen():
    field = numbered(360, 360, Box((0, 0), (1, 1)), cell_margin=1e-4)
    assert field(np.array([[1.0, 0.0]])).item() == 347


@pytest.mark.skipif("AKRIG_DATA" not in os.environ, reason="AKRIG_DATA is not set: the paper's data are not here")
def test_the_papers_training_readings_of_helens_are_found_again():
    folder = os.environ["AKRIG_DATA"] + "/fields/"
    X, y = (np.loadtxt(f"{folder}helens_{which}_train.csv", delimiter=",") for which in "xy")
    field = GridField(np.load(folder + "helens.npy"), Box((0, 0), (1, 1)), interpolation="nearest", cell_margin=1e-4)
    np.testing.assert_array_equal(field(X), y)


def test_bilinear_agrees_with_scipy_and_is_clamped_at_the_edges(rng):
    values, extent = rng.normal(size=(7, 5)), Box((-3, 10), (2, 31))
    field = GridField(values, extent)
    xs, ys = field.centres
    X = rng.uniform(extent.lower, extent.upper, (500, 2))
    clamped = np.clip(X, [xs[0], ys[0]], [xs[-1], ys[-1]])
    expected = RegularGridInterpolator((ys, xs), values)(clamped[:, ::-1])
    np.testing.assert_allclose(field(X), expected, atol=1e-12)


@given(st.integers(2, 9), st.integers(2, 9), st.integers(0, 1000), st.sampled_from(["nearest", "bilinear"]))
def test_at_cell_centres_both_give_the_cells(rows, cols, seed, interpolation):
    rng = np.random.default_rng(seed)
    lower = rng.normal(size=2) * 100
    upper = lower + rng.uniform(0.1, 50, 2)
    field = GridField(rng.normal(size=(rows, cols)), Box(tuple(lower), tuple(upper)), interpolation=interpolation)
    X = np.stack(np.meshgrid(*field.centres), axis=-1).reshape(-1, 2)
    np.testing.assert_allclose(field(X), field.values.ravel(), rtol=1e-9, atol=1e-9)


@given(st.integers(0, 1000))
def test_bilinear_never_leaves_the_range_of_the_values(seed):
    rng = np.random.default_rng(seed)
    field = GridField(rng.normal(size=(4, 6)), Box((0, 0), (1, 1)))
    y = field(rng.random((100, 2)))
    assert y.min() >= field.values.min() - 1e-12
    assert y.max() <= field.values.max() + 1e-12


def test_no_data_spreads_as_far_as_a_cell_has_weight():
    values = np.arange(12.0).reshape(3, 4)
    values[1, 1] = np.nan
    field = GridField(values, Box((0, 0), (0.4, 0.3)))
    assert np.isnan(field(np.array([[0.16, 0.16], [0.06, 0.06], [0.24, 0.24]]))).all()
    assert np.isfinite(field(np.array([[0.3, 0.15], [0.0, 0.0], [0.15, 0.25]]))).all()
    X = np.stack(np.meshgrid(*field.centres), axis=-1).reshape(-1, 2)  # 0.15 and the like are not exact
    np.testing.assert_array_equal(np.isnan(field(X)), np.isnan(values.ravel()))
    nearest = GridField(values, field.extent, interpolation="nearest")
    np.testing.assert_array_equal(nearest(X), values.ravel())


def test_a_point_outside_is_named_with_the_extent():
    message = r"Point \(3\.1, 1\) is outside hill, which spans \(0, 0\) to \(3, 2\) \(1 of 2 points are\)\."
    with pytest.raises(ValueError, match=message):
        ramp(name="hill")(np.array([[1.0, 1.0], [3.1, 1.0]]))
    with pytest.raises(ValueError, match=r"Point \(nan, 1\) is outside the raster"):
        ramp()(np.array([[np.nan, 1.0]]))


def test_a_rounding_error_outside_is_forgiven():
    for interpolation in ("nearest", "bilinear"):
        y = ramp(interpolation=interpolation)(np.array([[3 + 1e-9, 2 + 1e-9], [-1e-9, -1e-9]]))
        np.testing.assert_array_equal(y, [6, 1])


def test_no_points_give_no_values():
    assert ramp()(np.empty((0, 2))).shape == (0,)


@pytest.mark.usefixtures("unchecked")
def test_points_of_another_dimension_are_refused():
    with pytest.raises(ValueError, match=r"points \(n, 2\); got \(3, 1\)"):
        ramp()(np.zeros((3, 1)))


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.empty((0, 4)), r"There is no cell in dem, its shape is \(0, 4\)"),
        (np.arange(4.0), r"two dimensions, rows and columns, but dem has the shape \(4,\)"),
        (np.arange(4.0)[None], r"at least 2 x 2 cells, but dem has 1 x 4"),
        (np.full((2, 2), np.nan), r"Not one cell of dem holds data"),
        (np.array([[0.0, 1.0], [-np.inf, 2.0]]), r"In dem, 1 cell is infinite, the first at row 1, column 0"),
        (np.full((2, 2), 3.0), r"In dem, every cell is 3\.0: nothing to map\."),
        (np.array([[3.0, np.nan], [3.0, 3.0]]), r"every cell is 3\.0"),
    ],
)
def test_what_cannot_be_mapped_is_refused(values, message):
    with pytest.raises(InvalidField, match=message):
        GridField(values, Box((0, 0), (1, 1)), name="dem")


@pytest.mark.usefixtures("unchecked")
def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="extent of two dimensions"):
        GridField(FLAT, Box((0,), (1,)))
    with pytest.raises(ValueError, match="nearest and bilinear; got 'cubic'"):
        ramp(interpolation="cubic")
    with pytest.raises(ValueError, match="not negative; got -1"):
        ramp(cell_margin=-1.0)
    with pytest.raises(ValueError, match="at least 1; got 0"):
        ramp().downsampled(0)
    with pytest.raises(ValueError, match="box of two dimensions"):
        ramp().cropped(Box((0,), (1,)))


def test_the_values_are_its_own():
    values = FLAT.copy()
    field = GridField(values, Box((0, 0), (3, 2)))
    values[:] = 0
    assert field.values.max() == 6
    with pytest.raises(ValueError, match="read-only"):
        field.values[0, 0] = 9


def test_cropping_keeps_the_cells_whose_centres_are_inside_and_their_places(rng):
    field = GridField(rng.normal(size=(20, 30)), Box((100, -50), (400, 150)), origin=(8.0, 47.0), units="m")
    part = field.cropped(Box((124, -24), (215, 45)))
    np.testing.assert_array_equal(part.values, field.values[3:10, 2:12])
    np.testing.assert_allclose((*part.extent.lower, *part.extent.upper), (120, -20, 220, 50))
    inner = Box((125, -15), (215, 45)).grid(9, 7)
    np.testing.assert_allclose(part(inner), field(inner), atol=1e-12)
    assert (part.origin, part.units) == ((8.0, 47.0), "m")


def test_cropping_with_a_margin_still_reads_the_same_cells(rng):
    field = numbered(360, 360, TILE, cell_margin=1e-4)
    part = field.cropped(Box((1, -5), (9, 7)))
    X = rng.uniform((1.1, -4.9), (8.9, 6.9), (200, 2))
    np.testing.assert_array_equal(part(X), field(X))


def test_cropping_everything_away_is_refused():
    with pytest.raises(
        InvalidField, match=r"No cell centre of hill.*\(0, 0\) to \(3, 2\).*crop \(10, 10\) to \(11, 11\)"
    ):
        ramp(name="hill").cropped(Box((10, 10), (11, 11)))
    with pytest.raises(InvalidField, match="2 x 2 cells"):
        ramp().cropped(Box((0, 0), (1, 1)))


def test_downsampling_averages_blocks_without_the_cells_that_have_no_data():
    values = np.arange(35.0).reshape(5, 7)
    values[0, 0] = np.nan
    values[2:4, 4:6] = np.nan
    field = GridField(values, Box((0, 0), (70, 50))).downsampled(2)
    expected = [[(1 + 7 + 8) / 3, 6, 8], [18, 20, np.nan]]
    np.testing.assert_allclose(field.values, expected)
    assert field.extent == Box((0, 0), (60, 40))  # the fifth row and the seventh column fill no block
    with pytest.raises(
        InvalidField, match="2 x 2 cells, but the raster has 1 x 1; take a larger area or downsample less"
    ):
        ramp().downsampled(2)


def test_placing_moves_the_values_and_unties_them_from_the_earth():
    field = ramp(crs="EPSG:4326", origin=(8.0, 47.0), name="hill").placed(Box((-1, -1), (1, 1)))
    assert field(np.array([[-0.9, -0.9], [0.9, 0.9]])).tolist() == [1, 6]
    assert (field.crs, field.origin, field.name) == (None, None, "hill")
