"""What was planned is drawn, and told in a sentence."""

from dataclasses import replace

import numpy as np
import pytest

from akrig.plots.foresight import expected, foresight_figure, has_foresight, moments
from akrig.plots.formatting import plain
from akrig.plots.report import save_figures, write_report
from akrig.types import ForeseenWay, Foresight, Plan
from tests.plots.records import along_a_line, make_record

ROUTE = ForeseenWay(np.array([[0.0, 0.0], [3000.0, 4000.0]]), 0.42)
LAWNMOWER = ForeseenWay(np.array([[0.0, 0.0], [0.0, 4000.0]]), 0.55)
PLAN = Plan(np.array([[300.0, 400.0]]), Foresight(ROUTE, LAWNMOWER))


@pytest.fixture(scope="module")
def planned():
    """A mission whose epochs 1 to 4 were planned to the end, and which is under way."""
    record = make_record(readings=90)
    epochs = [replace(epoch, plan=PLAN) if 1 <= epoch.index <= 4 else epoch for epoch in record.epochs]
    return replace(record, epochs=epochs, under_way=PLAN, ended=None)


def test_errors_are_told_in_units_or_as_shares():
    assert plain(expected(Foresight(ROUTE, LAWNMOWER), "m")) == "expected error 0.420 m; lawnmower 0.550 m"
    assert plain(expected(Foresight(ROUTE), "m")) == "expected error 0.420 m"
    told = "expected to leave 42 % of what is not known; lawnmower 55 %"
    assert plain(expected(Foresight(ROUTE, LAWNMOWER, is_share=True), "m")) == told


def test_each_plan_has_the_readings_before_it(planned):
    assert [moment.readings for moment in moments(planned)] == [40, 50, 60, 70, len(planned.samples)]


def test_other_missions_have_no_such_figure(attentive, planned, tmp_path):
    assert not has_foresight(attentive)
    assert not has_foresight(along_a_line(planned))
    assert "route" not in save_figures(attentive, tmp_path)


@pytest.mark.parametrize("is_narrow", [False, True])
def test_the_latest_plan_of_a_mission_under_way_is_drawn_with_both_ways(planned, is_narrow):
    figure = foresight_figure(planned, is_narrow=is_narrow)
    assert len(figure.axes) == 3
    last = figure.axes[-1]
    assert "expected error" in last.get_title(loc="left")
    drawn = [np.asarray(line.get_xydata()) for line in last.lines]
    for way in (ROUTE.places, LAWNMOWER.places):
        assert any(line.shape == way.shape and np.allclose(line, way) for line in drawn)
    assert any(len(line) == len(planned.samples) for line in drawn)


def test_of_a_mission_that_has_ended_the_last_metres_are_not_shown(planned):
    title = foresight_figure(replace(planned, under_way=None, ended="budget")).axes[-1].get_title(loc="left")
    assert plain(title).startswith("Planned after 60 readings: 5.00 km\n")


def test_plot_and_report_have_it(planned, tmp_path):
    assert save_figures(planned, tmp_path)["route"].is_file()
    write_report([planned], tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert "Where it was going" in text
    assert "the best lawnmower of the same length" in text
