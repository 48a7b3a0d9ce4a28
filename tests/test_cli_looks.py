"""What the command line shows: tables, pages, and sentences when something is in the way."""

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from click import unstyle
from click.testing import CliRunner, Result

from akrig.cli import main
from akrig.fields import CATALOGUE
from akrig.journal.folder import RunFolder
from akrig.journal.record import read_record

QUICK = ["--kernel", "rbf", "--strategy", "random", "--budget", "60"]
SMALL = ["--set", "scoring.grid=[12, 12]", "--set", "scoring.map_grid=[12, 12]"]

WORLDS = """
import numpy as np
from akrig import Box
from akrig.types import Plan

class Line:
    extent = Box((0,), (5,))
    def __call__(self, X): return np.sin(3 * X[:, 0])

class Cube:
    extent = Box((0, 0, 0), (5, 5, 5))
    def __call__(self, X): return np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2]

class Pilot:
    def __init__(self, num_points): self.num_points = num_points
    def plan(self, belief, situation, rng):
        low, high = situation.workspace.lower, situation.workspace.upper
        return Plan(rng.uniform(low, high, (self.num_points, len(low))))
"""


def akrig(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("finished") / "run"
    result = akrig("run", "--field", "halves", *QUICK, *SMALL, "--no-report", "--out", path)
    assert result.exit_code == 0, result.output
    return path


@pytest.fixture
def run(finished, tmp_path) -> Path:
    """A finished mission of one's own, to be spoilt."""
    return Path(shutil.copytree(finished, tmp_path / "run"))


@pytest.fixture
def worlds(tmp_path, monkeypatch) -> None:
    """Fields of one and of three dimensions, as users write them."""
    (tmp_path / "worlds_to_look_at.py").write_text(WORLDS)
    monkeypatch.syspath_prepend(tmp_path)


# Fields of one and of three dimensions


@pytest.mark.usefixtures("worlds")
@pytest.mark.parametrize(
    ("field", "dims", "figures"),
    [
        ("Line", ("x",), {"profile.png", "curves.png", "attention.png", "calibration.png"}),
        ("Cube", ("z", "y", "x"), {"curves.png", "calibration.png"}),
    ],
)
def test_fields_of_other_dimensions_end_with_a_report(tmp_path, field, dims, figures):
    path, grid = tmp_path / "run", [6] * len(dims)
    names = ["--field", f"worlds_to_look_at:{field}", "--set", "pilot.name=worlds_to_look_at:Pilot"]
    grids = ["--set", f"scoring.grid={grid}", "--set", f"scoring.map_grid={grid}"]
    options = ["--kernel", "attentive", "--strategy", "active", "--budget", "60", "--set", "strategy.num_candidates=50"]
    result = akrig("run", *names, *options, *grids, "--out", path)
    assert result.exit_code == 0, result.output
    assert {file.name for file in (path / "figures").iterdir()} == figures
    assert xr.load_dataset(path / "map.nc")["mean"].dims == dims
    assert ("not drawn" in (path / "report.html").read_text()) == (len(dims) == 3)


# The list of fields


def listing(columns: int) -> list[str]:
    """As a terminal of so many columns shows it."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm"}
    with subprocess.Popen([sys.executable, "-m", "akrig", "fields"], stdout=theirs, env=env) as process:
        os.close(theirs)
        text = b""
        while chunk := _read(ours):
            text += chunk
    os.close(ours)
    assert process.returncode == 0
    return unstyle(text.decode()).replace("\r", "").splitlines()


def _read(file: int) -> bytes:
    try:
        return os.read(file, 65536)
    except OSError:  # how Linux says that the other side has closed
        return b""


@pytest.mark.parametrize("columns", [50, 80, 200])
def test_fields_fold_and_are_never_cropped_and_names_stay_whole(columns):
    lines = listing(columns)
    assert max(map(len, lines)) <= columns
    words = " ".join(lines).split()
    assert "…" not in "".join(words)
    for entry in CATALOGUE.values():
        assert any(line.split()[:1] == [entry.name] for line in lines)
        assert set(entry.sentence.split()) <= set(words)


def test_fields_in_a_pipe_are_a_line_each(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    lines = akrig("fields").output.splitlines()
    assert len(lines) == 1 + len(CATALOGUE)
    for line, entry in zip(lines[1:], CATALOGUE.values(), strict=True):
        assert line.split()[0] == entry.name
        assert entry.sentence in line


# Text of users is no markup


@pytest.mark.parametrize("path", ["maps/quarter[b].npy", "d[old]/q[i].npy"])
def test_brackets_in_a_path_are_shown_as_they_are(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    Path(path).parent.mkdir(parents=True)
    np.save(path, np.sin(np.arange(900.0) / 40).reshape(30, 30))
    result = akrig("run", "--field", path, *QUICK, *SMALL, "--no-report", "--out", "run")
    assert result.exit_code == 0, result.output
    assert f"{Path(path).name}: rbf, random, seed 0" in result.output


# Damaged files


@pytest.mark.usefixtures("sketched")
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", b"nothing at all"])
def test_snapshots_that_cannot_be_read_are_left_out(run, content):
    first, *others = (file for _, file in RunFolder(run).list_snapshots())
    first.write_bytes(content)
    assert len(read_record(run).snapshots) == len(others)
    result = akrig("report", run)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("kept", [0, 10, 3000])
def test_a_map_that_cannot_be_read_is_named_and_can_be_rebuilt(run, kept):
    path = run / "map.nc"
    whole = xr.load_dataset(path)
    path.write_bytes(path.read_bytes()[:kept])
    result = akrig("report", run)
    assert result.exit_code == 1
    said = result.output.strip()
    assert said.startswith(f"{path} ")
    assert said.endswith(f"; `akrig resume {run}` writes it anew, or delete it to do without.")
    assert "\n" not in said
    assert akrig("resume", run, "--no-report").exit_code == 0
    xr.testing.assert_equal(xr.load_dataset(path), whole)


# Folders that are not there yet


@pytest.mark.usefixtures("sketched")
def test_folders_of_pages_and_figures_are_made(finished, tmp_path):
    page, figures = tmp_path / "new" / "dir" / "x.html", tmp_path / "other" / "dir"
    assert akrig("report", finished, "--out", page).exit_code == 0
    assert akrig("plot", finished, "--out", figures).exit_code == 0
    assert page.is_file()
    assert (figures / "maps.png").is_file()


# Ctrl-C


def interrupt(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("broken_off", "advice"),
    [("akrig.cli.progress.mission.run_mission", "akrig resume"), ("akrig.plots.report.save_figures", "akrig report")],
)
def test_what_is_broken_off_says_how_to_go_on(tmp_path, monkeypatch, broken_off, advice):
    monkeypatch.setattr(broken_off, interrupt)
    path = tmp_path / "run"
    result = akrig("run", "--field", "halves", *QUICK, *SMALL, "--out", path)
    assert result.exit_code == 130
    assert f"{advice} {path}" in result.output
    assert "Aborted" not in result.output


# The demonstration and what was there before


@pytest.fixture
def stopped(monkeypatch) -> None:
    """Demonstrations end with their first mission, at once."""
    monkeypatch.setattr("akrig.cli.progress.mission.watch_mission", lambda folder: "stopped")


@pytest.mark.usefixtures("stopped")
def test_a_demonstration_replaces_what_a_demonstration_made(tmp_path):
    for _ in range(2):
        result = akrig("demo", "--out", tmp_path)
        assert result.exit_code == 130
        assert f"akrig resume {tmp_path / 'attentive'}" in result.output
        assert not (tmp_path / "attentive" / "old").exists()
        (tmp_path / "attentive" / "old").touch()


@pytest.mark.usefixtures("stopped")
@pytest.mark.parametrize("own", ["attentive", "rbf"])
def test_a_demonstration_leaves_the_runs_of_others_alone(finished, tmp_path, own):
    for kernel in ("attentive", "rbf"):
        shutil.copytree(finished, tmp_path / kernel)
        if kernel != own:
            (tmp_path / kernel / ".demo").touch()
    before = sorted(tmp_path.rglob("*"))
    result = akrig("demo", "--out", tmp_path)
    assert result.exit_code == 1
    assert f"{tmp_path / own} was not made by a demonstration; choose another folder with --out." in result.output
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.usefixtures("stopped")
def test_a_demonstration_that_is_running_is_left_alone(finished, tmp_path):
    for kernel in ("attentive", "rbf"):
        shutil.copytree(finished, tmp_path / kernel)
        (tmp_path / kernel / ".demo").touch()
    with RunFolder(tmp_path / "rbf").locked():
        result = akrig("demo", "--out", tmp_path)
    assert result.exit_code == 1
    assert f"{tmp_path / 'rbf'} is in use" in result.output
    assert (tmp_path / "rbf" / "config.toml").exists()
    assert (tmp_path / "attentive" / "config.toml").exists()
