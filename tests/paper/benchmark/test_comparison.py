from dataclasses import replace

import pytest

from akrig.paper.benchmark.comparison import Cell, Published, Ranking, best_kernels, compare, published_scores, rankings
from akrig.paper.benchmark.sentences import OTHER_MODELS, UNEXPLAINED, likely_reason
from akrig.study.summary import Score

KEY = ("random", "N17E073", "rbf", "smse")


def cell(mean, theirs, *, key=KEY, std=0.001):
    return Cell(key, Score(mean, std, 10), theirs)


def test_the_papers_tables_are_240_numbers_by_our_names():
    tables = published_scores()
    assert len(tables) == 240
    assert tables["random", "N47W124", "attentive", "msll"] == Published(-1.06, 0.01, 0.01)
    assert tables["active", "N43W080", "deep", "rmse"] == Published(12, 1, 1)
    assert {kernel for _, _, kernel, _ in tables} == {"rbf", "attentive", "gibbs", "deep"}
    assert {metric for *_, metric in tables} == {"smse", "msll", "nlpd", "rmse", "mae"}


def test_in_the_paper_the_attentive_kernel_is_best_everywhere():
    best = best_kernels({key: Score(number.mean, 0, 10) for key, number in published_scores().items()}, "attentive")
    assert len(best) == 60
    assert set(best.values()) == {"attentive"}


def test_published_numbers_are_shown_as_printed():
    assert str(Published(0.06, 0.005, 0.001)) == "0.060 ± 0.005"
    assert str(Published(12, 1, 1)) == "12 ± 1"
    assert str(Published(-1.06, 0.01, 0.01)) == "\u22121.06 ± 0.01"


def test_the_papers_own_numbers_are_no_difference_away():
    cells = compare({key: Score(number.mean, 0.1, 10) for key, number in published_scores().items()})
    assert len(cells) == 240
    assert all(found.z == 0 and found.is_within for found in cells)
    ranked = rankings(cells)
    assert len(ranked) == 60
    assert all(ranking.same_best and ranking.same_order for ranking in ranked)


def test_kernels_and_fields_that_the_paper_does_not_have_are_left_out():
    scores = {KEY: Score(0.13, 0.001, 10)}
    scores |= {("random", "N17E073", "mine", "smse"): Score(0.1, 0.001, 10)}
    scores |= {("random", "ridges", "rbf", "smse"): Score(0.1, 0.001, 10)}
    assert [found.key for found in compare(scores)] == [KEY]


def test_difference_is_in_the_papers_standard_deviations():
    found = cell(0.142, Published(0.133, 0.002, 0.001))
    assert found.z == pytest.approx(4.5)
    assert not found.is_within
    assert cell(0.138, Published(0.133, 0.002, 0.001)).is_within


def test_a_standard_deviation_printed_as_zero_is_half_a_unit_of_its_last_digit():
    found = cell(4.60, Published(4.59, 0.0, 0.01))
    assert found.z == pytest.approx(2)


def test_ranking_tells_best_and_order_apart():
    theirs = {"attentive": 1.0, "rbf": 2.0, "gibbs": 3.0}
    same = Ranking("random", "a", "smse", {"attentive": 1.1, "rbf": 1.2, "gibbs": 1.3}, theirs)
    swapped = replace(same, ours={"attentive": 1.1, "rbf": 1.3, "gibbs": 1.2})
    lost = replace(same, ours={"attentive": 1.3, "rbf": 1.2, "gibbs": 1.1})
    assert (same.same_best, same.same_order, same.tau) == (True, True, 1)
    assert (swapped.same_best, swapped.same_order, swapped.tau) == (True, False, pytest.approx(1 / 3))
    assert (lost.same_best, lost.same_order, lost.tau) == (False, False, -1)


def test_equal_numbers_of_the_paper_have_no_order():
    theirs = {"attentive": 1.0, "rbf": 2.0, "gibbs": 2.0}
    for ours in ({"attentive": 1, "rbf": 2, "gibbs": 3}, {"attentive": 1, "rbf": 3, "gibbs": 2}):
        assert Ranking("random", "a", "smse", ours, theirs).same_order


def test_rounding_is_a_reason_only_where_it_can_be():
    near = cell(4.625, Published(4.59, 0.01, 0.01), key=("random", "N17E073", "rbf", "nlpd"))
    assert near.least_z == pytest.approx(2)
    assert "before rounding, the difference may have been as small as 2.0" in likely_reason(near, published_scores())
    far = cell(4.69, Published(4.59, 0.01, 0.01), key=("random", "N17E073", "rbf", "nlpd"))
    assert UNEXPLAINED[1:] in likely_reason(far, published_scores())


def test_a_standard_deviation_that_does_not_fit_its_row_is_called_a_lost_digit():
    key = ("random", "N17E073", "gibbs", "smse")
    found = cell(0.143, published_scores()[key], key=key)
    said = likely_reason(found, published_scores())
    assert found.z == pytest.approx(10)
    assert "23.3 ± 0.9, which implies 0.01: a digit seems lost, and the difference is +1.0" in said
    assert said.endswith("Ours is worse by 7.5\u00a0%.")


def test_wider_scatter_of_ours_is_said():
    found = cell(0.16, Published(0.133, 0.004, 0.001), std=0.02)
    assert "seeds scatter more than in the paper, by 5.0 times" in likely_reason(found, {}).lower()


def test_what_is_known_of_a_kernel_is_always_said():
    key = ("random", "N17E073", "gibbs", "nlpd")
    for mean in (4.3, 4.605):
        said = likely_reason(cell(mean, published_scores()[key], key=key), published_scores())
        assert OTHER_MODELS["gibbs"][0][1:] in said
    assert "Ours is better" in likely_reason(cell(4.3, published_scores()[key], key=key), published_scores())
