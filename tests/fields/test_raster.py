import sys
import threading
import warnings
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest
import rasterio
from affine import Affine
from PIL import Image
from pyproj import Geod, Transformer
from rasterio.crs import CRS

from akrig.fields import InvalidField, read_raster
from akrig.geometry import Box

GEOD = Geod(ellps="WGS84")


def write_tif(path, values, *, bounds=None, transform=None, crs=None, nodata=None, unit=None, scale=None):
    rows, cols = values.shape
    if bounds is not None:
        west, south, east, north = bounds
        transform = Affine((east - west) / cols, 0, west, 0, (south - north) / rows, north)
    kind = {"driver": "GTiff", "height": rows, "width": cols, "count": 1, "dtype": values.dtype}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
        with rasterio.open(path, "w", **kind, crs=crs, transform=transform, nodata=nodata) as data:
            data.write(values, 1)
            if unit:
                data.units = (unit,)
            if scale:
                data.scales, data.offsets = (scale[0],), (scale[1],)
    return path


def write_hgt(folder, heights, name="N17E073.hgt"):
    heights.astype(">i2").tofile(folder / name)
    return folder / name


@pytest.fixture
def heights(rng):
    """Row 0 is north, as in most files."""
    return rng.normal(100, 10, (6, 8)).astype(np.float32)


def assert_holds(field, heights):
    """A surveyor's check: the centre of each cell, read as a point."""
    X = np.stack(np.meshgrid(*field.centres), axis=-1).reshape(-1, 2)
    np.testing.assert_allclose(field(X).reshape(heights.shape), heights[::-1], rtol=1e-6)


# GeoTIFF


def test_a_geotiff_in_degrees_becomes_metres(tmp_path, heights):
    west, south, east, north = 8.0, 47.0, 8.04, 47.03
    field = read_raster(write_tif(tmp_path / "a.tif", heights, bounds=(west, south, east, north), crs="EPSG:4326"))
    assert_holds(field, heights)
    assert (field.crs, field.name, field.extent.lower) == ("EPSG:4326", "a", (0, 0))
    assert field.origin == pytest.approx((west, south))
    middle = (south + north) / 2
    width, height = field.extent.size
    assert width == pytest.approx(GEOD.inv(west, middle, east, middle)[2], rel=1e-6)
    assert height == pytest.approx(GEOD.inv(west, south, west, north)[2], rel=1e-6)
    # What the module's docstring promises of the edges.
    share = np.radians(north - south) / 2 * np.tan(np.radians(middle))
    assert width == pytest.approx(GEOD.inv(west, south, east, south)[2], rel=1.01 * share)


def test_a_geotiff_in_utm_keeps_its_metres(tmp_path, heights):
    west, south = 465000.0, 5205000.0
    path = write_tif(tmp_path / "a.tiff", heights, bounds=(west, south, west + 800, south + 300), crs="EPSG:32632")
    field = read_raster(path)
    assert_holds(field, heights)
    assert field.extent == Box((0, 0), (800, 300))
    assert field.crs == "EPSG:32632"
    assert field.origin is not None
    assert Transformer.from_crs(4326, 32632, always_xy=True).transform(*field.origin) == pytest.approx((west, south))
    there = Transformer.from_crs(32632, 4326, always_xy=True).transform(west + 800, south + 300)
    assert GEOD.inv(*field.origin, *there)[2] == pytest.approx(np.hypot(800, 300), rel=1e-3)


def test_a_coordinate_system_in_feet_becomes_metres(tmp_path, heights):
    path = write_tif(tmp_path / "a.tif", heights, bounds=(1e6, 2e5, 1e6 + 800, 2e5 + 600), crs="EPSG:2263", unit="ft")
    field = read_raster(path)
    assert field.extent.size == pytest.approx((800 * 0.3048, 600 * 0.3048), rel=1e-5)
    assert field.units == "ft"  # heights are passed on as they are
    assert read_raster(path, units="US survey foot").units == "US survey foot"


