from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import numpy as np

from akrig.parts import KERNELS, OTHER_COLOUR
from akrig.plots.style import (
    kernel_colour,
    labels,
    line_styles,
    shared_palette,
    style,
    with_units,
)
from tests.plots.records import with_settings


def test_a_kernel_has_one_colour_and_strangers_share_one():
    colours = {name: part.colour for name, part in KERNELS.items()}
    assert kernel_colour("attentive") == colours["attentive"]
    assert kernel_colour("Matern32") == colours["matern"]
    assert kernel_colour("mylab.kernels:Mine") == kernel_colour("other")
    assert len({OTHER_COLOUR, *colours.values()}) == len(colours) + 1


def test_records_of_one_kernel_differ_in_their_line(attentive, rbf):
    first, other, again = line_styles([attentive, rbf, attentive])
    assert first["color"] == again["color"] != other["color"]
    assert first["linestyle"] == other["linestyle"] != again["linestyle"]


def test_labels_are_titles_unless_these_do_not_tell_records_apart(attentive, rbf):
    assert labels([attentive, rbf]) == [attentive.title, rbf.title]
    again = replace(attentive, path=Path("runs/again"))
    assert labels([attentive, again]) == [attentive.path.name, "again"]
    elsewhere = replace(with_settings(rbf, field="lake"), path=Path("runs/lake-rbf"))
    assert labels([attentive, elsewhere]) == [attentive.path.name, "lake-rbf"]


def test_units_are_named_only_where_there_are_some():
    assert with_units("depth", "m") == "depth (m)"
    assert with_units("depth", "") == "depth"


def test_the_palette_holds_black_white_and_the_ends_of_the_colour_maps():
    palette = {tuple(map(int, colour)) for colour in shared_palette(shades=(10, 10), greys=5)}
    assert {(0, 0, 0), (255, 255, 255)} <= palette
    assert tuple(np.round(255 * np.array(mpl.colormaps["viridis"](1.0)[:3])).astype(int).tolist()) in palette


def test_settings_of_the_caller_come_back():
    before = mpl.rcParams["font.size"]
    with style():
        assert mpl.rcParams["axes.titlelocation"] == "left"
    assert mpl.rcParams["font.size"] == before
    assert mpl.rcParams["axes.titlelocation"] == "center"
