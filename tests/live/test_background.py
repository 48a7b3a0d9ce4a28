"""A chart under the maps: where it lies, what it looks like, and what is refused."""

import io
import warnings

import numpy as np
import pytest
import rasterio
import rasterio.warp
from click.testing import CliRunner
from PIL import Image

from akrig.cli.main import main
from akrig.errors import PageError
from akrig.frame import LocalFrame
from akrig.geometry import Box
from akrig.live.background import LONGEST_SIDE, read_background
from tests.live.ponds import pond_survey

ORIGIN = (8.5, 47.3)
PLACE = Box((-50, -40), (50, 40))


def chart(path, values: np.ndarray, *, crs="EPSG:32632", half=400.0, origin=ORIGIN, palette=None, nodata=None):
    """North of the origin is row 0; as large as from -half to half metres."""
    x, y = rasterio.warp.transform("EPSG:4326", crs, [origin[0]], [origin[1]])
    bands, rows, cols = values.shape
    grid = rasterio.Affine(2 * half / cols, 0, x[0] - half, 0, -2 * half / rows, y[0] + half)
    about = {"driver": "GTiff", "width": cols, "height": rows, "count": bands, "dtype": values.dtype, "nodata": nodata}
    with rasterio.open(path, "w", crs=crs, transform=grid, **about) as file:
        file.write(values)
        if palette:
            file.write_colormap(1, palette)
    return path


def pixels(background) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(background.png)).convert("RGBA"))


def at(background, x: float, y: float) -> list[int]:
    shown = pixels(background)
    (west, south), (width, height) = background.extent.lower, background.extent.size
    row = int((1 - (y - south) / height) * shown.shape[0])
    return shown[row, int((x - west) / width * shown.shape[1])].tolist()


def quarters() -> np.ndarray:
    """Red in the north-west, green in the north-east, blue in the south-west, black in the south-east."""
    values = np.zeros((3, 200, 200), np.uint8)
    values[0, :100, :100] = values[1, :100, 100:] = values[2, 100:, :100] = 255
    return values


def test_colours_lie_where_they_are_on_the_earth(tmp_path):
    background = read_background(chart(tmp_path / "chart.tif", quarters()), PLACE, ORIGIN)
    assert at(background, -20, 20) == [255, 0, 0, 255]
    assert at(background, 20, 20) == [0, 255, 0, 255]
    assert at(background, -20, -20) == [0, 0, 255, 255]
    assert at(background, 20, -20) == [0, 0, 0, 255]
    assert max(pixels(background).shape) == LONGEST_SIDE
    assert all(a < b for a, b in zip(background.extent.lower, PLACE.lower, strict=True))
    assert all(a > b for a, b in zip(background.extent.upper, PLACE.upper, strict=True))


def test_a_corner_is_where_the_frame_says(tmp_path):
    """Held against the frame itself."""
    frame = LocalFrame(*ORIGIN)
    there = frame.to_degrees(np.array([[30.0, -20.0]]))[0]
    spot = chart(tmp_path / "spot.tif", np.full((3, 8, 8), 200, np.uint8), half=5.0, origin=tuple(there.tolist()))
    background = read_background(spot, PLACE, ORIGIN)
    shown = np.argwhere(pixels(background)[..., 3] > 128).mean(axis=0)
    (west, south), (width, height) = background.extent.lower, background.extent.size
    rows, cols = pixels(background).shape[:2]
    middle = west + (shown[1] + 0.5) / cols * width, south + height - (shown[0] + 0.5) / rows * height
    assert middle == pytest.approx((30, -20), abs=0.3)


def test_palettes_and_numbers_have_colours_too(tmp_path):
    palette = {0: (10, 20, 30, 255), 1: (200, 100, 50, 255)}
    values = np.zeros((1, 50, 50), np.uint8)
    values[0, :, 25:] = 1
    background = read_background(chart(tmp_path / "p.tif", values, palette=palette), PLACE, ORIGIN)
    assert (at(background, -20, 0)[:3], at(background, 20, 0)[:3]) == ([10, 20, 30], [200, 100, 50])
    slope = np.broadcast_to(np.linspace(-5, 90, 50, dtype=np.float32), (1, 50, 50)).copy()
    slope[0, :10] = -9999
    grey = read_background(chart(tmp_path / "g.tif", slope, nodata=-9999, half=60.0), PLACE, ORIGIN)
    assert at(grey, -40, 0)[0] < at(grey, 0, 0)[0] < at(grey, 40, 0)[0]
    assert at(grey, 0, 50)[3] == 0  # nothing is known there


def test_a_vrt_that_calls_itself_a_tiff_is_refused(tmp_path):
    inner = chart(tmp_path / "inner.tif", quarters())
    false = tmp_path / "false.tif"
    false.write_text(
        '<VRTDataset rasterXSize="200" rasterYSize="200"><VRTRasterBand dataType="Byte" band="1"><SimpleSource>'
        f"<SourceFilename>{inner}</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>"
    )
    with pytest.raises(PageError, match="cannot be read"):
        read_background(false, PLACE, ORIGIN)


@pytest.mark.parametrize("content", [b"", b"II*\x00", b"\x00" * 1000])
def test_broken_files_are_one_sentence(tmp_path, content):
    (tmp_path / "broken.tif").write_bytes(content)
    with pytest.raises(PageError, match="a whole GeoTIFF"):
        read_background(tmp_path / "broken.tif", PLACE, ORIGIN)


def test_a_chart_of_elsewhere_is_refused(tmp_path):
    with pytest.raises(PageError, match="shows nothing"):
        read_background(chart(tmp_path / "far.tif", quarters(), origin=(9.5, 47.3)), PLACE, ORIGIN)
    with pytest.raises(PageError, match="not tied to the earth"):
        read_background(tmp_path / "far.tif", PLACE, None)
    bare = {"driver": "GTiff", "width": 4, "height": 4, "count": 1, "dtype": "uint8"}
    with warnings.catch_warnings(action="ignore"), rasterio.open(tmp_path / "bare.tif", "w", **bare) as file:
        file.write(np.ones((1, 4, 4), np.uint8))
    with pytest.raises(PageError, match="does not say where it lies"):
        read_background(tmp_path / "bare.tif", PLACE, ORIGIN)


def test_the_command_says_what_is_wrong(tmp_path):
    run = pond_survey(tmp_path)
    result = CliRunner().invoke(main, ["view", str(run), "--no-browser", "--background", str(tmp_path / "none.tif")])
    assert result.exit_code != 0
    assert "There is no file" in result.output
    assert "Traceback" not in result.output
