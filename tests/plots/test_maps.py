from dataclasses import replace

import numpy as np
import pytest

from akrig.geometry import Box
from akrig.plots.maps import comparison_figure, maps_figure
from akrig.plots.panel import final_surface
from tests.plots.records import barely_begun, with_settings, without_truth


def panels(figure):
    return {axis.get_title(loc="left"): axis for axis in figure.axes if axis.images and axis.get_title(loc="left")}


def bar_labels(figure):
    return [axis.get_xlabel() or axis.get_ylabel() for axis in figure.axes if axis.get_label() == "<colorbar>"]


def test_truth_and_prediction_share_a_scale_as_do_uncertainty_and_error(attentive):
    shown = panels(maps_figure(attentive))
    assert list(shown) == ["Truth", "Prediction", "Uncertainty", "Absolute error"]
    limits = {title: axis.images[0].get_clim() for title, axis in shown.items()}
    truth = attentive.map["truth"].to_numpy()
    assert limits["Truth"] == limits["Prediction"] == (truth.min(), truth.max())
    assert limits["Uncertainty"] == limits["Absolute error"]
    assert limits["Absolute error"][0] == 0


def test_what_is_drawn_is_what_was_recorded(attentive):
    shown = panels(maps_figure(attentive))
    for title, layer in {"Truth": "truth", "Prediction": "mean", "Absolute error": "error"}.items():
        np.testing.assert_allclose(shown[title].images[0].get_array(), attentive.map[layer].to_numpy())
    np.testing.assert_allclose(shown["Uncertainty"].images[0].get_array(), attentive.map["std"].to_numpy())
    assert shown["Truth"].images[0].origin == "lower"


def test_the_path_is_on_the_uncertainty_alone(attentive):
    shown = panels(maps_figure(attentive))
    paths = {title: [line for line in axis.lines if line.get_label() == "path"] for title, axis in shown.items()}
    assert [title for title, lines in paths.items() if lines] == ["Uncertainty"]
    np.testing.assert_array_equal(paths["Uncertainty"][0].get_xydata(), attentive.samples.X)


def test_colour_bars_name_quantity_and_units(attentive):
    assert bar_labels(maps_figure(attentive)) == ["elevation (m)", "standard deviation, absolute error (m)"]
    bare = replace(attentive, quantity="", units="")
    assert bar_labels(maps_figure(bare)) == ["value", "standard deviation, absolute error"]


def test_without_a_truth_there_are_two_panels(attentive):
    figure = maps_figure(without_truth(attentive))
    assert list(panels(figure)) == ["Prediction", "Uncertainty"]
    assert bar_labels(figure) == ["elevation (m)", "standard deviation (m)"]


def test_an_error_that_was_taken_out_of_the_map_is_computed_again(attentive):
    bare = replace(attentive, map=attentive.map.drop_vars("error"))
    surface, whole = final_surface(bare), final_surface(attentive)
    assert np.allclose(surface.error, whole.error)
    assert list(panels(maps_figure(bare))) == list(panels(maps_figure(attentive)))


@pytest.mark.parametrize(("columns", "rows"), [(4, 1), (2, 2)])
def test_columns_can_be_chosen(attentive, columns, rows):
    assert maps_figure(attentive, columns=columns).axes[0].get_gridspec().get_geometry() == (rows, columns)


def test_a_wide_field_is_drawn_two_by_two(attentive):
    wide = replace(attentive, workspace=Box((0.0, 0.0), (5000.0, 2000.0)))
    assert maps_figure(wide).axes[0].get_gridspec().get_geometry() == (2, 2)


def test_compared_records_share_scales_over_rows(attentive, rbf):
    figure = comparison_figure([attentive, rbf])
    images = [axis.images[0] for axis in figure.axes if axis.images and axis.get_label() != "<colorbar>"]
    assert len(images) == 6
    assert len({image.get_clim() for image in images}) == 2
    assert len({images[place].get_clim() for place in (0, 3)}) == 1
    assert [axis.get_ylabel().split("\n")[0] for axis in figure.axes[::3][:2]] == [attentive.title, rbf.title]


def test_a_comparison_leaves_the_error_out_if_one_truth_is_unknown(attentive, rbf):
    figure = comparison_figure([attentive, without_truth(rbf)])
    assert "Absolute error" not in panels(figure)


def test_records_of_different_fields_are_not_compared(attentive, rbf):
    with pytest.raises(ValueError, match="one field"):
        comparison_figure([attentive, with_settings(rbf, field="lake")])


def test_nothing_to_draw_is_said(attentive):
    with pytest.raises(ValueError, match="neither a map nor a snapshot"):
        maps_figure(barely_begun(attentive))
