from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest

from akrig.frame import LocalFrame
from akrig.geometry import Box
from akrig.plots.maps import panel_figure
from akrig.plots.places import draw_scale_bar, label_degrees, round_length

FRAME = LocalFrame(8.55, 47.3)


@pytest.fixture
def survey(attentive):
    """A mission inside a fence, with an island in it."""
    corners = np.array([[500.0, 500.0], [4500.0, 500.0], [4500.0, 3500.0], [500.0, 3500.0]])
    island = np.array([[2000.0, 2000.0], [2300.0, 2000.0], [2100.0, 2300.0]])
    area = {"name": "lake", "fence": FRAME.to_degrees(corners).tolist()}
    area |= {"keep_outs": [FRAME.to_degrees(island).tolist()]}
    area |= {"home": FRAME.to_degrees(np.array([[700.0, 900.0]]))[0].tolist()}
    frame = {"longitude": FRAME.longitude, "latitude": FRAME.latitude}
    return replace(attentive, settings={**attentive.settings, "survey": {"area": area}, "frame": frame})


@pytest.mark.parametrize(("most", "length"), [(90, 50), (100, 100), (499, 200), (8100, 5000), (0.3, 0.2)])
def test_a_scale_bar_is_of_a_round_length(most, length):
    assert round_length(most) == pytest.approx(length)


def test_the_bar_is_as_long_as_it_says():
    axis = plt.figure().subplots()
    draw_scale_bar(axis, Box((0.0, 0.0), (900.0, 500.0)))
    (line,), (text,) = axis.lines, axis.texts
    assert text.get_text() == "200 m"
    assert np.ptp(line.get_xdata()) == pytest.approx(200)


def test_degrees_stand_where_they_are():
    axis, box = plt.figure().subplots(), Box((-300.0, -200.0), (500.0, 400.0))
    label_degrees(axis, box, FRAME)
    assert len(axis.get_xticks()) >= 2
    for x, label in zip(axis.get_xticks(), axis.get_xticklabels(), strict=True):
        longitude = FRAME.to_degrees(np.array([[x, box.lower[1]]]))[0, 0]
        assert label.get_text() == f"{longitude:.3f}° E"
    for y, label in zip(axis.get_yticks(), axis.get_yticklabels(), strict=True):
        latitude = FRAME.to_degrees(np.array([[box.lower[0], y]]))[0, 1]
        assert label.get_text() == f"{latitude:.3f}° N"


@pytest.mark.parametrize("name", ["mean", "std"])
def test_a_survey_shows_fence_keep_outs_home_scale_and_coordinates(survey, name):
    axis = panel_figure(survey, name).axes[0]
    shown = dict(zip(*reversed(axis.get_legend_handles_labels()), strict=True))
    assert {"fence", "keep-out", "home"} <= shown.keys()
    assert shown["home"].get_xydata()[0] == pytest.approx((700, 900), abs=0.01)
    assert shown["fence"].get_xydata()[0] == pytest.approx((500, 500), abs=0.01)
    assert any(text.get_text() == "1 km" for text in axis.texts)
    assert axis.get_xticklabels()[0].get_text().endswith("° E")


def test_a_mission_that_is_nowhere_has_metres_and_no_fence(attentive):
    axis = panel_figure(attentive, "mean").axes[0]
    assert axis.get_legend_handles_labels() == ([], [])
    assert axis.get_xlabel() == "x (km)"