def test_longitudes_up_to_360_are_brought_home(tmp_path, heights):
    field = read_raster(write_tif(tmp_path / "a.tif", heights, bounds=(234, 48, 234.1, 48.1), crs="EPSG:4326"))
    assert field.origin == pytest.approx((-126, 48))


@pytest.mark.parametrize(("a", "e"), [(10, -10), (10, 10), (-10, -10), (-10, 10)])
def test_files_may_begin_at_any_corner(tmp_path, heights, a, e):
    transform = Affine(a, 0, 5000 if a > 0 else 5080, 0, e, 7000 if e > 0 else 7060)
    stored = heights[:: 1 if e < 0 else -1, :: 1 if a > 0 else -1]
    path = write_tif(tmp_path / "a.tif", np.ascontiguousarray(stored), transform=transform, crs="EPSG:32632")
    assert_holds(read_raster(path), heights)
    whole, crop = read_raster(path), Box((20, 10), (60, 40))
    np.testing.assert_array_equal(read_raster(path, crop=crop).values, whole.cropped(crop).values)


def test_nodata_scale_and_unit_of_a_geotiff_are_used(tmp_path):
    stored = np.array([[10, 20, -9999], [30, 40, 50]], dtype=np.int16)
    bounds = (0, 0, 3, 2)
    path = write_tif(
        tmp_path / "a.tif", stored, bounds=bounds, crs="EPSG:32632", nodata=-9999, unit="m", scale=(0.1, 5)
    )
    field = read_raster(path)
    np.testing.assert_allclose(field.values, [[8, 9, 10], [6, 7, np.nan]])
    assert field.units == "m"


def test_a_geotiff_without_georeference_has_a_metre_per_cell(tmp_path, heights):
    path = write_tif(tmp_path / "a.tif", heights)
    field = read_raster(path)
    assert_holds(field, heights)
    assert (field.extent, field.crs, field.origin) == (Box((0, 0), (8, 6)), None, None)
    with pytest.raises(InvalidField, match=r"a\.tif has no coordinate reference system; save it"):
        read_raster(path, needs_crs=True)


def test_cropping_comes_before_downsampling_and_keeps_places(tmp_path, rng):
    heights = rng.normal(size=(40, 60))
    path = write_tif(tmp_path / "a.tif", heights, bounds=(5e5, 5e6, 5e5 + 600, 5e6 + 400), crs="EPSG:32632")
    field = read_raster(path, crop=Box((100, 50), (300, 210)), downsample=4)
    whole = heights[::-1]
    np.testing.assert_allclose(field.values, whole[5:21, 10:30].reshape(4, 4, 5, 4).mean(axis=(1, 3)))
    assert field.extent == Box((100, 50), (300, 210))
    assert field.origin == read_raster(path).origin
    with pytest.raises(InvalidField, match=r"No cell centre of a\.tif.*\(0, 0\) to \(600, 400\).*crop"):
        read_raster(path, crop=Box((900, 900), (950, 950)))


def test_an_extent_replaces_the_georeference(tmp_path, heights):
    path = write_tif(tmp_path / "a.tif", heights, bounds=(8, 47, 9, 48), crs="EPSG:4326")
    field = read_raster(path, extent=Box((-1, -1), (1, 1)), crop=Box((-1, -1), (0, 0)))
    assert field.extent == Box((-1, -1), (0, 0))
    assert (field.shape, field.crs, field.origin) == ((3, 4), None, None)


@pytest.mark.parametrize(
    ("transform", "crs", "message"),
    [
        (Affine(9.4, 3.4, 5e5, 3.4, -9.4, 5e6), "EPSG:32632", "rotated.*gdalwarp"),
        (Affine(1, 0, 500000, 0, -1, 5000000), "EPSG:4326", "not on the earth; check its georeference"),
    ],
)
def test_an_impossible_georeference_is_refused(tmp_path, heights, transform, crs, message):
    path = write_tif(tmp_path / "a.tif", heights, transform=transform, crs=crs)
    with pytest.raises(InvalidField, match=message):
        read_raster(path)


