"""The comparison compares like with like, and its table says what the runs say."""

import os

import numpy as np
import pytest

from benchmarks.field_survey.report import CONTENDERS, cells, curves, maps, table, write_report, write_trials
from benchmarks.field_survey.routes import route_tasks, routes_table
from benchmarks.field_survey.runs import MARGIN, Choice, Task, carry_out, lawnmower_for, pilot_lines
from benchmarks.field_survey.worlds import WORLDS, lake

NEEDS_DATA = pytest.mark.skipif("AKRIG_DATA" not in os.environ, reason="AKRIG_DATA is not set: no soundings here")


@pytest.fixture(scope="module")
def surveys(tmp_path_factory):
    """One of each kind, short and with hardly any training."""
    folder = tmp_path_factory.mktemp("runs")
    choice = Choice(spacing=8.0, candidates=50, steps_per_reading=0.1)
    tasks = [Task("lake", 700.0, 0, path, choice) for path in ("adaptive", "lawnmower")]
    rows = [row for task in tasks for row in carry_out(task, folder, kernels=["rbf"])]
    return folder, tasks, rows


def made_up(seed, path, kernel, *, rmse):
    """A row whose other numbers do not matter."""
    scores = {"metres": 800.0, "readings": 400, "rmse": rmse, "msll": -1.0, "coverage95": 0.9}
    return {"world": "lake", "nominal": 700.0, "seed": seed, "path": path, "map": kernel, **scores}


def test_both_surveys_spend_the_same_distance_and_stay_inside(surveys):
    _, _, rows = surveys
    area = lake(0).area
    _, metres = lawnmower_for(area, 700.0)
    for row in rows:
        assert row["budget"] == metres
        assert 0.9 * metres < row["metres"] <= metres
        assert row["outside"] == 0


def test_surveys_begin_and_end_at_home(surveys):
    folder, tasks, _ = surveys
    home = np.array(lake(0).area.home)
    for task in tasks:
        X = np.load(folder / f"{task.name}.npz")["X"]
        assert np.hypot(*(X[[0, -1]] - home).T).max() < 10.0  # the first reading comes after the first eight metres


def test_only_the_adaptive_survey_has_legs_of_its_own(surveys):
    _, _, rows = surveys
    legs = {row["path"]: row["legs"] for row in rows}
    assert legs["lawnmower"] == 2  # the lines, and the way home
    assert legs["adaptive"] > 3


def test_a_finished_survey_is_read_not_repeated(surveys):
    folder, tasks, rows = surveys
    before = (folder / f"{tasks[0].name}.json").stat().st_mtime_ns
    assert carry_out(tasks[0], folder, kernels=["rbf"]) == rows[:2]
    assert (folder / f"{tasks[0].name}.json").stat().st_mtime_ns == before


def test_more_maps_of_a_survey_are_of_the_same_readings(surveys):
    _, _, rows = surveys
    online, rbf = rows[:2]
    assert (online["map"], rbf["map"]) == ("online", "rbf")
    assert [rbf[name] for name in ("metres", "legs", "readings")] == [
        online[name] for name in ("metres", "legs", "readings")
    ]
    assert rbf["rmse"] != online["rmse"]


def test_the_lawnmower_is_the_one_nearest_to_the_distance():
    area = lake(0).area
    lines, metres = lawnmower_for(area, 1500.0)
    others = [lawnmower_for(area, 1500.0 + off)[1] for off in (-400.0, 400.0)]
    assert lines >= 2
    assert all(abs(metres - 1500.0) <= abs(other - 1500.0) for other in others)


def test_the_pilot_pass_has_as_many_lines_as_fit():
    area = lake(0).area
    lines, metres = lawnmower_for(area, 2200.0)
    assert pilot_lines(area, metres + 1e-6) >= lines
    assert pilot_lines(area, 10.0) == 1


@pytest.mark.parametrize("name", [pytest.param(name, marks=NEEDS_DATA if name == "bay" else ()) for name in WORLDS])
def test_the_truth_is_known_nearly_everywhere(name):
    world = WORLDS[name](1)
    X = world.area.extent.grid(60, 40)
    depths = world.bed(X[world.area.allows(X)])
    assert np.isfinite(depths).mean() > 0.99
    assert np.nanmin(depths) > 0
    assert world.area.home is not None
    assert world.area.clearance(np.array([world.area.home]))[0] > MARGIN


def test_seeds_give_beds_or_homes_of_their_own():
    X = np.array([[0.0, 0.0], [60.0, -40.0]])
    assert not np.array_equal(lake(0).bed(X), lake(1).bed(X))


def test_the_table_counts_seeds_that_the_adaptive_survey_wins():
    adaptive = [made_up(seed, "adaptive", "online", rmse=rmse) for seed, rmse in enumerate((1.0, 2.0, 3.0))]
    lawnmower = [made_up(seed, "lawnmower", "online", rmse=rmse) for seed, rmse in enumerate((2.0, 1.0, 4.0))]
    lines = table(cells(adaptive + lawnmower)).splitlines()
    assert "2 of 3, 0 of 3" in lines[2]
    assert "**2.00 ± 1.00**" in lines[2]
    assert "2.33 ± 1.53" in lines[3]


def test_reports_hold_every_run(surveys, tmp_path):
    folder, tasks, rows = surveys
    write_report(rows, tmp_path)
    assert len((tmp_path / "runs.csv").read_text().splitlines()) == 1 + len(rows)
    text = (tmp_path / "table.md").read_text()
    assert all(name in text for name in CONTENDERS.values())
    write_trials(rows, {"hardly trained": tasks[0].choice}, tmp_path)
    assert "hardly trained" in (tmp_path / "trials.md").read_text()
    assert len(curves(cells(rows)).axes) == 3
    assert maps([("lake", *(folder / f"{task.name}.npz" for task in tasks))]).axes


def test_a_route_spends_what_the_lawnmower_does_and_stays_inside(tmp_path):
    few = {"effort": 30, "num_cells": 100, "stretch": 0.4}
    choice = Choice(spacing=8.0, steps_per_reading=0.1, pilot_lines=0, reserve=1.0, route=few)
    (row,) = carry_out(Task("lake", 700.0, 0, "route", choice), tmp_path)
    assert 0.95 * row["budget"] < row["metres"] <= row["budget"]
    assert row["outside"] == 0
    assert row["legs"] > 3


def test_routes_are_compared_by_pairs(tmp_path):
    rmse = {("lawnmower", 3): 2.0, ("route", 3): 1.0, ("lawnmower", 4): 2.0, ("route", 4): 4.0, ("route", 5): 9.0}
    rows = [made_up(seed, path, "online", rmse=value) for (path, seed), value in rmse.items()]
    assert routes_table(rows).splitlines()[2] == (
        "| lake | 0.7 | 3-4 | 2.00 / -1.00 / 0.90 | 2.50 / -1.00 / 0.90 | 1.00 | 2.00 | 1, 0 of 2 |"
    )
    assert {task.path for task in route_tasks(["lake"], [700.0], [0])} == {"route", "lawnmower"}
