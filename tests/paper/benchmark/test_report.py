import csv

import pytest

from akrig.paper import scoring
from akrig.paper.benchmark.report import write_benchmark
from akrig.study.results import Results
from tests.paper.made_up_benchmark import as_in_the_paper, made_up_results, made_up_study
from tests.plots.test_report import Page

SMALL = {"field": ("N17E073", "N43W080"), "strategy": ("random", "myopic"), "seeds": "0-2"}
TINY = {"field": ("N17E073",), "strategy": ("random",), "seeds": "0-1"}


def rows_of(folder, name):
    with (folder / "tables" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def page_of(folder):
    return Page((folder / "report.html").read_text(encoding="utf-8"))


def markdown(folder, name):
    return (folder / "tables" / f"{name}.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    """The paper's own numbers, but for one cell where Gibbs wins and RBF is far off."""
    folder, study = tmp_path_factory.mktemp("paper"), made_up_study(**SMALL)

    def level(labels, metric):
        value = as_in_the_paper(labels, metric)
        here = (labels["strategy"], labels["field"], metric) == ("myopic", "N43W080", "mae")
        return value * {"gibbs": 0.5, "rbf": 1.3}.get(labels["kernel"], 1.0) if here else value

    return folder, write_benchmark(study, made_up_results(study, level), folder)


def test_writes_tables_figures_and_page(paper):
    folder, said = paper
    tables = {path.name for path in (folder / "tables").iterdir()}
    assert {"benchmark.csv", "table-1-random.md", "table-2-myopic.md", "comparison.csv", "comparison.md"} <= tables
    assert {"paired.csv", "paired.md", "rankings.csv", "rankings.md", "reasons.md", "calibration.md"} <= tables
    figures = {path.name for path in (folder / "figures").iterdir()}
    assert figures == {
        f"{name}.{e}" for name in ("curves-random", "curves-myopic", "differences") for e in ("pdf", "png")
    }
    assert said[-1] == f"Report: {folder / 'report.html'}"


def test_page_is_self_contained(paper):
    page = page_of(paper[0])
    assert all(source.startswith("data:image/png;base64,") for source in page.values("img", "src"))
    assert len(page.values("img", "src")) == 3
    assert "script" not in page.tags
    assert "link" not in page.tags


def test_says_who_won_honestly(paper):
    _, said = paper
    assert said[0] == "The attentive kernel is best in 19 of 20 cells (field, strategy and metric); gibbs in 1."
    assert "78 are within three of its standard deviations (of the other 2, 1 better and 1 worse)" in said[3]
    assert "the best kernel is the paper's in 19 of 20 cells" in said[3]


def test_csv_is_long(paper):
    rows = rows_of(paper[0], "benchmark")
    assert list(rows[0]) == ["strategy", "field", "kernel", "metric", "mean", "std", "seeds"]
    assert len(rows) == 2 * 2 * 4 * 10
    first = next(row for row in rows if row["kernel"] == "attentive" and row["metric"] == "smse")
    assert float(first["mean"]) == pytest.approx(0.111)
    assert float(first["std"]) == pytest.approx(0.004)
    assert first["seeds"] == "3"


def test_markdown_has_the_best_in_bold(paper):
    lines = markdown(paper[0], "table-1-random").splitlines()
    assert lines[0] == "# Table 1: random sampling"
    best = next(line for line in lines if "attentive" in line)
    assert best.count("**") == 10
    assert next(line for line in lines if "| rbf |" in line).count("**") == 0


def test_far_numbers_are_listed_with_reasons(paper):
    text = markdown(paper[0], "reasons")
    assert "2 of 80 numbers are farther than three" in text
    assert "myopic, N43W080, gibbs" in text
    assert "another exponent" in text
    rows = rows_of(paper[0], "comparison")
    assert sum(row["within_three"] == "no" for row in rows) == 2


def test_rankings_are_compared(paper):
    rows = rows_of(paper[0], "rankings")
    assert len(rows) == 20
    assert [row["paper_order"].split()[0] for row in rows] == ["attentive"] * 20
    assert sum(row["same_best"] == "no" for row in rows) == 1


def test_calibration_stands_beside_accuracy(paper):
    text = page_of(paper[0]).text
    assert "95 % intervals of the attentive kernel hold 94 % of the truth" in text
    assert "0.40" in markdown(paper[0], "calibration")


@pytest.mark.usefixtures("sketched")
def test_own_kernel_has_a_row_and_no_theirs(tmp_path):
    study = made_up_study(**TINY, kernel=("rbf", "attentive", "mylab.kernels:Mine|2"))
    write_benchmark(study, made_up_results(study), tmp_path)
    assert any(row["kernel"] == "Mine|2" for row in rows_of(tmp_path, "benchmark"))
    assert {row["kernel"] for row in rows_of(tmp_path, "comparison")} == {"rbf", "attentive"}
    assert "Mine\\|2" in markdown(tmp_path, "table-1-random")


@pytest.mark.usefixtures("sketched")
def test_missing_runs_are_named(tmp_path):
    study = made_up_study(**TINY)
    present = [run for run in made_up_results(study) if run.labels != study.specifications()[0].labels]
    write_benchmark(study, Results(present), tmp_path)
    text = page_of(tmp_path).text
    assert "1 of 8 runs is missing" in text
    assert "field=N17E073, strategy=random, kernel=rbf, seed=0" in text


def test_without_any_result_the_page_says_so(tmp_path):
    said = write_benchmark(made_up_study(**TINY), Results([]), tmp_path)
    assert said == [f"There are no results yet: {tmp_path / 'report.html'}"]
    assert "8 of 8 runs are missing" in page_of(tmp_path).text


@pytest.mark.usefixtures("sketched")
def test_other_terrains_have_no_comparison(tmp_path):
    study = made_up_study(**TINY | {"field": ("ridges",)})
    results = made_up_results(
        study, lambda labels, metric: 1.0 + 0.1 * int(labels["seed"]) + (labels["kernel"] == "rbf")
    )
    write_benchmark(study, results, tmp_path)
    assert "there is nothing to compare with" in page_of(tmp_path).text
    assert not (tmp_path / "tables" / "comparison.csv").exists()
    assert not (tmp_path / "figures" / "differences.png").exists()


@pytest.mark.usefixtures("sketched")
def test_other_settings_are_not_compared_or_compared_with_a_warning(tmp_path):
    study = made_up_study(**TINY, base={"preset": "default"})
    write_benchmark(study, made_up_results(study), tmp_path / "a")
    assert "nothing to compare with" in page_of(tmp_path / "a").text
    study = made_up_study(**TINY, base={"preset": "paper", "budget": {"readings": 100}})
    write_benchmark(study, made_up_results(study), tmp_path / "b")
    assert "The paper's experiment did not have these settings: budget." in page_of(tmp_path / "b").text


@pytest.mark.usefixtures("sketched")
def test_one_kernel_and_one_seed_are_enough_for_a_page(tmp_path):
    study = made_up_study(**TINY | {"seeds": "0"}, kernel=("rbf",))
    said = write_benchmark(study, made_up_results(study), tmp_path)
    assert said[0] == "All runs are with the RBF kernel: there is no other to compare it with."
    assert not (tmp_path / "tables" / "paired.csv").exists()


@pytest.mark.usefixtures("sketched")
def test_effect_of_scoring_less_often_is_shown_where_it_was_measured(tmp_path, paper):
    assert "What that changes was not measured beside this study" in page_of(paper[0]).text
    every = made_up_study(**TINY, base={"preset": "paper"})
    said = scoring.write_scoring(every, made_up_results(every), tmp_path / "paper-scoring")
    assert said[0].startswith(
        "Scoring every 10 readings instead of after every epoch changes averaged metrics by at most"
    )
    rows = rows_of(tmp_path / "paper-scoring", "scoring")
    assert {row["every"] for row in rows} == {"5", "10", "20", "50"}
    assert all(0 <= float(row["mean"]) <= float(row["largest"]) < 0.05 for row in rows)
    study = made_up_study(**TINY)
    write_benchmark(study, made_up_results(study), tmp_path / "paper-benchmark")
    text = page_of(tmp_path / "paper-benchmark").text
    assert "in 8 runs" in text
    assert "was not measured" not in text


@pytest.mark.usefixtures("sketched")
def test_scored_after_every_epoch_nothing_is_said_of_scoring(tmp_path):
    study = made_up_study(**TINY, base={"preset": "paper"})
    write_benchmark(study, made_up_results(study), tmp_path)
    assert "How often maps were scored" not in page_of(tmp_path).text
