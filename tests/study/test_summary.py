from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from akrig.metrics import averaged
from akrig.study.results import Result, Results
from akrig.study.summary import averages, change_by_thinning, keys_of, mean_curve, mean_curves, scored_every, scores
from tests.paper.made_up_benchmark import as_in_the_paper, made_up_results, made_up_study


def scored_at(samples, **metrics):
    columns = {name: ("samples", np.asarray(values, dtype=float)) for name, values in metrics.items()}
    return xr.Dataset(columns, coords={"samples": samples})


def result(data, **labels):
    return Result({"seed": "0", **labels}, data, Path("nowhere"))


def kept(samples, every):
    return scored_every(scored_at(samples, smse=samples), every)["samples"].values.tolist()


def test_a_cell_is_the_averaged_curve_then_mean_and_standard_deviation_over_seeds():
    curves = {"0": [4.0, 2.0], "1": [6.0, 4.0], "2": [5.0, 3.0]}
    runs = [
        result(scored_at([50, 100], smse=curve), strategy="random", field="a", kernel="rbf", seed=seed)
        for seed, curve in curves.items()
    ]
    score = scores(averages(Results(runs)))["random", "a", "rbf", "smse"]
    assert (score.mean, score.std, score.num_seeds) == (4.0, 1.0, 3)


def test_missing_runs_are_nan_and_leave_the_others_as_they_are():
    study = made_up_study(seeds="0-2")
    full = made_up_results(study)
    table = averages(Results([run for run in full if run.labels["seed"] != "1" or run.labels["kernel"] != "rbf"]))
    assert table.sel(kernel="rbf", seed="1").isnull().all()
    assert int(table.isnull().sum()) == table.sel(kernel="rbf", seed="1").size
    assert scores(table)["random", "N17E073", "rbf", "smse"].num_seeds == 2
    assert (
        scores(table)["random", "N17E073", "deep", "smse"]
        == scores(averages(full))["random", "N17E073", "deep", "smse"]
    )


def test_made_up_curves_average_to_what_was_asked_for():
    study = made_up_study(seeds="3")
    table = averages(made_up_results(study))
    labels = {"strategy": "active", "field": "N45W123", "kernel": "gibbs", "seed": "3"}
    assert float(table.sel(**labels, metric="msll")) == pytest.approx(as_in_the_paper(labels, "msll"), rel=1e-9)


def test_a_single_seed_has_no_standard_deviation():
    score = scores(averages(made_up_results(made_up_study(seeds="0"))))["random", "N17E073", "rbf", "mae"]
    assert np.isnan(score.std)
    assert score.num_seeds == 1


def test_whatever_else_varies_goes_with_the_kernel():
    runs = [
        result(scored_at([1], smse=[1]), field="a", kernel="attentive", **{"kernel.hidden": hidden, "grid": "H"})
        for hidden in ("5", "10")
    ]
    keys = keys_of(Results(runs), {"strategy": "myopic"})
    assert keys == [("myopic", "a", "attentive (hidden 5)"), ("myopic", "a", "attentive (hidden 10)")]


def test_metrics_that_no_run_has_are_left_out():
    runs = Results([result(scored_at([1, 2], rmse=[1, 2]), strategy="random", field="a", kernel="rbf")])
    assert averages(runs)["metric"].values.tolist() == ["rmse"]


def test_curves_meet_on_one_axis():
    first, second = scored_at([50, 100, 200], smse=[3, 2, 0]), scored_at([60, 180], smse=[4, 1])
    curve = mean_curve([first, second], "smse")
    assert curve.samples.tolist() == [60, 100, 180]
    assert curve.mean.tolist() == pytest.approx([(2.8 + 4) / 2, (2 + 3) / 2, (0.4 + 1) / 2])
    assert curve.std.tolist() == pytest.approx([1.2 / 2**0.5, 1 / 2**0.5, 0.6 / 2**0.5])


def test_curves_of_a_study_are_by_strategy_field_kernel_and_metric():
    study = made_up_study(seeds="0-1")
    curves = mean_curves(made_up_results(study), ["smse", "nothing"])
    assert len(curves) == 4 * 3 * 4
    assert curves["random", "N17E073", "rbf", "smse"].mean[0] > curves["random", "N17E073", "rbf", "smse"].mean[-1]


def test_thinning_keeps_the_first_every_tenth_reading_and_the_last():
    assert kept(list(range(50, 75)), 10) == [50, 60, 70, 74]
    assert kept([50, 53, 61, 62, 90, 91], 10) == [50, 61, 90, 91]
    assert kept([50, 60], 10) == [50, 60]
    assert kept([50], 10) == [50]
    assert kept([50, 51, 52], 1) == [50, 51, 52]


def test_thinning_is_what_a_run_with_that_setting_keeps(tmp_path):
    from akrig.study import missions

    settings = {
        "preset": "paper",
        "field": {"name": "ridges"},
        "strategy": {"name": "myopic", "num_candidates": 20},
        "kernel": {"name": "rbf"},
        "budget": {"readings": 24},
        "pilot": {"readings": 8},
        "seed": 3,
    }
    every, some = (
        missions.compute_mission({**settings, "scoring": {"every": n, "grid": [8, 8]}}, _new(tmp_path / str(n)))
        for n in (1, 7)
    )
    xr.testing.assert_allclose(scored_every(every, 7)["rmse"], some["rmse"])
    assert 2 < some.sizes["samples"] < every.sizes["samples"]


def _new(path):
    path.mkdir()
    return path


def test_change_is_relative_to_the_curves_size_even_where_it_crosses_zero():
    samples, values = np.arange(50, 701), np.linspace(1, -1, 651)
    data = scored_at(samples, msll=values)
    assert change_by_thinning(data, "msll", 10) == pytest.approx(0, abs=1e-12)
    bent = scored_at(samples, msll=values + 0.5 * np.exp(-(samples - 50) / 5))
    change = change_by_thinning(bent, "msll", 10)
    size = averaged(samples.astype(float), np.abs(bent["msll"].to_numpy()))
    less = scored_every(bent, 10)
    expected = averaged(less["samples"].to_numpy().astype(float), less["msll"].to_numpy())
    assert change == pytest.approx((expected - averaged(samples.astype(float), bent["msll"].to_numpy())) / size)
    assert change > 0
