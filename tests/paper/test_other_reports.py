"""Reports of made-up results: what they write, what they say, and that they say the opposite of opposite numbers."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from akrig.paper.functions.report import write_functions
from akrig.paper.maps import snapshots, volcano
from akrig.paper.overfitting.report import published_curves, write_overfitting
from akrig.study.definition import load_study
from akrig.study.results import Result, Results
from tests.paper.report_files import figures, page_of, table

# Overfitting


def training_run(field: str, kernel: str, *, steps: int = 2000, shift: float = 0.0) -> xr.Dataset:
    """A curve with the authors' best and last values."""
    theirs = published_curves()[field, kernel]
    places = [1.0, max(theirs.best_step, 2.0), 2000.0 if theirs.best_step < 2000 else 2001.0]
    test = np.interp(np.arange(1, steps + 1), places, [0.0, theirs.best_test, theirs.last_test]) + shift
    train = np.linspace(-0.5, theirs.last_train, steps) + shift
    smse = np.full(steps, theirs.last_smse)
    columns = {"test_msll": test, "train_msll": train, "test_smse": smse, "train_smse": smse, "loss": -smse}
    return xr.Dataset(
        {name: ("iteration", values) for name, values in columns.items()},
        coords={"iteration": np.arange(1, steps + 1)},
        attrs={"field": field, "kernel": kernel},
    )


def trained(study, *, shift: float = 0.0) -> Results:
    return Results(
        [
            Result(s.labels, training_run(s.labels["field"], s.labels["kernel"], shift=shift), Path("nowhere"))
            for s in study.specifications()
        ]
    )


def test_overfitting_is_held_against_the_authors_curves(tmp_path):
    study = load_study("paper-overfitting")
    said = " ".join(write_overfitting(study, trained(study), tmp_path))
    assert "15 of 15 with the RBF kernel" in said
    assert "the attentive kernel on N43W080: from \u22122.03 at step 877 to 1.82 at the end" in said
    rows = table(tmp_path, "overfitting")
    assert len(rows) == 20
    assert max(abs(float(row["last_test_difference"])) for row in rows) < 0.01
    assert figures(tmp_path) == {"overfitting.pdf", "overfitting.png"}
    assert "authors" in page_of(tmp_path)


@pytest.mark.usefixtures("sketched")
def test_overfitting_says_how_far_it_is_from_the_authors(tmp_path):
    study = load_study("paper-overfitting")
    said = " ".join(write_overfitting(study, trained(study, shift=0.5), tmp_path))
    assert "0 of 15 with the RBF kernel" in said
    assert float(table(tmp_path, "overfitting")[0]["best_test_difference"]) == pytest.approx(0.5, abs=0.01)


@pytest.mark.usefixtures("sketched")
def test_other_readings_are_not_held_against_the_authors(tmp_path):
    study = load_study("paper-overfitting")
    other = replace(study, base={**study.base, "readings": {"name": "uniform"}})
    said = " ".join(write_overfitting(other, trained(study), tmp_path))
    assert "authors" not in said
    assert table(tmp_path, "overfitting")[0]["best_test_authors"] == ""


@pytest.mark.usefixtures("sketched")
def test_overfitting_goes_without_missing_runs_and_says_so(tmp_path):
    study = load_study("paper-overfitting")
    few = Results([result for result in trained(study) if result.labels["field"] == "helens"][:2])
    write_overfitting(study, few, tmp_path)
    assert "18 of 20 runs are missing" in page_of(tmp_path)
    assert len(table(tmp_path, "overfitting")) == 2


def test_runs_that_were_not_watched_are_no_overfitting_study(tmp_path):
    study = load_study("paper-overfitting")
    unwatched = Results([Result(r.labels, r.data[["loss"]], r.path) for r in trained(study)[:1]])
    (said, _) = write_overfitting(study, unwatched, tmp_path)
    assert "set evaluation.every" in said


def test_the_authors_steps_are_counted_from_one():
    assert published_curves()["N43W080", "attentive"].best_step == 877


# Functions


def line_run(labels: dict[str, str], *, nlpd: float, has_weights: bool) -> Result:
    x = np.linspace(0, 5, 30)
    layers = {
        name: ("x", values) for name, values in {"mean": np.sin(x), "std": 0.3 + 0 * x, "truth": np.cos(x)}.items()
    }
    if has_weights:
        weights = np.stack([x / 5, 1 - x / 5])
        layers |= {"weights": (("base", "x"), weights), "memberships": (("member", "x"), weights[::-1])}
    coords = {"x": x} | ({"base": [0.025, 0.25]} if has_weights else {})
    readings = {"reading_x": (("reading", "dim"), x[::3, None]), "reading_y": ("reading", np.sin(x[::3]))}
    scores = {"rmse": 1.0 + nlpd, "nlpd": nlpd, "msll": nlpd - 2, "within_2_std": 0.95, "correlation": 0.3}
    facts = {"field": "step", "kernel": "rbf", "unit_length": 2.5, **scores}
    return Result(labels, xr.Dataset(layers | readings, coords=coords, attrs=facts), Path("nowhere"))


