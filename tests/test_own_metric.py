"""A metric of the user's own is one file: it is scored, shown with its label everywhere, and never run by a viewer."""

import sys

import numpy as np
import pytest

from akrig.config import load_settings
from akrig.config.own_parts import check_own_parts, own_code
from akrig.errors import ConfigError
from akrig.geometry import Box
from akrig.journal.folder import RunFolder
from akrig.journal.record import read_record
from akrig.live.run_info import read_run_info
from akrig.live.run_view import RunView
from akrig.metric_parts import METRICS, metrics_of, own_metrics
from akrig.metrics import ScoreFunction, Scoring
from akrig.paper.benchmark.report import write_benchmark
from akrig.plots.curves import curves_figure
from akrig.plots.report import write_report
from akrig.study import missions
from akrig.study.definition import read_study
from akrig.study.results import Result, Results
from akrig.types import Prediction, Samples
from tests.worlds import Waves

MODULE = """
import numpy as np

def worst_error(mean, truth):
    return np.abs(mean - truth).max()

def sharpness(std):
    return std.mean()

def broken(truth):
    raise RuntimeError("no")

def odd(truth, command): ...
"""
WORST = {"name": "mymetrics:worst_error", "label": "Worst <error>", "goal": "low", "unit": "field"}
SETTINGS = {
    "field": "ridges",
    "kernel": "rbf",
    "strategy": "active",
    "budget": 30,
    "pilot": {"readings": 20, "by": "teleport"},
    "scoring": {
        "every": 5,
        "grid": [10, 10],
        "map_grid": [12, 8],
        "snapshots": 0,
        "metrics": [WORST, "mymetrics:sharpness", "mymetrics:broken"],
    },
    "seed": 1,
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A run scored by metrics that nobody can import any more."""
    folder = tmp_path_factory.mktemp("lab")
    (folder / "mymetrics.py").write_text(MODULE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        run = folder / "run"
        run.mkdir()
        data = missions.compute_mission(SETTINGS, run)
    (folder / "mymetrics.py").unlink()
    sys.modules.pop("mymetrics")
    return run, data


def test_it_is_scored_beside_akrigs_own(lab):
    record = read_record(lab[0])
    needs_no_truth = ["uncertainty", "foretold"]
    akrigs = [*needs_no_truth, *(name for name in METRICS if name not in needs_no_truth and name[:6] != "order_")]
    assert [*record.scores][5:] == [*akrigs, "worst_error", "sharpness", "broken"]
    np.testing.assert_array_equal(record.scores["sharpness"], record.scores["uncertainty"])
    assert (record.scores["worst_error"] >= record.scores["mae"]).all()
    assert np.isnan(record.scores["broken"]).all()  # and the mission went on


@pytest.mark.usefixtures("sketched")
def test_report_and_curves_show_it_with_its_label(lab, tmp_path):
    record = read_record(lab[0])
    write_report([record], tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert f"Worst &lt;error&gt; ({record.units})" in text
    assert "Sharpness" in text
    titles = [axis.get_title(loc="left") for axis in curves_figure([record]).axes]
    assert f"Worst <error> ({record.units})" in titles
    assert "mymetrics" not in sys.modules


def test_the_page_draws_it(lab):
    folder = RunFolder.open(lab[0])
    charts = read_run_info(folder).for_page(folder)["charts"]
    assert [chart["title"] for chart in charts] == ["RMSE", "Uncertainty", "Worst <error>", "Sharpness", "Broken"]
    view = RunView(folder)
    view.check()
    assert len(view.streams.scores["worst_error"]) == len(view.streams.scores)
    assert "mymetrics" not in sys.modules


@pytest.mark.usefixtures("sketched")
def test_a_benchmark_has_a_table_of_it(lab, tmp_path):
    base = {name: value for name, value in SETTINGS.items() if name != "seed"}
    study = read_study({"report": "benchmark", "base": base}, name="mine", source="mine.toml")
    results = Results([Result({"seed": "0"}, lab[1], lab[0])])
    write_benchmark(study, results, tmp_path)
    assert "| Field | Kernel | Worst <error> | Sharpness |" in (tmp_path / "tables" / "own.md").read_text()
    assert ",worst_error," in (tmp_path / "tables" / "benchmark.csv").read_text()
    assert "Worst &lt;error&gt;" in (tmp_path / "report.html").read_text()


def test_what_does_not_fit_is_refused_before_anything_runs(tmp_path, monkeypatch):
    (tmp_path / "mymetrics2.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    named = {"scoring": {"metrics": ["mymetrics2:odd", "os:getcwd", {"name": "mymetrics2:sharpness"}]}}
    assert own_code(named)["metric odd"] == "mymetrics2:odd"
    with pytest.raises(ConfigError, match=r"(?s)odd.*takes? some of prediction.*getcwd.*no metric"):
        check_own_parts(named)
    for wrong, said in (("rmse", "module:Name"), ("lab:rmse", "second column"), ("lab:epoch", "second column")):
        with pytest.raises(ConfigError, match=said):
            load_settings(None, {"scoring": {"metrics": [wrong]}})
    with pytest.raises(ConfigError, match="same name"):
        load_settings(None, {"scoring": {"metrics": ["a:bias", "b:bias"]}})


def test_a_column_that_no_settings_tell_about_is_called_by_its_name():
    (metric,) = metrics_of(["mean_bias"], {})
    assert (metric.label, metric.goal) == ("Mean bias", None)
    assert own_metrics({"scoring": {"metrics": [3, {"name": 4}, {"goal": "low"}]}}) == {}
    assert own_metrics({"scoring": 5}) == {}


def test_one_that_asks_for_no_truth_is_scored_without_any():
    X = Waves().extent.grid(5, 5)
    mine = ScoreFunction("bias", lambda mean: mean.mean()), ScoreFunction("error", lambda mean, truth: 0.0)
    scoring = Scoring(Box((-10, -10), (10, 10)), (5, 5), own=mine)
    scores = scoring.score(Prediction(np.ones(25), np.ones(25)), Samples(X, X[:, 0]))
    assert scores == {"uncertainty": 1.0, "bias": 1.0}
