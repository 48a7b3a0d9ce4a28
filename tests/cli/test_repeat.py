"""What a report names under "To repeat it" is typed, and repeats the mission."""

import html
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import rasterio

from akrig.journal.record import read_record
from akrig.survey.examples import example_mission
from akrig.survey.folders import create_survey
from akrig.survey.settings import load_survey
from tests.forked import akrig

QUICK = ["--kernel", "rbf", "--strategy", "random", "--budget", "60"]
SMALL = ["--set", "scoring.grid=[10, 10]", "--set", "scoring.map_grid=[10, 10]", "--set", "scoring.snapshots=0"]


def repeated(folder: Path) -> Path:
    """Where the command on the page of `run` led."""
    text = (folder / "run" / "report.html").read_text()
    found = re.search(r"To repeat it</h2>.*?<pre[^>]*><code>(akrig .*?)</code>", text, re.S)
    assert found is not None
    program, *arguments = shlex.split(html.unescape(found.group(1)))
    assert program == "akrig"
    result = akrig(*arguments, "--no-report", cwd=folder)
    assert result.returncode == 0, result.stderr
    return folder / "again"


def assert_alike(first: Path, second: Path) -> None:
    one, two = read_record(first), read_record(second)
    np.testing.assert_array_equal(one.samples.X, two.samples.X)
    np.testing.assert_array_equal(one.samples.y, two.samples.y)
    np.testing.assert_array_equal(one.scores["uncertainty"], two.scores["uncertainty"])
    assert one.map is not None
    assert two.map is not None
    np.testing.assert_array_equal(one.map["mean"], two.map["mean"])


@pytest.mark.parametrize("field", ["halves", "hill.tif"])
def test_a_run(field, tmp_path):
    about = {"driver": "GTiff", "width": 30, "height": 20, "count": 1, "dtype": "float32", "crs": "EPSG:25832"}
    with rasterio.open(tmp_path / "hill.tif", "w", transform=rasterio.Affine(25, 0, 5e5, 0, -25, 5e6), **about) as file:
        file.write(np.add.outer(np.arange(20.0), np.sin(np.arange(30.0))).astype(np.float32), 1)
    result = akrig("run", "--field", field, *QUICK, *SMALL, "--out", "run", cwd=tmp_path, sketched=True)
    assert result.returncode == 0, result.stderr
    if field == "hill.tif":
        assert "The map for your GIS is run/map.tif." in result.stdout
    assert_alike(tmp_path / "run", repeated(tmp_path))


def test_a_replay(tmp_path):
    rows = [f"{47.5 + 1e-4 * i},{9.3 + 1e-4 * j},{3 + (i - j) ** 2 / 9}" for i in range(6) for j in range(6)]
    (tmp_path / "bay.csv").write_text("\n".join(["latitude,longitude,depth", *rows]) + "\n")
    result = akrig("replay", "bay.csv", "--kernel", "rbf", *SMALL, "--out", "run", cwd=tmp_path, sketched=True)
    assert result.returncode == 0, result.stderr
    assert_alike(tmp_path / "run", repeated(tmp_path))


def test_a_survey_is_read_from_its_folder_as_from_its_file(tmp_path):
    file = example_mission("lake")
    first = load_survey(file, {"seed": 3, "budget": {"distance": 1500}}, simulate=True)
    folder = create_survey(first, tmp_path / "run")
    assert load_survey(folder.config, simulate=True) == first


def test_a_surveys_settings_are_not_for_run_and_it_says_which_command_they_are_for(tmp_path):
    create_survey(load_survey(example_mission("lake"), simulate=True), tmp_path / "run")
    result = akrig("run", "run/config.toml", "--out", "again", cwd=tmp_path)
    assert result.returncode == 2
    assert "akrig survey run/config.toml" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "again").exists()
