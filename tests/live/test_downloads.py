"""Files to take home: what they hold, and that asking for them changes nothing and opens nothing else."""

import csv
import http.client
import io
import json
import os
import shutil
import tempfile
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
import rasterio
import rasterio.warp
from rasterio.io import MemoryFile

from akrig.config import read_settings
from akrig.frame import LocalFrame
from akrig.journal.folder import RunFolder
from akrig.live import exports
from akrig.s44 import best_orders
from akrig.survey.exports.contours import sensible_interval
from akrig.survey.settings import area_of
from tests.live.models import load_model
from tests.live.ponds import BEGIN, listing, pond_survey

NAMES = (
    "map.tif", "contours.geojson", "track.geojson", "soundings.csv", "survey.gpkg", "survey.kmz", "map.bag",
    "report.html",
)  # fmt: skip


@pytest.fixture(scope="module")
def pond(tmp_path_factory):
    return pond_survey(tmp_path_factory.mktemp("midway"))


@pytest.fixture(scope="module")
def over(tmp_path_factory):
    run = pond_survey(tmp_path_factory.mktemp("over"), ended=True)
    (run / "results").mkdir()
    for name in ("map.tif", "track.geojson"):
        (run / "results" / name).write_bytes(f"the survey's own {name}".encode())
    return run


def get(served, path: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=200)
    connection.request("GET", path, headers={"Host": f"127.0.0.1:{served.port}"})
    answer = connection.getresponse()
    result = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    connection.close()
    return result


def test_the_map_is_what_the_model_says(pond):
    folder = RunFolder.open(pond)
    data = exports.export("geotiff", pond, folder.checkpoint(0))
    survey = read_settings(folder.config).survey
    assert survey is not None
    frame, model = area_of(survey).frame, load_model(pond)
    with MemoryFile(data) as memory, memory.open() as file:
        mean, std, order = file.read()
        row, col = (int(indices[len(indices) // 2]) for indices in np.nonzero(np.isfinite(mean)))
        x, y = file.xy(row, col)
        lonlat = np.column_stack(rasterio.warp.transform(file.crs, "EPSG:4326", [x], [y]))
    expected = model.latent(frame.to_metres(lonlat))
    assert mean[row, col] == pytest.approx(expected.mean[0], abs=1e-4)
    assert std[row, col] == pytest.approx(expected.std[0], abs=1e-4)
    sounding = model.predict(frame.to_metres(lonlat))
    assert order[row, col] == pytest.approx(best_orders(sounding.mean, sounding.std)[0], nan_ok=True)


def test_contours_track_and_soundings_are_the_surveys(pond):
    folder = RunFolder.open(pond)
    lines = json.loads(exports.export("contours", pond, folder.checkpoint(0)))["features"]
    levels = sorted({line["properties"]["depth_m"] for line in lines})
    assert len(levels) > 3
    with MemoryFile(exports.export("geotiff", pond, folder.checkpoint(0))) as memory, memory.open() as file:
        mean = file.read(1)
    expected = sensible_interval(float(np.nanmin(mean)), float(np.nanmax(mean)))
    assert np.diff(levels).min() == pytest.approx(expected)
    track = json.loads(exports.export("track", pond, None))["features"]
    assert sum(len(feature["geometry"]["coordinates"]) for feature in track) == 80
    rows = list(csv.DictReader(io.StringIO(exports.export("soundings", pond, None).decode())))
    assert [row["status"] for row in rows].count("used") == 80
    assert [row["reason"] for row in rows if row["status"] == "rejected"] == ["a jump of 6 m"] * 4
    survey = read_settings(folder.config).survey
    assert survey is not None
    frame: LocalFrame = area_of(survey).frame
    first = json.loads(folder.telemetry.read_text().splitlines()[0])
    there = frame.to_degrees(np.array([[first["x"], first["y"]]]))[0]
    assert float(rows[0]["longitude"]) == pytest.approx(there[0], abs=1e-7)
    assert datetime.fromisoformat(rows[0]["time"]).timestamp() == BEGIN


def test_a_line_of_telemetry_that_is_odd_is_passed_over(pond, tmp_path):
    shutil.copytree(pond, tmp_path / "pond")
    odd = tmp_path / "pond" / "telemetry.jsonl"
    lines = ["[]", '{"time": 1}', '{"time": 1, "unix": "x", "x": 0, "y": 0}', "\x00", '{"time": NaN}', ""]
    good = '{"time": 1, "unix": 1750000000, "x": 0, "y": 0}'
    odd.write_text("\n".join([*lines, good, good.replace("0}", "1}")]) + "\n")
    track = json.loads(exports.export("track", tmp_path / "pond", None))["features"]
    assert [len(feature["geometry"]["coordinates"]) for feature in track] == [2]


def test_asking_leaves_the_folder_as_it_was(pond, serve):
    before = listing(pond)
    served = serve(pond, "--host", "0.0.0.0")  # a viewer without the key
    assert [file["name"] for file in json.loads(get(served, "/extras")[2])["downloads"]] == list(NAMES)
    for name in NAMES:
        status, headers, data = get(served, f"/download/{name}")
        assert status == 200, data
        assert headers["content-disposition"] == f'attachment; filename="pond-{name}"'
        assert int(headers["content-length"]) == len(data) > 100
        assert headers["x-content-type-options"] == "nosniff"
    assert listing(pond) == before
    assert not list(Path(tempfile.gettempdir()).glob("akrig-*/report.html"))
    assert str(pond.parent) not in get(served, "/download/report.html")[2].decode()  # nobody's business


def test_no_other_file_can_be_named(pond, serve):
    served = serve(pond)
    for name in ("config.toml", "..%2fconfig.toml", "%2fetc%2fpasswd", "map.tif%00", "MAP.TIF", "recording.mcap", ""):
        status, _, data = get(served, f"/download/{name}")
        assert status == 404
        assert b"[kernel]" not in data


def test_a_finished_survey_gives_its_own_files_but_no_link_out(over, serve, tmp_path):
    served = serve(over)
    assert get(served, "/download/map.tif")[2] == b"the survey's own map.tif"
    track = over / "results" / "track.geojson"
    secret = tmp_path / "secret"
    secret.write_text("nobody's business")
    track.unlink()
    track.symlink_to(secret)
    status, _, data = get(served, "/download/track.geojson")
    assert b"nobody's business" not in data
    assert status == 503  # and not the track made anew: a folder with such a link is not read


def test_code_that_a_folder_names_is_not_imported(tmp_path, serve, monkeypatch):
    run = pond_survey(tmp_path)
    config = run / "config.toml"
    config.write_text(config.read_text().replace('name = "attentive"', 'name = "evil:Kernel"', 1))
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.chdir(tmp_path)
    served = serve(run)
    status, _, data = get(served, "/download/map.tif")
    assert status == 503
    assert "written at the end" in json.loads(data)["sentence"]
    for name in ("soundings.csv", "report.html"):
        get(served, f"/download/{name}")
    assert not (tmp_path / "ran").exists()
