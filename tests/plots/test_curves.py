from dataclasses import replace

import numpy as np
import pytest

from akrig.config import load_settings
from akrig.journal.record import read_record
from akrig.plots.curves import curves_figure, has_curves
from akrig.runs import create_run, run_mission
from tests.plots.records import barely_begun, with_scored_epochs, without_truth


def panels(figure):
    return {axis.get_title(loc="left"): axis for axis in figure.axes if axis.get_visible()}


def test_lines_are_the_scores_over_the_readings(attentive, rbf):
    shown = panels(curves_figure([attentive, rbf]))
    for title, column in {"RMSE (m)": "rmse", "NLPD (nats)": "nlpd", "Uncertainty (m)": "uncertainty"}.items():
        for line, record in zip(shown[title].lines, (attentive, rbf), strict=True):
            np.testing.assert_array_equal(line.get_xdata(), record.scores["samples"])
            np.testing.assert_array_equal(line.get_ydata(), record.scores[column])
            assert line.get_label() == record.title


def test_coverage_has_its_nominal_line(attentive):
    axis = panels(curves_figure([attentive]))["95 % coverage"]
    assert [0.95, 0.95] in [list(line.get_ydata()) for line in axis.lines]
    assert axis.get_ylim()[1] >= 1


def test_several_records_have_a_legend_and_one_does_not(attentive, rbf):
    (legend,) = curves_figure([attentive, rbf]).legends
    assert [text.get_text() for text in legend.get_texts()] == [attentive.title, rbf.title]
    assert not curves_figure([attentive]).legends


def test_seconds_of_several_records_are_totals_at_their_readings(attentive, rbf):
    axis = panels(curves_figure([attentive, rbf]))["Seconds per epoch"]
    total = sum(attentive.timings[part] for part in ("plan", "follow", "fit", "look"))
    np.testing.assert_allclose(axis.lines[0].get_ydata(), total)
    np.testing.assert_array_equal(axis.lines[0].get_xdata(), [epoch.used.readings for epoch in attentive.epochs])


def test_seconds_are_all_that_a_real_mission_timed(tmp_path):
    options = {"field": "halves", "kernel": "rbf", "strategy": "random", "budget": 60}
    settings = load_settings(None, {**options, "scoring": {"grid": [12, 12], "map_grid": [12, 12]}})
    folder = create_run(settings, tmp_path / "run")
    run_mission(folder)
    record = read_record(folder.path)
    axis = panels(curves_figure([record]))["Seconds per epoch"]
    top = np.max([band.get_paths()[0].vertices[:, 1].max() for band in axis.collections])
    total = sum(column for name, column in record.timings.items() if name != "epoch")
    assert top == pytest.approx(total.max())
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["score", "fit", "follow", "plan"]


def test_without_a_truth_uncertainty_and_seconds_remain(attentive):
    assert list(panels(curves_figure([without_truth(attentive)]))) == ["Uncertainty (m)", "Seconds per epoch"]


def test_one_epoch_is_seen_as_a_point(attentive):
    axis = panels(curves_figure([with_scored_epochs(attentive, 1)]))["RMSE (m)"]
    assert axis.lines[0].get_marker() == "o"


def test_a_wild_beginning_does_not_flatten_the_rest(attentive):
    nlpd = np.concatenate([[500.0], np.linspace(6, 4, 19)])
    wild = replace(attentive, scores={"samples": np.arange(20.0), "nlpd": nlpd})
    axis = panels(curves_figure([wild]))["NLPD (nats)"]
    assert axis.get_ylim()[0] < 4 < 6 < axis.get_ylim()[1] < 50
    assert any("off scale" in text.get_text() for text in axis.texts)


def test_few_epochs_are_all_shown(attentive):
    wild = replace(attentive, scores={"samples": np.arange(3.0), "nlpd": np.array([500.0, 5.0, 4.0])})
    assert panels(curves_figure([wild]))["NLPD (nats)"].get_ylim()[1] > 500


def test_without_any_epoch_there_is_nothing_to_draw(attentive):
    nothing = barely_begun(attentive)
    assert not has_curves([nothing])
    assert has_curves([nothing, attentive])
    with pytest.raises(ValueError, match="no curve"):
        curves_figure([nothing])
    assert not has_curves([replace(nothing, scores={}, timings={})])
