"""`akrig map` as a person calls it: one command, and one sentence for what is wrong."""

from functools import partial

import numpy as np
import pytest

from tests import forked
from tests.charts.lakes import QUICK_OPTIONS, lines, write_readings, write_soundings

pytest.importorskip("rasterio")
akrig = partial(forked.akrig, sketched=True)


def test_one_command_and_its_files(tmp_path):
    write_soundings(tmp_path / "lake.csv", *lines())
    options = [option for option in QUICK_OPTIONS if option != "--no-report"]
    result = akrig("map", "lake.csv", "--out", "lake", "--size", "30x20", *options, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "The map has 30 x 20 cells" in result.stdout
    assert "held back while it learnt" in result.stdout
    assert "The map for your GIS is lake/map.tif." in result.stdout
    assert "lake.csv: 270 soundings" in result.stderr
    assert "mapping: 1 of 1" in result.stderr
    assert {path.name for path in (tmp_path / "lake").iterdir()} >= {"map.tif", "map.png", "report.html"}
    again = akrig("map", "lake.csv", "--out", "lake", "--size", "30x20", *options, cwd=tmp_path)
    assert (again.returncode, again.stdout) == (0, result.stdout)
    assert "learning" not in again.stderr


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "its first line must name x, y, value"),
        ("latitude,longitude,depth\n", "has a header but no soundings"),
        ("latitude,longitude,depth\n47.3,8.5,4\n47.3,eight,4\n", "line 3: the longitude is 'eight', not a number"),
        ("latitude,longitude,depth\n" + "47.3,8.5,4.0\n" * 10_000, "has soundings at fewer than 3 places"),
        ("x,y,value\n1,2,nan\n", "line 2 is not a reading"),
        ("II*\0" + "rubbish" * 50, "check that the file is whole"),
    ],
)
def test_bad_files_are_one_sentence_and_leave_nothing(content, sentence, tmp_path):
    (tmp_path / "bad.csv").write_text(content)
    result = akrig("map", "bad.csv", "--out", "out", *QUICK_OPTIONS, cwd=tmp_path)
    assert result.returncode == 1
    assert sentence in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--size", "30"], "'30' is not columns x rows, such as 1000x1000"),
        (["--size", "30x20", "--resolution", "2"], "--resolution and --size exclude each other"),
        (["--workers", "2", "--slurm", "2"], "exclude each other"),
        (["--set", "strategy=random"], "strategy cannot be chosen"),
        (["--resolution", "0.0001"], "too many; take larger ones"),
        (["--kernel", "rfb"], "rbf"),
    ],
)
def test_bad_options_are_one_sentence_and_leave_nothing(options, sentence, tmp_path):
    write_soundings(tmp_path / "lake.csv", *lines())
    result = akrig("map", "lake.csv", "--out", "out", *options, cwd=tmp_path)
    assert result.returncode != 0
    assert sentence in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_straight_line_outliers_and_duplicates(tmp_path):
    """What a person's file may hold; the map is finite, and the outlier is said and not in it."""
    X, y = lines(1, 60)
    X = np.vstack([X, np.repeat(X[:1], 300, axis=0)])
    y = np.concatenate([y, np.full(300, y[0])])
    y[30] = 1e6
    write_readings(tmp_path / "line.csv", X, y)
    result = akrig("map", "line.csv", "--out", "out", "--size", "30x8", *QUICK_OPTIONS, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "left out: 1 unlike all around" in result.stderr
    import rasterio

    with rasterio.open(tmp_path / "out" / "map.tif") as file:
        assert file.crs is None
        bands = file.read()
    assert np.isfinite(bands).all()
    assert bands[0].max() < 100
