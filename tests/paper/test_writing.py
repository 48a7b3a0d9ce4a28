import json

import matplotlib.pyplot as plt
import pytest

from akrig.paper.writing import ReportTable, add_figure, head, seeds_text, write_csv, write_markdown
from akrig.plots.page import study_table
from akrig.study.results import Results
from tests.paper.made_up_benchmark import made_up_results, made_up_study
from tests.plots.test_report import Page

TINY = {"field": ("N17E073",), "strategy": ("random",), "kernel": ("rbf",), "seeds": "0-2"}


def test_csv_has_six_digits_and_nothing_where_there_is_no_number(tmp_path):
    write_csv(tmp_path, "numbers", ["a", "b", "c"], [[1 / 3, float("nan"), None], ["x, y", 2, 1e-9]])
    assert (tmp_path / "tables" / "numbers.csv").read_text() == 'a,b,c\n0.333333,,\n"x, y",2,1e-09\n'


def test_markdown_has_the_best_in_bold_and_survives_bars(tmp_path):
    table = ReportTable(["Kernel", "SMSE"], [["a|b", "1"], ["c", "2"]], best=frozenset({(0, 1)}))
    write_markdown(tmp_path, "scores", ["# Scores", table])
    lines = (tmp_path / "tables" / "scores.md").read_text().splitlines()
    assert lines == ["# Scores", "", "| Kernel | SMSE |", "| --- | ---: |", "| a\\|b | **1** |", "| c | 2 |"]


def test_html_is_escaped_and_notes_stand_beneath():
    table = ReportTable(["Kernel", "SMSE"], [["<b>", "1"]], notes={(0, 1): "2 & 3"}, marked=frozenset({(0, 1)}))
    page = Page(study_table(table))
    assert page.text.split() == ["Kernel", "SMSE", "<b>", "1", "2", "&", "3"]
    assert page.values("small", "class") == ["far"]


def test_figures_are_pdf_and_png_and_on_the_page(tmp_path):
    others = plt.get_fignums()
    figure = plt.figure(figsize=(2, 1))
    figure.subplots().plot([0, 1])
    page = Page(add_figure(tmp_path, "line", figure, alt="A line", caption="Rises."))
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == ["line.pdf", "line.png"]
    assert page.values("img", "alt") == ["A line"]
    assert plt.get_fignums() == others


def test_head_tells_time_workers_and_versions_of_what_computed(tmp_path):
    study = made_up_study(**TINY)
    calls = [
        {"seconds": 1800.0, "workers": 2, "computed": 2, "versions": {"akrig": "0.0.9"}, "cpu": "Abacus"},
        {"seconds": 1200.0, "workers": 1, "computed": 1, "versions": {"akrig": "0.1.0"}, "cpu": "Abacus"},
        {"seconds": 7200.0, "workers": 9, "computed": 0, "versions": {"akrig": "0.1.0"}, "cpu": "Abacus"},
    ]
    (tmp_path / "study.json").write_text(json.dumps(calls))
    text = Page("".join(head(study, made_up_results(study), tmp_path))).text
    for fact in ("3 of 3 runs", "seeds 0 to 2", "50 min in 2 calls with 2 workers", "Abacus", "akrig 0.1.0"):
        assert fact in text
    assert "missing" not in text


def test_head_does_without_notes_and_without_results(tmp_path):
    text = Page("".join(head(made_up_study(**TINY), Results([]), tmp_path))).text
    assert "0 of 3 runs" in text
    assert "3 of 3 runs are missing" in text
    assert "worker" not in text


@pytest.mark.parametrize(
    ("seeds", "text"), [((0, 1, 2), "0 to 2"), ((3,), "3"), ((0, 1), "0, 1"), ((0, 2, 3), "0, 2, 3")]
)
def test_seeds_in_words(seeds, text):
    assert seeds_text(seeds) == text