def test_a_rasters_other_end_of_the_world_is_refused(tmp_path, heights):
    path = write_tif(tmp_path / "a.tif", heights, bounds=(1e12, 1e12, 2e12, 2e12), crs="EPSG:32632")
    with pytest.raises(InvalidField, match=r"corner \(1e\+12, 1e\+12\) of a\.tif is nowhere in EPSG:32632"):
        read_raster(path)


# SRTM


@pytest.mark.parametrize("size", [1201, 3601])
def test_an_srtm_tile_agrees_with_gdals_reader(tmp_path, rng, size):
    heights = rng.integers(0, 2000, (size, size))
    heights[5, 7] = -32768
    path = write_hgt(tmp_path, heights)
    field = read_raster(path, interpolation="nearest")
    with rasterio.open(path) as data:
        band, bounds = data.read(1, masked=True), data.bounds
    np.testing.assert_array_equal(field.values, band.astype(float).filled(np.nan)[::-1])
    assert field.origin == pytest.approx((bounds.left, bounds.bottom), abs=1e-9)
    assert (field.units, field.crs) == ("m", "EPSG:4326")
    assert field.extent.size[0] == pytest.approx(GEOD.inv(bounds.left, 17.5, bounds.right, 17.5)[2], rel=1e-5)
    assert field.extent.size[1] == pytest.approx(GEOD.inv(73, bounds.bottom, 73, bounds.top)[2], rel=1e-6)


def test_srtm_names_count_south_and_west_down(tmp_path, rng):
    field = read_raster(write_hgt(tmp_path, rng.integers(0, 9, (1201, 1201)), "s34w071.HGT"))
    assert field.origin == pytest.approx((-71, -34), abs=1e-3)


def test_an_srtm_tile_of_another_name_or_size_is_refused(tmp_path, rng):
    heights = rng.integers(0, 9, (1201, 1201))
    with pytest.raises(InvalidField, match=r"hill\.hgt is not named after its south-west corner, as in N17E073\.hgt"):
        read_raster(write_hgt(tmp_path, heights, "hill.hgt"))
    with pytest.raises(InvalidField, match=r"N17E073\.hgt has 2882400 bytes.*2 \* 1201 \* 1201"):
        read_raster(write_hgt(tmp_path, heights[:-1].ravel()[: 1200 * 1201]))


# ESRI ASCII


HEADER = "ncols 3\nnrows 2\nxllcorner 100\nyllcorner 200\ncellsize 10\nNODATA_value -1\n"


def write_asc(folder, text, name="a.asc"):
    (folder / name).write_text(text)
    return folder / name


def test_an_ascii_grid_agrees_with_gdals_reader(tmp_path):
    path = write_asc(tmp_path, HEADER + "1 2 3\n4 -1 6\n")
    field = read_raster(path)
    with rasterio.open(path) as data:
        np.testing.assert_array_equal(field.values, data.read(1, masked=True).astype(float).filled(np.nan)[::-1])
        assert field.extent.size == (data.bounds.right - data.bounds.left, data.bounds.top - data.bounds.bottom)
    assert field.extent == Box((0, 0), (30, 20))
    assert field.crs is None
    with pytest.raises(InvalidField, match="no coordinate reference system"):
        read_raster(path, needs_crs=True)


def test_an_ascii_grid_takes_its_coordinate_system_from_the_prj_beside_it(tmp_path):
    text = HEADER.replace("llcorner", "llcenter").replace("xllcenter 100", "xllcenter 500005").replace("200", "5000005")
    (tmp_path / "a.prj").write_text(CRS.from_epsg(32632).to_wkt(version="WKT1_ESRI"))
    field = read_raster(write_asc(tmp_path, text + "1 2 3 4 5 6"), needs_crs=True)
    assert field.origin == pytest.approx(Transformer.from_crs(32632, 4326, always_xy=True).transform(5e5, 5e6))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER + "1 2 3\n4 5", r"a\.asc promises 2 x 3 cells of size 10 but holds 5 values; it may be cut"),
        (HEADER.replace("cellsize 10\n", "") + "1 2 3 4 5 6", r"header lacks cellsize"),
        (HEADER.replace("xllcorner", "xll") + "1 2 3 4 5 6", r"header lacks xllcorner or xllcenter"),
        (HEADER.replace("cellsize 10", "cellsize 0") + "1 2 3 4 5 6", r"cells of size 0"),
        (HEADER + "1 2 3 4 5 x", r"a\.asc cannot be read \(could not convert string to float: .*; check"),
        (HEADER.replace("nrows 2", "nrows inf") + "1", r"cannot be read \(cannot convert float infinity"),
        ("", r"header lacks ncols"),
        (HEADER + "-1 -1 -1 -1 -1 -1", r"Not one cell of a\.asc holds data"),
    ],
)
def test_a_broken_ascii_grid_is_refused(tmp_path, text, message):
    with pytest.raises(InvalidField, match=message):
        read_raster(write_asc(tmp_path, text))


def test_a_broken_prj_is_refused(tmp_path):
    (tmp_path / "a.prj").write_text("moon")
    with pytest.raises(InvalidField, match=r"a\.asc has a coordinate reference system that PROJ cannot use"):
        read_raster(write_asc(tmp_path, HEADER + "1 2 3 4 5 6"))


# Arrays and images


def test_an_array_begins_in_the_south_with_a_metre_per_cell(tmp_path, heights):
    np.save(tmp_path / "a.npy", heights)
    field = read_raster(tmp_path / "a.npy", interpolation="nearest")
    assert_holds(field, heights[::-1])
    assert (field.extent, field.crs, field.name) == (Box((0, 0), (8, 6)), None, "a")
    assert read_raster(str(tmp_path / "a.npy"), extent=Box((-1, -1), (1, 1))).extent == Box((-1, -1), (1, 1))


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".jpeg"])
def test_an_image_gives_grey_levels_from_its_last_row_up(tmp_path, suffix):
    pixels = np.repeat(np.linspace(0, 250, 16).astype(np.uint8)[:, None], 16, axis=1)  # dark in the north
    Image.fromarray(np.stack([pixels] * 3, axis=-1)).save(tmp_path / f"a{suffix}")
    field = read_raster(tmp_path / f"a{suffix}")
    np.testing.assert_allclose(field.values, pixels[::-1], atol=3)
    assert (field.quantity, field.extent) == ("grey level", Box((0, 0), (16, 16)))


def test_an_image_of_sixteen_bits_keeps_its_numbers(tmp_path):
    pixels = np.arange(0, 60000, 1000, dtype=np.uint16).reshape(6, 10)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    np.testing.assert_array_equal(read_raster(tmp_path / "a.png").values, pixels[::-1])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.arange(5.0), r"a\.npy has the shape \(5,\)"),
        (np.empty((0, 3)), r"no cell in a\.npy"),
        (np.ones((3, 3)), r"In a\.npy, every cell is 1\.0: nothing to map"),
        (np.full((3, 3), np.nan), r"Not one cell of a\.npy holds data"),
        (np.array([[1, 2], [np.inf, 3]]), r"In a\.npy, 1 cell is infinite"),
        (np.array([["a", "b"], ["c", "d"]]), r"holds <U1 values; akrig maps real numbers"),
        (np.array([[1j, 2], [3, 4]]), r"holds complex128 values"),
        (np.array([[{}, {}], [{}, {}]]), r"a\.npy cannot be read \(Object arrays cannot be loaded"),
    ],
)
def test_an_array_that_is_no_map_is_refused(tmp_path, values, message):
    np.save(tmp_path / "a.npy", values, allow_pickle=True)
    with pytest.raises(InvalidField, match=message):
        read_raster(tmp_path / "a.npy")


