from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest

from akrig.geometry import Box
from akrig.plots.panel import (
    Surface,
    doubt_limits,
    draw_path,
    dress,
    extension,
    final_surface,
    is_path,
    map_extent,
    num_pilot,
    require_planar,
    value_limits,
)
from tests.plots.records import barely_begun


def test_the_path_is_drawn_through_all_readings_and_the_pilots_are_marked(attentive):
    axis = plt.figure().subplots()
    draw_path(axis, attentive)
    lines = {line.get_label(): np.asarray(line.get_xydata()) for line in axis.lines}
    X = attentive.samples.X
    np.testing.assert_array_equal(lines["path"], X)
    assert num_pilot(attentive) == 40
    np.testing.assert_array_equal(lines["pilot readings"], X[:40])
    np.testing.assert_array_equal(lines["readings"], X[40:])
    np.testing.assert_array_equal(lines["vehicle"], [attentive.epochs[-1].pose.position])


def test_far_jumps_are_not_joined(attentive, rng):
    shuffled = [
        replace(epoch, measurements=[replace(m, position=tuple(rng.uniform(0, 4000, 2))) for m in epoch.measurements])
        for epoch in attentive.epochs
    ]
    assert is_path(attentive)
    assert not is_path(replace(attentive, epochs=shuffled))
    assert not is_path(barely_begun(attentive))


def test_the_last_snapshot_stands_in_for_a_missing_map(attentive):
    surface = final_surface(replace(attentive, map=None))
    assert surface is not None
    assert surface.truth is None
    np.testing.assert_array_equal(surface.mean, attentive.snapshots[-1].mean)
    assert final_surface(barely_begun(attentive)) is None


def test_coordinates_are_the_middles_of_cells(attentive):
    left, right, bottom, top = map_extent(attentive)
    half_x, half_y = 5000 / 29 / 2, 4000 / 23 / 2
    assert (left, right) == pytest.approx((-half_x, 5000 + half_x))
    assert (bottom, top) == pytest.approx((-half_y, 4000 + half_y))


def test_limits_come_from_the_truth_and_never_collapse():
    flat = np.zeros((3, 3))
    surface = Surface((0, 1, 0, 1), mean=flat + 9, std=flat, truth=np.arange(9.0).reshape(3, 3), error=flat)
    assert value_limits([surface]) == (0, 8)
    assert doubt_limits([surface]) == (0, 1)
    low, high = value_limits([replace(surface, truth=flat)])
    assert low < 0 < high


def test_unknown_cells_do_not_spoil_the_limits():
    mean = np.array([[np.nan, 1.0], [2.0, 3.0]])
    assert value_limits([Surface((0, 1, 0, 1), mean=mean, std=mean)]) == (1, 3)


@pytest.mark.parametrize(
    ("values", "arrows"), [([0, 1], "neither"), ([-1, 1], "min"), ([0, 2], "max"), ([-1, 2], "both")]
)
def test_a_bar_shows_that_cells_lie_beyond_it(values, arrows):
    assert extension((0.0, 1.0), [np.array(values, dtype=float), None]) == arrows


@pytest.mark.parametrize(("side", "label", "tick"), [(5000.0, "x (km)", "2"), (500.0, "x (m)", "200")])
def test_axes_are_in_metres_or_kilometres(side, label, tick):
    figure = plt.figure()
    axis = figure.subplots()
    dress(axis, Box((0.0, 0.0), (side, side)))
    figure.canvas.draw()
    assert axis.get_xlabel() == label
    assert tick in [text.get_text() for text in axis.get_xticklabels()]


def test_a_line_is_no_map(attentive):
    with pytest.raises(ValueError, match="two dimensions"):
        require_planar(replace(attentive, workspace=Box((0.0,), (1.0,))))
