"""The study's statistics are scipy's, its surveys are of equal metres, and its tables say what these say."""

import os
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_rel, wilcoxon

from benchmarks.field_survey.runs import Choice
from benchmarks.planners.__main__ import surveys
from benchmarks.planners.comparison import cells, comparisons, metres_to
from benchmarks.planners.report import overall, table, to_target, write_report
from benchmarks.planners.surveys import CONTENDERS, Survey, carry_out
from benchmarks.planners.waters import LAND, WATERS

QUICK = Choice(spacing=8.0, steps_per_reading=0.1, reserve=1.0)
ROUTE = replace(QUICK, pilot_lines=0, route={"num_cells": 60, "effort": 20})
NEEDS_DATA = pytest.mark.skipif("AKRIG_DATA" not in os.environ, reason="AKRIG_DATA is not set: no tiles here")


def row(field, nominal, seed, contender, **scores):
    plain = {"rmse": 1.0, "msll": -1.0, "coverage95": 0.95, "uncertainty": 1.0, "metres": nominal, "within": 0.5}
    named = {"field": field, "nominal": nominal, "seed": seed, "contender": contender}
    return {**named, **plain, "plan_median": 0.1, "plan_worst": 0.2, "errors": None, **scores}


@pytest.fixture(scope="module")
def made_up():
    """Two fields, two distances, eight seeds; the route is better in one field and worse in the other."""
    rng, rows = np.random.default_rng(0), []
    for field, better in (("bay", 0.7), ("lake", 1.3)):
        for nominal in (700.0, 1200.0):
            for seed in range(8):
                base = rng.uniform(1, 2)
                scores = {"lawnmower": base, "route": base * better * rng.uniform(0.8, 1.2)}
                rows += [row(field, nominal, seed, who, rmse=x, msll=-1 / x) for who, x in scores.items()]
    return rows


def test_p_values_are_scipys_and_holms(made_up):
    found = [each for each in comparisons(made_up) if each.metric == "rmse"]
    assert len(found) == 4
    for each in found:
        ours, theirs = (
            [r["rmse"] for r in made_up if (r["field"], r["nominal"], r["contender"]) == (*each.key[:2], name)]
            for name in ("route", "lawnmower")
        )
        assert each.wilcoxon == pytest.approx(wilcoxon(ours, theirs, method="exact").pvalue)
        assert each.t == pytest.approx(ttest_rel(ours, theirs).pvalue)
    # Holm, by hand: the smallest times four, the next times three, ... and never less than one before.
    by_size = sorted(found, key=lambda each: each.wilcoxon)
    least = 0.0
    for rank, each in enumerate(by_size):
        least = max(least, min(1.0, (4 - rank) * each.wilcoxon))
        assert each.corrected == pytest.approx(least)


def test_wins_and_losses_are_told_apart(made_up):
    found = {(each.key[0], each.key[1]): each for each in comparisons(made_up) if each.metric == "rmse"}
    assert all(found["bay", nominal].is_win for nominal in (700.0, 1200.0))
    assert all(found["lake", nominal].is_loss for nominal in (700.0, 1200.0))
    told = " ".join(overall(comparisons(made_up)))
    assert "significantly better in 2 and" in told
    assert "worse in 2 and" in told


def test_only_seeds_that_both_have_are_paired():
    rows = [row("bay", 700.0, seed, "lawnmower", rmse=2.0) for seed in (3, 4, 5)]
    rows += [row("bay", 700.0, seed, "route", rmse=x) for seed, x in ((4, 1.0), (5, 4.0), (6, 9.0))]
    each = comparisons(rows)[0]
    assert each.seeds == (4, 5)
    assert (each.ratio, each.worst, each.won) == (1.25, 2.0, 1)


def test_equal_surveys_are_no_win():
    rows = [row("bay", 700.0, seed, who) for seed in range(6) for who in ("lawnmower", "route")]
    for each in comparisons(rows):
        assert (each.wilcoxon, each.t, each.is_win, each.is_loss) == (1.0, 1.0, False, False)


def test_metres_to_a_target_lie_between_the_surveys_about_it():
    rows = [row("bay", metres, 0, "route", uncertainty=4.0 * 2 ** (-metres / 500)) for metres in (500.0, 1500.0)]
    assert metres_to(1.0, rows) == pytest.approx(1000)  # where the true curve has it, too
    assert metres_to(0.1, rows) == np.inf
    assert metres_to(3.0, rows) == 500


def test_metres_to_a_target_are_compared_by_pairs():
    rows = [
        row("bay", metres, seed, who, uncertainty=start * 2 ** (-metres / 500))
        for seed, start in enumerate((4.0, 4.0, 100.0))
        for who, start in (("lawnmower", start), ("route", start / 2))
        for metres in (500.0, 1500.0)
    ]
    (told,) = to_target(rows, 1.0)
    assert "0.50 of the lawnmower's metres (2 of fields and seeds; one of the two does not reach it in 1)" in told


def test_the_table_has_every_cell_and_the_files_every_survey(made_up, tmp_path):
    lines = table(made_up).splitlines()
    assert len(lines) == 2 + len(cells(made_up)) == 10
    assert "8, 8 of 8" in next(line for line in lines if line.startswith("| bay | 0.7 | route"))
    shown = write_report(made_up, tmp_path, target=1.0)
    assert (tmp_path / "planners.md").read_text() == shown
    assert len((tmp_path / "surveys.csv").read_text().splitlines()) == 1 + len(made_up)


def test_the_lawnmower_is_always_there_and_seeds_come_whole():
    todo = surveys(["bay", "lake"], [700.0], [10, 11], ["route"], error=0.5)
    assert [each.seed for each in todo] == [10] * 4 + [11] * 4
    assert [each.contender for each in todo[:2]] == ["lawnmower", "route"]


def test_surveys_are_of_equal_metres_and_are_kept(tmp_path):
    chosen = {"lawnmower": QUICK, "route": ROUTE, "myopic": QUICK}
    todo = [Survey("lake", 700.0, 0, name, choice=choice) for name, choice in chosen.items()]
    rows = [carry_out(each, tmp_path) for each in todo]
    assert len({found["budget"] for found in rows}) == 1
    for found in rows:
        assert 0.9 * found["budget"] < found["metres"] <= found["budget"]
        assert found["outside"] == 0
        assert 0 < found["within"] < 1
    assert rows[1]["plan_worst"] >= rows[1]["plan_median"] > 0
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert [carry_out(each, tmp_path) for each in todo] == rows
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == kept
    looser = carry_out(replace(todo[0], error=100.0), tmp_path)
    assert looser["within"] == 1.0


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name == "jacksboro" else NEEDS_DATA) for name in LAND])
def test_land_lies_under_water_with_home_inside(name):
    world = WATERS[name](1)
    X = world.area.extent.grid(40, 40)
    depths = world.bed(X[world.area.allows(X)])
    assert np.isfinite(depths).all()
    assert depths.min() > 0
    assert max(world.area.extent.size) == pytest.approx(260, rel=1e-3)
    assert world.area.allows(np.array([world.area.home]))[0]


def test_every_contender_is_a_path_that_surveys_know():
    assert all(Survey("lake", 700.0, 0, name).task.path == name for name in CONTENDERS)
