"""The examples run, and do what they say; with a smaller load than they have by themselves."""

import importlib.util
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from akrig.geometry import Pose
from akrig.testing import check_vehicle
from akrig.vehicles import Dropouts, PointSensor
from tests.forked import akrig
from tests.worlds import WORKSPACE, Waves, noise

EXAMPLES = Path(__file__).parent.parent / "examples"


OWN = ("own_kernel", "own_planner", "own_vehicle")


@pytest.fixture
def run(capsys, monkeypatch):
    dtype, state = torch.get_default_dtype(), torch.get_rng_state()

    def run_example(name: str, **arguments):
        spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)  # as if run from its folder
        spec.loader.exec_module(module)
        result = module.main(**arguments)
        return result, capsys.readouterr().out

    yield run_example
    torch.set_default_dtype(dtype)
    torch.set_rng_state(state)


def test_every_example_is_tested():
    tested = {"gpytorch_exact", "gpytorch_svgp", "botorch_acquisition", "online_regression", *OWN}
    assert {path.stem for path in EXAMPLES.glob("*.py")} == tested


def test_exact_gp_in_gpytorch(run):
    loss, out = run("gpytorch_exact", steps=60)
    assert loss < 1.0
    assert "Effective lengthscale" in out


def test_svgp_in_gpytorch_trains_by_minibatches(run):
    (first, last), _ = run("gpytorch_svgp", num=1000, epochs=4)
    assert last < first - 0.2


def test_acquisition_in_botorch_is_optimised(run):
    (point, value), out = run("botorch_acquisition")
    assert point.shape == (1, 2)
    assert ((point >= 0) & (point <= 1)).all()
    assert value > -20
    assert "Measure next" in out


def test_online_regression_is_less_certain_where_the_field_is_rough(run):
    (plain, ridges), _ = run("online_regression")
    assert ridges > 1.5 * plain


@pytest.mark.parametrize("name", OWN)
def test_a_part_of_ones_own_takes_less_than_forty_lines(name):
    assert len((EXAMPLES / f"{name}.py").read_text().splitlines()) < 40


def test_a_kernel_of_ones_own_maps_a_field(run):
    scores, out = run("own_kernel", budget=100)
    assert scores["smse"] < 0.9
    assert "inside the 95 % intervals" in out


def test_a_planner_of_ones_own_flies_a_mission(run):
    distance, _ = run("own_planner", budget=120)
    assert distance > 1000


def test_a_vehicle_of_ones_own_keeps_the_contract():
    glider = runpy.run_path(str(EXAMPLES / "own_vehicle.py"))["Glider"]
    for sensor in (PointSensor(Waves()), Dropouts(PointSensor(Waves()), 0.3)):
        check_vehicle(
            lambda sensor=sensor: glider(sensor, Pose((0, 0)), noise, 1.0), workspace=WORKSPACE, arrives_within=1e-9
        )


def test_a_vehicle_of_ones_own_flies_a_mission(tmp_path):
    command = [sys.executable, str(EXAMPLES / "own_vehicle.py")]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "epoch 3: at" in result.stdout


def test_a_kernel_of_ones_own_has_its_row_in_the_benchmark(tmp_path):
    """From the folder of the example, with a smaller budget than it has by itself."""
    study = (EXAMPLES / "own_study.toml").read_text()
    assert len(study.splitlines()) <= 10
    small = study.replace('preset = "paper"', 'preset = "paper"\nbudget = 70\nscoring.grid = [12, 12]')
    (tmp_path / "own_study.toml").write_text(small)
    shutil.copy(EXAMPLES / "own_kernel.py", tmp_path)
    options = ["--workers", "1", "--seeds", "0-1", "--only", "field=ridges,strategy=random"]
    result = akrig("study", "own_study.toml", "--out", "results", *options, cwd=tmp_path, sketched=True)
    assert result.returncode == 0, result.stderr
    table = (tmp_path / "results" / "tables" / "benchmark.csv").read_text()
    assert "random,ridges,Cauchy,rmse" in table
    assert (tmp_path / "results" / "report.html").exists()
