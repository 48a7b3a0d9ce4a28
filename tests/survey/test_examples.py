"""Missions that come with akrig, also where akrig is installed and the repository is not."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from akrig.errors import ConfigError
from akrig.survey.examples import example_mission
from akrig.survey.settings import load_survey
from tests.forked import akrig

ROOT = Path(__file__).parents[2]


def test_the_lake_is_a_mission():
    settings = load_survey(example_mission("lake"), simulate=True)
    assert settings.survey is not None
    assert settings.survey.area.fence


def test_another_name_is_a_sentence_that_names_the_nearest():
    with pytest.raises(ConfigError, match="lake"):
        example_mission("lke")


@pytest.fixture
def installed(tmp_path) -> Path:
    """The package as the wheel lays it out, far from the repository."""
    site = tmp_path / "site"
    shutil.copytree(ROOT / "src" / "akrig", site / "akrig", ignore=shutil.ignore_patterns("__pycache__"))
    hatch = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    for source, place in hatch["wheel"]["force-include"].items():
        target = site / place
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / source).is_dir() else shutil.copy)(ROOT / source, target)
    return site


def test_the_example_is_there_in_an_empty_folder_without_the_repository(installed, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    code = (
        "from akrig.survey.examples import example_mission as find; from akrig.survey.settings import load_survey; "
        "print(find('lake'), len(load_survey(find('lake'), simulate=True).survey.area.fence))"
    )
    env = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run([sys.executable, "-P", "-c", code], cwd=empty, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    path, corners = done.stdout.split()
    assert Path(path).is_relative_to(installed)
    assert int(corners) > 3


def test_a_file_or_an_example_and_not_both(tmp_path):
    for arguments in (["survey"], ["survey", str(ROOT / "examples" / "lake.toml"), "--example", "lake"]):
        result = akrig(*arguments, cwd=tmp_path)
        assert result.returncode == 2
        assert "akrig survey --example lake --simulate" in result.stderr


def test_the_command_finds_it_in_an_empty_folder(tmp_path):
    """A budget that is too small ends it before the boat is called, and says that the example was read."""
    small = ["--set", "budget.distance=10"]
    result = akrig("survey", "--example", "lake", "--simulate", *small, cwd=tmp_path)
    assert result.returncode == 1
    assert "The example is " in result.stderr
    assert "10 metres are fewer than" in result.stderr
    assert list(tmp_path.iterdir()) == []
