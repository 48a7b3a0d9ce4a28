"""A figure of the user's own is one file: it stands in the report and in the folder of figures, with its caption."""

import base64

import pytest
from click.testing import CliRunner
from PIL import Image

from akrig.cli.report import report
from akrig.errors import ConfigError
from akrig.plots.figures import FIGURES, own_figures
from akrig.plots.report import figure_files, save_figures, write_report

MODULE = '''
import matplotlib.pyplot as plt


def reading_histogram(record):
    """How often <each> value was read.

    Nothing more.
    """
    figure, axis = plt.subplots()
    axis.hist(record.samples.y)
    return figure


def nothing(record): ...


def broken(record):
    raise RuntimeError("no ink")


def curves(record): ...
'''


@pytest.fixture(autouse=True)
def lab(tmp_path, monkeypatch):
    (tmp_path / "myfigures.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("sketched")
def test_it_is_in_the_report_and_among_the_figures(attentive, rbf, tmp_path):
    mine = own_figures(["myfigures:reading_histogram"])
    saved = save_figures(attentive, tmp_path / "figures", own=mine)
    assert list(saved.values()) == figure_files(attentive, tmp_path / "figures", own=mine)
    with Image.open(saved["reading_histogram"]) as image:
        assert image.width > 500
    write_report([attentive], tmp_path / "report.html", own=mine, drawn=saved)
    text = (tmp_path / "report.html").read_text()
    assert "<h2>Your own figures</h2>" in text
    assert f'alt="Reading histogram: {attentive.title}"' in text
    assert "<figcaption>How often &lt;each&gt; value was read.</figcaption>" in text
    assert base64.b64encode(saved["reading_histogram"].read_bytes()).decode() in text
    write_report([attentive, rbf], tmp_path / "both.html", own=mine)
    assert (tmp_path / "both.html").read_text().count("How often &lt;each&gt; value was read.") == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("myfigures:none", "has no 'none'"),
        ("nowhere:figure", "cannot be imported"),
        ("myfigures:plt", "is not a function"),
        ("myfigures:curves", r"a second curves\.png"),
    ],
)
def test_what_is_no_figure_is_refused_before_anything_is_drawn(name, said):
    with pytest.raises(ConfigError, match=said):
        own_figures([name])


@pytest.mark.parametrize(("name", "said"), [("nothing", "gives a NoneType"), ("broken", "RuntimeError: no ink")])
def test_one_that_fails_says_so_in_one_sentence(name, said, attentive, tmp_path):
    with pytest.raises(ConfigError, match=said):
        own_figures([f"myfigures:{name}"])[0].save([attentive], tmp_path / "it.png")


def test_the_commands_take_it_by_name(tmp_path):
    assert "--figure MODULE:FUNCTION" in CliRunner().invoke(report, ["--help"]).output


def test_every_entry_has_a_name_of_its_own_and_says_something(attentive):
    assert len({figure.name for figure in FIGURES}) == len(FIGURES)
    assert all(figure.caption([attentive]) for figure in FIGURES if figure.place != "folder")