# All formats


@pytest.mark.parametrize("suffix", [".tif", ".tiff", ".npy", ".png", ".jpg", ".jpeg"])
@pytest.mark.parametrize("content", [b"", b"this is not a raster", b"\x93NUMPY\x01\x00v", b"\x89PNG\r\n\x1a\n1234"])
def test_a_corrupt_file_is_refused_in_one_sentence(tmp_path, suffix, content):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(content)
    with pytest.raises(InvalidField, match=r"cannot be read \(.+\); check that the file is whole\.$") as caught:
        read_raster(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suffix", [".tif", ".npy", ".png", ".jpg"])
def test_a_file_cut_in_the_middle_is_refused(tmp_path, rng, suffix):
    path = tmp_path / f"a{suffix}"
    pixels = rng.integers(0, 255, (64, 64)).astype(np.uint8)
    if suffix == ".tif":
        write_tif(path, pixels, bounds=(0, 0, 64, 64), crs="EPSG:32632")
    elif suffix == ".npy":
        np.save(path, pixels)
    else:
        Image.fromarray(pixels).save(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(InvalidField, match="cannot be read"):
        read_raster(path)


def test_unknown_suffixes_and_missing_files_are_named(tmp_path):
    with pytest.raises(InvalidField, match=r"map\.pdf has no suffix of a raster; akrig reads \.tif, \.tiff, \.hgt"):
        read_raster(tmp_path / "map.pdf")
    with pytest.raises(FileNotFoundError, match=r"There is no file .*map\.tif"):
        read_raster(tmp_path / "map.tif")


def test_without_rasterio_a_geotiff_says_what_to_install(tmp_path, heights, monkeypatch):
    path = write_tif(tmp_path / "a.tif", heights)
    monkeypatch.setitem(sys.modules, "rasterio", None)
    with pytest.raises(InvalidField, match="needs rasterio, which is not installed; run: pip install rasterio"):
        read_raster(path)


# What it only calls itself


@pytest.fixture
def listener():
    """A server that nobody should ask, and who did."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        do_HEAD = do_GET  # noqa: N815 - the name that the library calls

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()


VRT = """<VRTDataset rasterXSize="9" rasterYSize="9"><VRTRasterBand dataType="Float32" band="1"><SimpleSource>
<SourceFilename relativeToVRT="0">/vsicurl/{url}/x.tif</SourceFilename><SourceBand>1</SourceBand>
</SimpleSource></VRTRasterBand></VRTDataset>"""
WMS = """<GDAL_WMS><Service name="TMS"><ServerUrl>{url}/${{z}}</ServerUrl></Service><DataWindow>
<UpperLeftX>0</UpperLeftX><UpperLeftY>1</UpperLeftY><LowerRightX>1</LowerRightX><LowerRightY>0</LowerRightY>
<TileLevel>1</TileLevel><TileCountX>1</TileCountX><TileCountY>1</TileCountY></DataWindow><BandsCount>1</BandsCount></GDAL_WMS>"""


@pytest.mark.parametrize("content", [VRT, WMS])
def test_a_tif_that_is_none_asks_nobody(content, tmp_path, listener):
    url, asked = listener
    (tmp_path / "a.tif").write_text(content.format(url=url))
    with pytest.raises(InvalidField, match="cannot be read"):
        read_raster(tmp_path / "a.tif")
    assert asked == []


@pytest.mark.parametrize("format", ["GIF", "BMP", "EPS", "TIFF"])
def test_an_image_that_is_no_png_or_jpeg_is_not_opened(format, tmp_path):
    Image.new("L", (9, 9)).save(tmp_path / "a.gif", format)
    (tmp_path / "a.gif").rename(tmp_path / "a.png")
    with pytest.raises(InvalidField, match="cannot be read"):
        read_raster(tmp_path / "a.png")
