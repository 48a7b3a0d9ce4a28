"""Sensitivity and ablation, of made-up results: they say the opposite of opposite numbers."""

from pathlib import Path

import numpy as np
import pytest

from akrig.paper.ablation import sentences_about, write_ablation
from akrig.paper.sensitivity.data import FACTORS, Sensitivity, Verdict, advice_verdict, overall
from akrig.paper.sensitivity.report import write_sensitivity
from akrig.study.definition import load_study
from akrig.study.pairing import pairings
from akrig.study.results import Result, Results
from akrig.study.summary import averages
from tests.paper.made_up_benchmark import made_up_run
from tests.paper.report_files import figures, page_of, table

# Sensitivity


def sensed(study, price) -> Results:
    """MSLL rises by `price(factor, value)`."""
    results = []
    for s in study.specifications():
        factor = next(axis for axis in s.labels if axis in FACTORS)
        more = price(factor, float(s.labels[factor])) + 0.001 * int(s.labels["seed"])
        data = made_up_run(lambda metric, more=more: {"msll": -1.0, "smse": 0.2}.get(metric, 5.0) + more)
        results.append(Result(s.labels, data, Path("nowhere")))
    return Results(results)


def as_the_paper_says(factor: str, value: float) -> float:
    return 0.1 if FACTORS[factor].is_poor(value) else 0.0


def test_sensitivity_confirms_the_papers_trends(tmp_path):
    study = load_study("paper-sensitivity", seeds="0-2")
    said = write_sensitivity(study, sensed(study, as_the_paper_says), tmp_path)
    assert said[0].startswith("The paper's advice holds on every field: M of 5 or more, more than two hidden units")
    assert "5, 7, 11 and 17 are better than 2 and 3 by 0.100 on average, and better on 4 of 4 fields" in said[1]
    assert {"sensitivity-msll.pdf", "sensitivity-smse.png", "sensitivity-msll-above-best.png"} <= figures(tmp_path)
    rows = table(tmp_path, "sensitivity")
    assert len(rows) == 24 * 4 * 10
    assert rows[0]["seeds"] == "3"


def verdicts(price) -> list[Verdict]:
    data = Sensitivity(sensed(load_study("paper-sensitivity", seeds="0"), price))
    return [found for factor in data.factors if (found := advice_verdict(data, factor)) is not None]


def test_sensitivity_contradicts_the_paper_if_the_numbers_do():
    found = verdicts(lambda *at: -as_the_paper_says(*at))
    assert overall(found) == "None of the paper's advice holds on every field; see below."
    assert len(found) == 4
    assert all("does not hold here" in str(each) for each in found)


def test_sensitivity_sees_what_does_not_matter():
    found = verdicts(lambda *_: 0.0)
    assert all("hardly matters here" in str(each) for each in found)


def test_sensitivity_tells_advice_that_holds_from_advice_that_does_not():
    found = verdicts(lambda factor, value: as_the_paper_says(factor, value) * (factor == "kernel.hidden"))
    assert overall(found).startswith("Of the paper's advice, more than two hidden units holds on every field; not")


@pytest.mark.usefixtures("sketched")
def test_sensitivity_says_nothing_of_a_factor_that_is_hardly_begun(tmp_path):
    study = load_study("paper-sensitivity", seeds="0")
    few = Results(sensed(study, as_the_paper_says)[:1])
    said = write_sensitivity(study, few, tmp_path)
    assert said[0] == "Too few runs are finished to say which values are best."
    assert "95 of 96 runs are missing" in page_of(tmp_path)


# Ablation


def ablated(study, prices: dict[str, float]) -> Results:
    results = []
    for k, s in enumerate(study.specifications()):
        rng = np.random.default_rng([k, 1])
        price = prices[s.labels["kernel"]] + 0.01 * rng.standard_normal()
        data = made_up_run(lambda metric, price=price: {"msll": -1.0, "smse": 0.5}.get(metric, 5.0) + price)
        results.append(Result(s.labels, data, Path("nowhere")))
    return Results(results)


def test_ablation_shows_that_lengthscale_selection_is_necessary(tmp_path):
    study = load_study("paper-ablation", seeds="0-9")
    said = write_ablation(study, ablated(study, {"Full": 0.0, "Weight": 0.0, "Mask": 0.3, "NNx2": 0.02}), tmp_path)
    assert said[0] == "Lengthscale selection is necessary, as in the paper: Full beats Mask in 100\u00a0% of pairs."
    mask = next(sentence for sentence in said if "(Mask)" in sentence)
    assert "Full wins 40 of 40 pairs; it is significantly better on 4 and worse on 0 of 4 fields" in mask
    assert {"ablation-random.pdf", "ablation-curves-random.png"} <= figures(tmp_path)
    assert len(table(tmp_path, "ablation")) == 4 * 4 * 10
    assert {row["against"] for row in table(tmp_path, "paired")} == {"Weight", "Mask", "NNx2"}


def test_ablation_says_so_if_it_is_not_necessary():
    study = load_study("paper-ablation")
    results = ablated(study, {"Full": 0.3, "Weight": 0.3, "Mask": 0.0, "NNx2": 0.3})
    said = sentences_about(pairings(averages(results), "Full"), "Full")
    assert "does not show in these runs" in said[0]


@pytest.mark.usefixtures("sketched")
def test_one_seed_of_an_ablation_is_drawn_but_not_tested(tmp_path):
    study = load_study("paper-ablation", seeds="0")
    results = ablated(study, dict.fromkeys(("Full", "Weight", "Mask", "NNx2"), 0.0))
    one_field = Results([result for result in results if result.labels["field"] == "N17E073"])
    said = write_ablation(study, one_field, tmp_path)
    assert said[0] == "There are too few runs to compare variants seed by seed."
    assert "ablation-random.png" in figures(tmp_path)
