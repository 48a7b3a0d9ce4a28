import base64
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from akrig.metrics import correlation
from akrig.plots.calibration import calibration_figure, cells
from akrig.plots.report import save_figures, write_report
from akrig.plots.save import compact, png_bytes
from tests.plots.records import (
    along_a_line,
    barely_begun,
    in_a_volume,
    with_scored_epochs,
    with_settings,
    without_truth,
)

VOID = {"meta", "img", "br", "link", "hr", "input"}


class Page(HTMLParser):
    """Checks that tags close in order, and gathers what a test asks about."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.words = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.words))

    def values(self, tag, name):
        return [value for tag_, name_, value in self.attributes if (tag_, name_) == (tag, name)]


def page_of(records, tmp_path):
    path = tmp_path / "report.html"
    write_report(records, path)
    assert list(tmp_path.iterdir()) == [path]
    return Page(path.read_text(encoding="utf-8"))


def lean(record):
    """Without maps, for tests that read only words."""
    return replace(record, map=None, snapshots=[], timings={})


@pytest.fixture(scope="module")
def whole_page(attentive, tmp_path_factory):
    return page_of([attentive], tmp_path_factory.mktemp("one"))


def test_the_page_needs_nothing_but_itself(attentive, rbf, tmp_path):
    page = page_of([attentive, rbf], tmp_path)
    raw = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not {"script", "link", "iframe"} & set(page.tags)
    assert not re.search(r"https?://|url\(|@import", raw)
    sources = page.values("img", "src")
    assert len(sources) == 14  # comparison, curves, calibration; four maps and a film twice; attention once
    assert all(source.startswith("data:image/") for source in sources)
    assert all(len(source) < 200_000 for source in sources if "png" in source[:20])
    assert len(raw) < 6_000_000


def test_every_image_says_what_it_is(whole_page):
    page = whole_page
    assert len(page.values("img", "alt")) == page.tags.count("img") == page.tags.count("figcaption") == 8
    assert all(page.values("img", "alt"))


@pytest.mark.usefixtures("sketched")
def test_a_title_cannot_smuggle_markup_in(attentive, tmp_path):
    evil = "<script>alert(1)</script>"
    record = with_settings(lean(attentive), field=evil, kernel=evil, strategy=evil)
    settings = {**record.settings, evil: evil}
    evils = {"quantity": evil, "units": evil, "ended": evil, "path": Path(f"runs/{evil}")}
    page = page_of([replace(record, settings=settings, **evils)], tmp_path)
    assert "script" not in page.tags
    assert evil in page.text


def test_it_tells_scores_settings_versions_and_how_to_repeat(attentive, whole_page):
    page = whole_page
    assert "Ridge: elevation mapped with the attentive kernel" in page.text
    assert f"{attentive.scores['rmse'][-1]:.1f} m" in page.text
    assert "akrig run runs/ridge-attentive-myopic-0/config.toml" in page.text
    assert "kernel.name" in page.text
    assert "torch 2.9.0" in page.text
    assert "about.quantity" not in page.text
    assert "This mission" not in page.text


def test_it_opens_with_the_map_prediction_first(whole_page):
    alts = [alt.split(":")[0] for alt in whole_page.values("img", "alt")]
    assert alts[:4] == ["Prediction", "Uncertainty", "Truth", "Error"]
    text = whole_page.text
    assert text.index("The map") < text.index("The vehicle took") < text.index("Beside the truth")


@pytest.mark.usefixtures("sketched")
def test_a_correlation_is_one_number_wherever_it_is_shown(attentive, tmp_path):
    """Scores are of a coarser grid than the map: of the two, only the score is shown."""
    record = replace(attentive, scores={**attentive.scores, "correlation": attentive.scores["correlation"] * 0 + 0.37})
    assert correlation(*cells(record)) != pytest.approx(0.37, abs=0.02)
    figure = calibration_figure([record])
    assert [axis.get_title(loc="left") for axis in figure.axes][1] == "Error by uncertainty: correlation 0.37"
    labels = [text.get_text() for text in calibration_figure([record, record]).axes[1].get_legend().get_texts()]
    assert sum(label.endswith(": 0.37") for label in labels) == 2
    text = page_of([replace(record, snapshots=[], timings={})], tmp_path).text
    assert text.count("0.37") >= 3  # the sentence, the tile, the table


@pytest.mark.usefixtures("sketched")
@pytest.mark.parametrize(
    ("settings", "command"),
    [
        ({}, "akrig run {path}/config.toml --out again"),
        ({"survey": {"area": {}, "simulated": True}}, "akrig survey {path}/config.toml --simulate --out again"),
        ({"survey": {"area": {}, "simulated": False}}, "akrig survey {path}/config.toml --out again"),
        ({"vehicle": {"name": "replay", "log": "old.csv"}}, "akrig replay {path} --out again"),
    ],
)
def test_it_names_the_command_that_repeats_the_mission(attentive, settings, command, tmp_path):
    record = replace(lean(attentive), settings={**attentive.settings, **settings})
    assert command.format(path=record.path) in page_of([record], tmp_path).text


@pytest.mark.usefixtures("sketched")
def test_the_settings_file_is_inside_if_there_is_one(attentive, tmp_path):
    run, out = tmp_path / "run", tmp_path / "out"
    run.mkdir()
    out.mkdir()
    (run / "config.toml").write_text('preset = "paper"\n')
    page = page_of([replace(lean(attentive), path=run)], out)
    assert 'preset = "paper"' in page.text


@pytest.mark.usefixtures("sketched")
def test_of_several_records_the_best_is_bold(attentive, rbf, tmp_path):
    page_of([lean(rbf), lean(attentive)], tmp_path)
    raw = (tmp_path / "report.html").read_text(encoding="utf-8")
    row = re.search(r"RMSE \(m\)<small>.*?</tr>", raw)
    assert row is not None
    first, second = re.findall(r"<td>(.*?)</td>", row.group())
    assert "<b>" not in first
    assert second.startswith("<b>")


def test_one_record_alone_is_not_called_best(whole_page):
    assert "b" not in whole_page.tags


@pytest.mark.usefixtures("sketched")
def test_different_fields_are_not_ranked_nor_drawn_side_by_side(attentive, rbf, tmp_path):
    page = page_of([lean(attentive), replace(with_settings(lean(rbf), field="lake"), path=Path("runs/lake"))], tmp_path)
    assert "different fields" in page.text
    assert "b" not in page.tags
    assert "side by side" not in page.text


@pytest.mark.usefixtures("sketched")
def test_an_unfinished_mission_says_so_at_the_top(attentive, tmp_path):
    page = page_of([replace(attentive, ended=None, map=None)], tmp_path)
    assert page.text.index("has not ended") < page.text.index("The vehicle took")
    assert "The map" in page.text  # from the last snapshot
    assert "Can the uncertainty be trusted?" not in page.text


@pytest.mark.usefixtures("sketched")
def test_without_truth_nothing_is_said_about_errors(attentive, tmp_path):
    page = page_of([without_truth(attentive)], tmp_path)
    assert "truth is not known" in page.text
    assert "RMSE" not in page.text
    assert "darker" not in page.text
    assert "None" not in page.text
    assert "nan" not in page.text


@pytest.mark.usefixtures("sketched")
@pytest.mark.parametrize("num_epochs", [0, 1])
def test_few_scored_epochs_are_enough(attentive, num_epochs, tmp_path):
    page = page_of([with_scored_epochs(replace(attentive, map=None, snapshots=[]), num_epochs)], tmp_path)
    assert ("Scores at the end" in page.text) == bool(num_epochs)


@pytest.mark.usefixtures("sketched")
def test_a_mission_that_has_barely_begun_has_a_page(attentive, rbf, tmp_path):
    page = page_of([barely_begun(attentive)], tmp_path)
    assert "No reading has been recorded yet." in page.text
    assert "img" not in page.tags
    assert "rbf" in page_of([barely_begun(attentive), lean(rbf)], tmp_path).text


@pytest.mark.usefixtures("sketched")
def test_no_snapshots_no_film(attentive, tmp_path):
    page = page_of([replace(lean(attentive), map=attentive.map)], tmp_path)
    assert not any("gif" in source[:20] for source in page.values("img", "src"))


@pytest.mark.usefixtures("sketched")
def test_many_records_are_cut_to_fit_and_it_says_so(rbf, tmp_path):
    many = [with_settings(lean(rbf), seed=seed) for seed in range(8)]
    page = page_of(many, tmp_path)
    assert "2 more missions are left out" in page.text
    assert "rbf, myopic, seed 7" in page.text


def test_a_field_of_one_dimension_is_drawn_as_lines(attentive, tmp_path):
    line = along_a_line(attentive)
    page = page_of([line], tmp_path)
    alts = [alt.split(":")[0] for alt in page.values("img", "alt")]
    assert alts == ["Profile", "Curves", "Attention", "Calibration"]
    assert "rises out of the band" in page.text
    assert "darker" not in page.text
    assert "(dark)" not in page.text
    saved = save_figures(line, tmp_path / "figures")
    assert list(saved) == ["profile", "curves", "attention", "calibration"]


@pytest.mark.usefixtures("sketched")
def test_several_lines_are_compared(attentive, rbf, tmp_path):
    page = page_of([along_a_line(attentive), along_a_line(rbf)], tmp_path)
    alts = [alt.split(":")[0] for alt in page.values("img", "alt")]
    assert alts == ["Profiles", "Curves", "Calibration", "Profile", "Attention", "Profile"]


@pytest.mark.usefixtures("sketched")
def test_an_unfinished_line_has_a_page_without_pictures_of_it(attentive, tmp_path):
    begun = replace(along_a_line(attentive), map=None, ended=None)
    page = page_of([begun], tmp_path)
    assert [alt.split(":")[0] for alt in page.values("img", "alt")] == ["Curves"]
    assert list(save_figures(begun, tmp_path / "figures")) == ["curves"]


@pytest.mark.usefixtures("sketched")
def test_a_field_of_three_dimensions_has_all_but_maps_and_says_so(attentive, rbf, tmp_path):
    volume = in_a_volume(attentive)
    page = page_of([volume], tmp_path)
    assert [alt.split(":")[0] for alt in page.values("img", "alt")] == ["Curves", "Calibration"]
    assert "Maps of three dimensions are not drawn" in page.text
    assert "Scores at the end" in page.text
    assert "kernel.name" in page.text
    assert "not drawn" in page_of([volume, in_a_volume(rbf)], tmp_path).text
    assert list(save_figures(volume, tmp_path / "figures")) == ["curves", "calibration"]


def test_maps_that_are_drawn_are_not_called_undrawn(whole_page):
    assert "not drawn" not in whole_page.text


@pytest.mark.usefixtures("sketched")
def test_the_folder_of_the_page_is_made(attentive, tmp_path):
    write_report([lean(attentive)], tmp_path / "new" / "folder" / "page.html")
    assert (tmp_path / "new" / "folder" / "page.html").is_file()


def test_a_report_needs_a_record(tmp_path):
    with pytest.raises(ValueError, match="at least one"):
        write_report([], tmp_path / "report.html")


def test_figures_are_saved_as_far_as_there_is_matter(attentive, rbf, tmp_path):
    saved = save_figures(attentive, tmp_path / "figures")
    assert [path.name for path in saved.values()] == [
        "maps.png",
        "mission.gif",
        "curves.png",
        "attention.png",
        "calibration.png",
    ]
    for path in saved.values():
        with Image.open(path) as image:
            assert image.width > 500
    assert list(save_figures(replace(without_truth(rbf), snapshots=[]), tmp_path / "rbf")) == ["maps", "curves"]
    assert save_figures(barely_begun(rbf), tmp_path / "none") == {}


@pytest.mark.usefixtures("sketched")
def test_what_is_drawn_already_is_taken(attentive, tmp_path, monkeypatch):
    saved = save_figures(attentive, tmp_path / "figures")
    drawn = []
    monkeypatch.setattr(
        "akrig.plots.figures.png_bytes", lambda figure, **how: drawn.append(figure) or png_bytes(figure, **how)
    )
    write_report([attentive], tmp_path / "report.html", drawn=saved)
    assert len(drawn) == 6  # four maps, which a page has one by one; curves and calibration for a phone
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    images = [base64.b64decode(source.partition(",")[2]) for source in page.values("img", "src")]
    assert len(images) == 8
    assert {saved["mission"].read_bytes(), compact(saved["curves"].read_bytes())} <= set(images)
