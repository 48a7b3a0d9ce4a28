"""Maps of soundings, made by this process and by others, whole and in pieces."""

import json

import numpy as np
import pytest

from akrig.charts import grids
from akrig.charts.folder import ChartFolder
from akrig.charts.making import ChartRequest, ChartWatcher, make_chart
from akrig.charts.results import Chart
from akrig.errors import ChartError
from akrig.workers.jobs import ThisProcess
from tests.charts.lakes import QUICK, QUICK_OPTIONS, depth, lines, write_readings, write_soundings
from tests.forked import Forked
from tests.study.missions import AKRIG, said, start, wait_until
from tests.study.test_cluster import begin_scheduler, begin_worker

rasterio = pytest.importorskip("rasterio")


@pytest.fixture
def log(tmp_path):
    return write_soundings(tmp_path / "lake.csv", *lines())


def made(log, out, *, workers=None, watcher=None, force=False, **request) -> Chart:
    given = ChartRequest(log, QUICK, report=False, **request)
    return make_chart(given, out, lambda num: workers or ThisProcess(), watcher=watcher, force=force)


def bands_of(out) -> np.ndarray:
    with rasterio.open(out / "map.tif") as file:
        return file.read()


def test_a_map_opens_where_it_lies_and_is_right(log, tmp_path):
    chart = made(log, tmp_path / "out", size=(40, 30))
    with rasterio.open(chart.files[0]) as file:
        assert (file.width, file.height, file.count) == (40, 30, 2)
        assert file.crs.to_epsg() == 32632
        assert file.descriptions == ("mean depth", "standard deviation")
        assert file.units == ("m", "m")
        import pyproj

        from tests.charts.lakes import FRAME

        rows, cols = np.mgrid[0:30, 0:40]
        x, y = rasterio.transform.xy(file.transform, rows.ravel(), cols.ravel())
        lonlat = pyproj.Transformer.from_crs(file.crs, 4326, always_xy=True).transform(x, y)
        truth = depth(FRAME.to_metres(np.column_stack(lonlat)))
        mean, std = file.read().reshape(2, -1)
    assert np.sqrt(np.mean((mean - truth) ** 2)) < 0.2  # a few metres beyond the lines as well
    assert np.mean(np.abs(mean - truth) < 3 * std) > 0.9
    assert "made of 270 soundings" in chart.sentences[0]
    assert "held back while it learnt" in chart.sentences[1]


def test_tiles_leave_no_trace(log, tmp_path, monkeypatch):
    """Whatever their size, cells are what the model says there, and the work in between is gone."""
    made(log, tmp_path / "whole", size=(50, 40))
    monkeypatch.setattr(grids, "TILE", 16)
    made(log, tmp_path / "tiled", size=(50, 40))
    assert np.allclose(bands_of(tmp_path / "whole"), bands_of(tmp_path / "tiled"), rtol=1e-6, atol=0)
    assert sorted(path.name for path in (tmp_path / "tiled").iterdir()) == [
        ".lock", "contours.geojson", "map.tif", "model.pt", "order.json", "summary.json",
    ]  # fmt: skip


class Mortal(ThisProcess):
    """Dies after so many tiles."""

    def __init__(self, tiles: int) -> None:
        self.left = tiles

    def results(self, jobs):
        for result in super().results(jobs):
            if not self.left:
                raise KeyboardInterrupt
            self.left -= 1
            yield result


def test_broken_off_anywhere_it_goes_on_to_the_same_map(log, tmp_path, monkeypatch):
    monkeypatch.setattr(grids, "TILE", 16)
    made(log, tmp_path / "whole", size=(50, 40))
    out, steps = tmp_path / "out", []
    for tiles in (0, 2, 3):
        with pytest.raises(KeyboardInterrupt):
            made(log, out, size=(50, 40), workers=Mortal(tiles))
    (ChartFolder(out).tile(grids.Tile(0, 0))).write_bytes(b"half of it")
    watcher = ChartWatcher(begin=lambda what, num: steps.append(what))
    made(log, out, size=(50, 40), watcher=watcher)
    assert steps == ["reading", "mapping", "writing"]  # nothing is learnt twice
    for name in ("map.tif", "contours.geojson", "summary.json"):
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    made(log, out, size=(50, 40), workers=Mortal(0))  # there is nothing left to do
    (out / "map.tif").write_bytes(b"")
    made(log, out, size=(50, 40), force=True)
    assert (out / "map.tif").read_bytes() == (tmp_path / "whole" / "map.tif").read_bytes()