def fitted(study) -> Results:
    """The more the kernel is called, the better; the first seed is the best."""
    return Results(
        [
            line_run(
                s.labels,
                nlpd=1.0 - 0.2 * (k // len(study.seeds)) + 0.3 * (s.labels["seed"] != "57"),
                has_weights=s.labels["kernel"].startswith("AK"),
            )
            for k, s in enumerate(study.specifications())
        ]
    )


def test_a_function_is_drawn_and_scored(tmp_path):
    study = load_study("paper-step")
    said = " ".join(write_functions(study, fitted(study), tmp_path))
    assert "\u201cAK, two networks\u201d has the lowest log loss" in said
    assert "This is seed 57 alone" in said
    assert figures(tmp_path) == {"step.pdf", "step.png"}
    assert table(tmp_path, "scores")[0]["model"] == "RBF, wiggly"
    assert "| RBF, over-smoothed |" in (tmp_path / "tables" / "scores.md").read_text()


@pytest.mark.usefixtures("sketched")
def test_several_seeds_of_a_function_are_counted(tmp_path):
    study = load_study("paper-step", seeds="57,0")
    said = " ".join(write_functions(study, fitted(study), tmp_path))
    assert "0 of 1 other seed reached a log loss at most 0.05 above that of seed 57" in said
    assert "step-seed-0.png" in figures(tmp_path)
    assert len(table(tmp_path, "scores")) == 8


# Maps


def map_run(labels: dict[str, str], *, error: float, is_mission: bool, uneasy: float = 1.0) -> Result:
    x, y = np.linspace(0, 1, 24), np.linspace(0, 1, 20)
    truth = np.sin(20 * x[None] * (x[None] > 0.5)) + y[:, None]
    layers = {"mean": truth + error * (x[None] > 0.5), "std": np.full_like(truth, uneasy), "truth": truth}
    data = {name: (("y", "x"), values.astype(np.float32)) for name, values in layers.items()}
    X = np.random.default_rng(0).uniform(0.5, 1, (30, 2))
    data |= {"reading_x": (("reading", "dim"), X), "reading_y": ("reading", X[:, 0])}
    names = ("rmse", "mae", "smse", "msll", "nlpd", "crps", "coverage95", "correlation")
    scores = dict.fromkeys(names, error) | {"coverage95": 0.9, "correlation": 1 - error}
    coords = {"x": x, "y": y}
    facts = {"quantity": "elevation", "units": "ft"}
    if is_mission:
        data |= {name: ("samples", np.array([9.0, value])) for name, value in scores.items()}
        coords |= {"samples": [50, 400]}
    else:
        facts |= {"field": "helens", "kernel": labels["kernel"], **scores}
    return Result(labels, xr.Dataset(data, coords=coords, attrs=facts), Path("nowhere"))


ERRORS = {"rbf": 0.4, "attentive": 0.1, "gibbs": 0.2, "deep": 0.3}


def mapped(study, *, is_mission: bool) -> Results:
    return Results(
        [map_run(s.labels, error=ERRORS[s.labels["kernel"]], is_mission=is_mission) for s in study.specifications()]
    )


def test_the_volcano_is_mapped_by_both_kernels(tmp_path):
    study = load_study("paper-volcano")
    said = " ".join(volcano.write_volcano(study, mapped(study, is_mission=False), tmp_path))
    assert "the attentive kernel has the lower MSLL" in said
    assert "RMSE of 0.100\u00a0ft is 75\u00a0% lower" in said
    assert figures(tmp_path) == {"maps-helens.pdf", "maps-helens.png"}
    assert [row["kernel"] for row in table(tmp_path, "scores")] == ["rbf", "attentive"]


@pytest.mark.usefixtures("sketched")
def test_other_seeds_of_the_volcano_are_drawn_too(tmp_path):
    study = load_study("paper-volcano", seeds="0-1")
    volcano.write_volcano(study, mapped(study, is_mission=False), tmp_path)
    assert "maps-helens-seed-1.png" in figures(tmp_path)


def test_snapshots_show_maps_and_where_readings_were_taken(tmp_path):
    study = load_study("paper-snapshots")
    said = " ".join(snapshots.write_snapshots(study, mapped(study, is_mission=True), tmp_path))
    assert "After 30 readings, the attentive kernel has the smallest typical error" in said
    assert "snapshots-seed-0.png" in figures(tmp_path)
    rows = table(tmp_path, "snapshots")
    assert {row["field"] for row in rows} == {"N17E073"}
    assert all(float(row["readings_in_rough_half"]) > 0.8 for row in rows)  # all were taken there


def test_scores_stay_with_their_runs_when_seeds_are_grouped(tmp_path):
    study = load_study("paper-snapshots", seeds="0-1")
    results = mapped(study, is_mission=True)
    shown = snapshots.final_scores_table(results, ("rmse",), more={"seed": lambda result: result.labels["seed"]})
    assert [row[1] for row in shown.rows] == list(ERRORS) * 2
    assert [row[-1] for row in shown.rows] == ["0"] * 4 + ["1"] * 4
    assert [float(row[2]) for row in shown.rows] == list(ERRORS.values()) * 2


def test_roughness_is_large_where_the_field_varies():
    x = np.linspace(0, 1, 60)
    field = np.where(x > 0.5, np.sin(60 * x), 0.0)[None] * np.ones((40, 1))
    rough = snapshots.roughness(field)
    assert rough.shape == field.shape
    assert rough[:, 40:50].min() > 5 * rough[:, 5:20].max()
