from itertools import product

import numpy as np
import pytest
from scipy.stats import rankdata, ttest_1samp, wilcoxon

from akrig.study.pairing import holm, pairings, reference_kernel, signed_rank_p
from akrig.study.results import Results
from akrig.study.summary import averages
from tests.paper.made_up_benchmark import as_in_the_paper, made_up_results, made_up_study


def paired(level=as_in_the_paper, **study):
    table = averages(made_up_results(made_up_study(**study), level))
    return pairings(table, "attentive")


def exact_signed_rank_p(difference):
    """Every way of giving signs to the ranks."""
    ranks = rankdata(np.abs(difference))
    half = ranks.sum() / 2
    seen = abs(ranks[difference > 0].sum() - half)
    sums = [np.dot(ranks, signs) for signs in product((0, 1), repeat=len(ranks))]
    return np.mean([abs(total - half) >= seen - 1e-9 for total in sums])


def test_the_attentive_kernel_is_the_reference_if_there_is_one():
    assert reference_kernel(["rbf", "attentive"]) == "attentive"
    assert reference_kernel(["mine", "rbf"]) == "mine"


def test_every_other_kernel_field_strategy_and_metric_is_tested():
    found = paired(seeds="0-3")
    assert len(found) == 4 * 3 * 5 * 3
    assert {pairing.other for pairing in found} == {"rbf", "gibbs", "deep"}
    assert all(pairing.num_seeds == 4 for pairing in found)


@pytest.mark.parametrize("seed", range(3))
def test_signed_rank_test_is_exact(seed):
    difference = np.random.default_rng(seed).normal(0.4, 1, 9)
    assert signed_rank_p(difference) == pytest.approx(exact_signed_rank_p(difference))


def test_signed_rank_test_is_exact_with_equal_differences_and_as_scipy_has_it_without():
    tied = np.array([1.0, -1.0, 2.0, 2.0, 3.0, 3.0, -0.5])
    assert signed_rank_p(tied) == pytest.approx(exact_signed_rank_p(tied))
    many = np.random.default_rng(0).normal(0.3, 1, 30)
    assert signed_rank_p(many) == pytest.approx(wilcoxon(many, method="exact").pvalue)


def test_ten_seeds_won_give_the_least_p():
    assert signed_rank_p(-np.arange(1.0, 11)) == pytest.approx(2 / 1024)


def test_equal_runs_are_no_evidence():
    found = paired(lambda labels, metric: 1.0 + int(labels["seed"]), seeds="0-9")
    assert all((p.won, p.difference, p.wilcoxon, p.t, p.corrected) == (0, 0, 1, 1, 1) for p in found)


def test_a_difference_that_never_varies_is_certain():
    found = paired(lambda labels, metric: 2.0 - (labels["kernel"] == "attentive"), seeds="0-9")
    assert all(p.is_better and p.won == 10 and p.difference == pytest.approx(-1) for p in found)


def test_won_and_difference_are_of_the_reference():
    def level(labels, metric):
        better = labels["kernel"] == "attentive" and labels["seed"] != "0"
        return 5.0 - better + 0.01 * int(labels["seed"])

    found = paired(level, seeds="0-4", kernel=("rbf", "attentive"))
    assert {(p.won, p.num_seeds) for p in found} == {(4, 5)}
    assert found[0].difference == pytest.approx(-0.8)
    assert found[0].t == pytest.approx(ttest_1samp([0, -1, -1, -1, -1], 0).pvalue)


def test_only_seeds_that_both_have_count():
    runs = made_up_results(made_up_study(seeds="0-4", kernel=("rbf", "attentive")))
    some = Results([run for run in runs if (run.labels["kernel"], run.labels["seed"]) != ("rbf", "2")])
    assert {pairing.num_seeds for pairing in pairings(averages(some), "attentive")} == {4}
    one = Results([run for run in runs if run.labels["kernel"] == "attentive" or run.labels["seed"] == "2"])
    assert pairings(averages(one), "attentive") == []


def test_holms_correction():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []
