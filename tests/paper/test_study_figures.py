"""Figures of studies: what is drawn where; that they can be saved is tested with the reports."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from akrig.paper.ablation import variant_curves_figure, variants_figure
from akrig.paper.maps.figure import MapRow, snapshots_figure
from akrig.paper.overfitting.figure import TrainingCurve, overfitting_figure
from akrig.paper.sensitivity.figure import Dependence, sensitivity_figure
from akrig.plots.style import kernel_marks, marks


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def titles(figure):
    return [axis.get_title(loc="left") for axis in figure.axes if axis.get_title(loc="left")]


def test_kernels_keep_their_mark_and_unknown_ones_get_their_own():
    looks = kernel_marks(["rbf", "attentive", "mine", "yours"])
    assert len({look["marker"] for look in looks.values()}) == 4
    assert looks["rbf"] == kernel_marks(["rbf"])["rbf"]
    assert len({(look["color"], look["marker"]) for look in marks("abcdef").values()}) == 6


def curve(*, rises: bool) -> TrainingCurve:
    steps = np.arange(1, 101)
    test = np.abs(steps - 40) / 40 - 2 if rises else -steps / 50
    return TrainingCurve(steps, -steps / 20, test)


@pytest.mark.parametrize("count", [1, 3, 5])
def test_overfitting_has_a_panel_per_field_and_a_mark_at_the_best_step(count):
    fields = [f"field {k}" for k in range(count)]
    figure = overfitting_figure(
        {f: {"rbf": [curve(rises=True)], "deep": [curve(rises=False)]} for f in fields}, name="MSLL"
    )
    assert titles(figure) == fields
    spots = [line for line in figure.axes[0].lines if line.get_marker() in "sD"]
    assert [int(line.get_xdata()[0]) for line in spots] == [40, 100]
    legends = [axis.get_legend() for axis in figure.axes if axis.get_legend()] + figure.legends
    assert [text.get_text() for text in legends[0].get_texts()][:2] == ["rbf", "deep"]


def test_values_of_the_first_steps_do_not_flatten_the_rest():
    steep = curve(rises=True)
    steep.test[0] = 1000.0
    figure = overfitting_figure({"field": {"rbf": [steep]}}, name="MSLL")
    assert figure.axes[0].get_ylim()[1] < 10


def snapshot(*, is_path: bool = False) -> MapRow:
    x, y = np.linspace(0, 2, 11), np.linspace(0, 1, 6)
    layer = x[None] * y[:, None]
    walk = np.linspace([0, 0], [2, 1], 50)
    readings = walk if is_path else np.random.default_rng(0).permutation(walk)
    return MapRow(x, y, layer, 0.1 + layer, layer**2, readings)


def test_readings_that_follow_one_another_are_a_path():
    assert snapshot(is_path=True).is_path
    assert not snapshot().is_path


def test_maps_reach_from_edge_to_edge_of_their_cells():
    assert snapshot().surface.extent == pytest.approx((-0.1, 2.1, -0.1, 1.1))


def test_few_models_are_rows_and_many_are_columns():
    few = snapshots_figure({"rbf": snapshot(), "attentive": snapshot()}, quantity="elevation", units="ft")
    assert titles(few) == ["Truth", "Prediction", "Uncertainty", "Absolute error"]
    many = snapshots_figure({name: snapshot(is_path=True) for name in "abc"}, quantity="", units="")
    assert titles(many) == ["Truth", "a", "b", "c"]


def test_all_models_share_their_colour_scales():
    maps = {"rbf": snapshot(), "attentive": snapshot(is_path=True)}
    figure = snapshots_figure(maps, quantity="elevation", units="ft")
    limits = [axis.images[0].get_clim() for axis in figure.axes if axis.images and axis.axison]
    assert len(set(limits)) == 2
    labels = {axis.get_xlabel() for axis in figure.axes}
    assert {"elevation (ft)", "std, absolute error (ft)"} <= labels


def test_one_model_alone_can_be_drawn():
    assert titles(snapshots_figure({"rbf": snapshot()}, quantity="", units=""))[0] == "Truth"


def test_a_factor_over_decades_is_drawn_by_its_logarithm():
    wide = Dependence(np.array([0.005, 0.01, 0.2]), np.array([1.0, 2.0, 4.0]), np.full(3, np.nan))
    even = Dependence(np.array([2.0, 5.0, 17.0]), np.array([1.0, 0.5, 0.2]), np.full(3, 0.1))
    figure = sensitivity_figure({"short": {"a": wide}, "M": {"a": even, "b": even}}, name="MSLL", usual={"M": 10})
    assert [axis.get_xscale() for axis in figure.axes[:2]] == ["log", "linear"]
    assert wide.above_best().mean.tolist() == [0, 1, 3]


def test_variants_are_points_with_their_mean():
    values = {"Full": np.array([1.0, 3.0]), "Mask": np.array([5.0])}
    figure = variants_figure({"SMSE": {"a": values, "b": values}}, variants=["Full", "Mask", "NNx2"])
    axis = figure.axes[0]
    assert [text.get_text() for text in axis.get_xticklabels()] == ["Full", "Mask", "NNx2"]
    heights = [collection.get_segments()[0][0, 1] for collection in axis.collections]
    assert heights == [2.0, 5.0]


def test_curves_of_variants_have_a_panel_per_field():
    band = (np.arange(50.0, 700, 10), -np.arange(50.0, 700, 10) / 700, np.full(65, 0.01))
    figure = variant_curves_figure({"a": {"Full": band}, "b": {"Mask": band}}, variants=["Full", "Mask"], name="MSLL")
    assert titles(figure) == ["a", "b"]