def test_a_folder_of_something_else_is_left_alone(log, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "map.tif").write_text("four years")
    with pytest.raises(ChartError, match=r"out exists and was not made by akrig map; choose another --out, or give --"):
        made(log, out, size=(8, 8))
    assert (out / "map.tif").read_text() == "four years"
    made(log, out, size=(8, 8), force=True)
    with pytest.raises(
        ChartError, match=r"holds another map \(its cells differ\); choose another --out, or give --forc"
    ):
        made(log, out, size=(9, 8))
    made(log, out, size=(9, 8), force=True)
    assert bands_of(out).shape == (2, 8, 9)


def test_an_area_cuts_the_map(log, tmp_path):
    from tests.charts.lakes import FRAME

    ring = FRAME.to_degrees(np.array([[50.0, 50], [250, 50], [250, 150], [50, 150], [50, 50]])).tolist()
    area = tmp_path / "shore.geojson"
    area.write_text(json.dumps({"type": "Polygon", "coordinates": [ring]}))
    made(log, tmp_path / "out", area=area, cell=5.0)
    mean = bands_of(tmp_path / "out")[0]
    assert np.isfinite(mean).sum() == pytest.approx(200 * 100 / 25, rel=0.1)
    table = write_readings(tmp_path / "table.csv", *lines())
    with pytest.raises(ChartError, match=r"table.csv does not say where on Earth it is, so .*shore.geojson cannot be"):
        made(table, tmp_path / "other", area=area)
    assert not (tmp_path / "other").exists()


def test_a_raster_is_soundings_too(log, tmp_path):
    """A map is a GeoTIFF: what is made of its cells is the same map again."""
    made(log, tmp_path / "first", size=(30, 24))
    made(tmp_path / "first" / "map.tif", tmp_path / "second", size=(30, 24))
    first, second = (bands_of(tmp_path / name)[0] for name in ("first", "second"))
    assert np.sqrt(np.mean((first[3:-3, 3:-3] - second[3:-3, 3:-3]) ** 2)) < 0.3


def test_a_model_that_fails_says_so_in_a_sentence(log, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ChartFolder, "write_tile", full)
    with pytest.raises(OSError, match="No space left"):
        made(log, tmp_path / "out", size=(8, 8))
    monkeypatch.undo()
    made(log, tmp_path / "out", size=(8, 8))


def test_a_killed_worker_and_a_killed_client_change_no_digit(log, tmp_path, processes):
    pytest.importorskip("distributed")
    options = [str(log), *QUICK_OPTIONS, "--size", "400x400"]
    alone = start(AKRIG, "map", *options, "--out", "alone", "--workers", "1", cwd=tmp_path)
    processes.append(alone)
    assert alone.wait() == 0, said(tmp_path)
    address = begin_scheduler(tmp_path, processes)
    workers = [begin_worker(address, tmp_path, processes) for _ in range(2)]
    tiles = ChartFolder(tmp_path / "out").tiles

    def begin_map() -> Forked:
        processes.append(start(AKRIG, "map", *options, "--out", "out", "--dask", address, cwd=tmp_path))
        return processes[-1]

    client = begin_map()
    wait_until(lambda: len(list(tiles.glob("*.npy"))) >= 2 or client.poll() is not None, tmp_path)
    workers[0].kill()
    wait_until(lambda: len(list(tiles.glob("*.npy"))) >= 5 or client.poll() is not None, tmp_path)
    client.kill()
    client.wait()
    assert begin_map().wait() == 0, said(tmp_path)
    assert (tmp_path / "out" / "map.tif").read_bytes() == (tmp_path / "alone" / "map.tif").read_bytes()
    assert "Traceback" not in said(tmp_path)
