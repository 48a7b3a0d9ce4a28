"""No command writes over what it reads, nor over a file that akrig did not make, unless it is told to."""

import shutil
from functools import partial
from pathlib import Path

import pytest

from akrig.config import load_settings
from akrig.runs import create_run, run_mission
from tests import forked

akrig = partial(forked.akrig, sketched=True)

SMALL = {
    "field": "halves",
    "kernel": "rbf",
    "strategy": {"name": "random", "num_candidates": 20},
    "budget": 24,
    "pilot": {"readings": 20},
    "scoring": {"grid": [8, 8], "map_grid": [9, 9], "snapshots": 2},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("made") / "run"
    run_mission(create_run(load_settings(None, SMALL), path))
    return path


@pytest.fixture
def run(made, tmp_path) -> Path:
    return shutil.copytree(made, tmp_path / "run")


def held(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["journal.jsonl", "config.toml", "scores.csv", "map.nc", "telemetry.jsonl"])
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_report_never_replaces_what_it_is_made_from(name, force, run, tmp_path):
    (tmp_path / "link.html").symlink_to(run / name)
    before = held(run)
    for out in (f"run/{name}", f"run/figures/../{name}", "link.html"):
        result = akrig("report", "run", "--out", out, *force, cwd=tmp_path)
        assert result.returncode == 1, out
        assert "is what the report is made from" in result.stderr
    assert held(run) == before


def test_a_report_replaces_its_own_kind_only(run, tmp_path):
    assert akrig("report", "run", "--out", "page.html", cwd=tmp_path).returncode == 0
    assert akrig("report", "run", "--out", "page.html", cwd=tmp_path).returncode == 0
    (tmp_path / "thesis.html").write_text("four years")
    result = akrig("report", "run", "--out", "thesis.html", cwd=tmp_path)
    assert result.returncode == 1
    assert "thesis.html exists and was not made by akrig; choose another --out, or give --force" in result.stderr
    assert (tmp_path / "thesis.html").read_text() == "four years"
    assert akrig("report", "run", "--out", "thesis.html", "--force", cwd=tmp_path).returncode == 0
    assert (tmp_path / "thesis.html").read_text().startswith("<!doctype html>")


def test_a_report_of_before_is_known(run, tmp_path):
    (run / "report.html").write_text(
        "<!doctype html><footer><p>Written by akrig 0.1.0.</p></footer></main></body></html>"
    )
    assert akrig("report", "run", cwd=tmp_path).returncode == 0
    (run / "report.html").write_text("mine")
    assert "report.html exists and was not made by akrig" in akrig("report", "run", cwd=tmp_path).stderr


def test_figures_replace_their_own_kind_only(run, tmp_path):
    assert akrig("plot", "run", "--out", "pictures", cwd=tmp_path).returncode == 0
    assert akrig("plot", "run", "--out", "pictures", cwd=tmp_path).returncode == 0
    for name in ("maps.png", "mission.gif"):
        (tmp_path / "pictures" / name).write_bytes(b"holidays")
        before = held(tmp_path / "pictures")
        result = akrig("plot", "run", "--out", "pictures", cwd=tmp_path)
        assert result.returncode == 1
        assert f"pictures/{name} exists and was not made by akrig" in result.stderr
        assert held(tmp_path / "pictures") == before
        assert akrig("plot", "run", "--out", "pictures", "--force", cwd=tmp_path).returncode == 0


def test_a_demonstration_replaces_its_own_page_only(tmp_path):
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "report.html").write_text("mine")
    result = akrig("demo", "--budget", "100", cwd=tmp_path)
    assert result.returncode == 1
    assert "demo/report.html exists and was not made by akrig" in result.stderr
    assert held(tmp_path) == {"demo/report.html": b"mine"}


def test_a_picture_replaces_its_own_kind_only(tmp_path):
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "step.png").write_text("mine")
    result = akrig("step", "--steps", "1", cwd=tmp_path)
    assert result.returncode == 1
    assert "demo/step.png exists and was not made by akrig" in result.stderr
    assert held(tmp_path) == {"demo/step.png": b"mine"}
    for _ in range(2):
        assert akrig("step", "--steps", "1", "--out", "other", cwd=tmp_path).returncode == 0


def test_a_boats_truth_replaces_its_own_kind_only(tmp_path):
    (tmp_path / "mine.csv").write_text("latitude,longitude,depth\n47.5,9.3,1\n")
    result = akrig("boat", "--truth", "mine.csv", "--bed", "flat", cwd=tmp_path)
    assert result.returncode == 1
    assert "mine.csv exists and was not made by akrig" in result.stderr
    assert (tmp_path / "mine.csv").read_text().startswith("latitude")


def test_the_papers_page_replaces_its_own_kind_only(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "index.html").write_text("mine")
    result = akrig("study", "paper", "--out", "out", "--seeds", "0", "--only", "field=N17E073,kernel=rbf", cwd=tmp_path)
    assert result.returncode == 1
    assert "out/index.html exists and was not made by akrig" in result.stderr
    assert held(tmp_path) == {"out/index.html": b"mine"}


@pytest.mark.parametrize("command", [["run", "--field", "halves"], ["replay", "run"]])
def test_a_new_run_never_goes_where_something_is(command, run, tmp_path):
    before = held(tmp_path)
    for out in ("run", "run/journal.jsonl"):
        result = akrig(*command, "--out", out, cwd=tmp_path)
        assert result.returncode != 0
        assert out in result.stderr
    assert held(tmp_path) == before
