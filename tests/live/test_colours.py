"""One meaning per colour: the page and the report paint the same value in the same colour."""

import re
from dataclasses import replace
from importlib.resources import files

import matplotlib as mpl
import numpy as np
import pytest

from akrig.journal.folder import RunFolder
from akrig.live.run_info import read_run_info
from akrig.plots.maps import maps_figure
from tests.plots.records import make_record


@pytest.fixture(scope="module")
def record():
    return make_record("attentive")


def page_tables() -> dict[str, np.ndarray]:
    """What the page carries, (256, 3) each."""
    text = (files("akrig.live") / "page" / "colours.js").read_text()
    tables = re.findall(r"(\w+):\n((?:\s+\"[0-9a-f]+\"[ +,]*\n)+)", text)
    joined = {name: bytes.fromhex("".join(re.findall(r"[0-9a-f]{6,}", part))) for name, part in tables}
    return {name: np.frombuffer(data, np.uint8).reshape(256, 3) for name, data in joined.items()}


def test_the_pages_tables_are_those_of_the_figures():
    tables = page_tables()
    assert set(tables) == {"viridis", "magma", "cividis"}
    for name, table in tables.items():
        expected = np.round(255 * mpl.colormaps[name](np.arange(256))[:, :3])
        np.testing.assert_allclose(table, expected, atol=1)


@pytest.mark.parametrize("quantity", ["depth", "elevation"])
def test_page_and_report_agree(run, record, quantity):
    about = read_run_info(RunFolder.open(run))
    about.settings["about"] = {"quantity": quantity, "units": "m"}
    told = about.for_page(RunFolder.open(run))["colours"]
    figure = maps_figure(replace(record, quantity=quantity))
    drawn = {axis.get_title(loc="left"): axis.images[0].get_cmap() for axis in figure.axes if axis.images}
    for layer, title in {
        "mean": "Prediction",
        "truth": "Truth",
        "std": "Uncertainty",
        "error": "Absolute error",
    }.items():
        assert told[layer] == drawn[title].name


def test_deep_is_dark_and_so_is_low_ground(run, record):
    for quantity, darkest in {"depth": 1.0, "elevation": 0.0}.items():
        shades = maps_figure(replace(record, quantity=quantity)).axes[0].images[0].get_cmap()
        assert sum(shades(darkest)[:3]) < sum(shades(1 - darkest)[:3])


def test_uncertainty_is_one_standard_deviation_in_the_figure_as_in_the_file(record):
    figure = maps_figure(record)
    shown = next(axis for axis in figure.axes if axis.get_title(loc="left") == "Uncertainty").images[0].get_array()
    np.testing.assert_allclose(shown, record.map["std"].to_numpy())
