"""The examples run, and do what they say; with a smaller load than they have by themselves."""

import importlib.util
from pathlib import Path

import pytest
import torch

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture
def run(capsys):
    dtype, state = torch.get_default_dtype(), torch.get_rng_state()

    def run_example(name: str, **arguments):
        spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        result = module.main(**arguments)
        return result, capsys.readouterr().out

    yield run_example
    torch.set_default_dtype(dtype)
    torch.set_rng_state(state)


def test_every_example_is_tested():
    tested = {"gpytorch_exact", "gpytorch_svgp", "botorch_acquisition", "online_regression"}
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
