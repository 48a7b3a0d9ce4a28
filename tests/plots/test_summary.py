from dataclasses import replace

import numpy as np
import pytest

from akrig.plots.report_sections import standard
from akrig.plots.summary import comparison, headline, summary, warning
from tests.plots.records import along_a_line, barely_begun, with_settings, without_truth


def plain(text):
    return text.replace("\u00a0", " ")


def with_final(record, **finals):
    scores = {name: np.append(column[:-1], finals.get(name, column[-1])) for name, column in record.scores.items()}
    return replace(record, scores=scores)


def with_foretold(record, share):
    return replace(record, scores={**record.scores, "foretold": np.array([share])})


def test_a_survey_is_told_by_the_order_that_was_aimed_at(attentive):
    shares = {"order_exclusive": 0.0, "order_special": 0.052, "order_1b": 0.824, "order_2": 0.97}
    survey = replace(attentive, scores={**attentive.scores, **{name: np.array([shares[name]]) for name in shares}})
    told = "The vertical uncertainty of {} (IHO S-44, edition 6.1.0) is met on {} % of the area."
    assert told.format("Order 1b", 82) in plain(summary(survey))
    aimed = replace(survey, settings={**survey.settings, "survey": {"target": {"order": "special"}}})
    assert told.format("Special Order", "5.2") in plain(summary(aimed))
    first, caution = map(plain, standard(aimed))
    assert told.format("Special Order", "5.2") in first
    assert "That of Exclusive Order on 0 %, Order 1b on 82 % and Order 2 on 97 %." in first
    assert "no certification" in caution
    assert standard(attentive) == []
    assert "S-44" not in summary(attentive)


def test_the_headline_says_what_was_mapped_with_what(attentive, rbf):
    assert headline([attentive]) == "Ridge: elevation mapped with the attentive kernel"
    assert headline([attentive, rbf]) == "Ridge: elevation mapped with the attentive kernel and the RBF kernel"
    assert headline([attentive, with_settings(rbf, field="lake")]) == "Two missions over ridge and lake"
    mine = replace(with_settings(attentive, kernel="lab:Mine"), quantity="")
    assert headline([mine]) == "Ridge mapped with the kernel Mine"


def test_the_summary_tells_readings_error_and_coverage(attentive):
    reach = float(np.ptp(attentive.map["truth"].to_numpy()))
    text = plain(summary(with_final(attentive, rmse=reach / 50, coverage95=0.94, correlation=0.61)))
    assert "took 90 readings along" in text
    assert "the first 40 of them as a pilot survey" in text
    assert "2.0 % of the field's range" in text
    assert "Of the truth, 94 % lies inside the map's 95 % intervals: its uncertainty can be taken at its word" in text
    assert "correlation 0.61" in text


def test_a_line_is_mapped_along_its_length(attentive):
    assert "everywhere along 5 km." in plain(summary(along_a_line(attentive)))


@pytest.mark.parametrize(
    ("covered", "verdict"),
    [
        (0.71, "surer of itself"),
        (0.9298, "93 % lies inside the map's 95 % intervals: its uncertainty can"),
        (0.95, "at its word"),
        (0.99, "too cautious"),
    ],
)
def test_coverage_is_judged(attentive, covered, verdict):
    assert verdict in plain(summary(with_final(attentive, coverage95=covered)))


def test_without_a_truth_only_the_maps_own_doubt_is_told(attentive):
    text = summary(without_truth(attentive))
    assert "the truth is not known" in text
    assert "standard deviation of" in text
    assert "RMSE" not in text


@pytest.mark.parametrize(
    ("share", "told", "verdict"), [(0.94, "94 %", "can be relied on"), (0.71, "71 %", "Do not rely on its uncertainty")]
)
def test_without_a_truth_readings_that_were_foretold_say_how_far_to_trust(attentive, share, told, verdict):
    text = plain(summary(with_foretold(without_truth(attentive), share)))
    assert f"Of the latest readings, {told} lay inside" in text
    assert verdict in text


def test_too_few_readings_to_judge_by_are_no_verdict(attentive):
    assert "latest readings" not in summary(with_foretold(without_truth(attentive), float("nan")))


def test_before_the_first_reading(attentive):
    assert summary(barely_begun(attentive)) == "No reading has been recorded yet."


def test_a_mission_that_is_not_whole_is_announced(attentive):
    assert warning(attentive) is None
    assert warning(replace(attentive, ended="target")) is None  # good enough, and something saved
    assert "has not ended" in str(warning(replace(attentive, ended=None)))
    assert "(stopped), after 90 readings" in str(warning(replace(attentive, ended="stopped")))


def test_a_comparison_names_the_best_and_the_worst(attentive, rbf):
    between = with_settings(with_final(rbf, rmse=20.0, coverage95=0.9), seed=1)
    worst, best = with_final(rbf, rmse=30.0, coverage95=0.7), with_final(attentive, rmse=12.0, coverage95=0.96)
    text = plain(comparison([worst, between, best]))
    assert text.index("12.0 m") < text.index(attentive.title) < text.index("30.0 m") < text.index(rbf.title)
    assert "70 % to 96 %" in text


def after(record, kilometres):
    """The same mission, had it led so far."""
    last = record.epochs[-1]
    used = replace(last.used, distance=1000.0 * kilometres)
    return replace(record, epochs=[*record.epochs[:-1], replace(last, used=used)])


def test_of_two_kernels_it_leads_with_what_the_attentive_one_does_better_and_a_tie_is_a_tie(attentive, rbf):
    ours = with_final(after(attentive, 419), rmse=71.4, correlation=0.33, coverage95=0.93)
    theirs = with_final(after(rbf, 529), rmse=71.1, correlation=0.24, coverage95=0.94)
    text = plain(comparison([theirs, ours]))
    better = text.index("Compared with the RBF kernel, the attentive kernel travelled 21 % less for its 90 readings")
    assert "(419 km against 529 km)" in text
    assert "knows better where it is wrong (correlation of error and uncertainty 0.33 against 0.24)" in text
    assert better < text.index("In typical error (RMSE) they tie: 71.4 m and 71.1 m")
    assert "But" not in text
    assert "one mission each" in text


def test_a_replay_has_not_travelled(attentive, rbf):
    again = with_final(after(rbf, 418), rmse=98.7, correlation=-0.12)
    again = replace(again, settings={**again.settings, "vehicle": {"name": "replay", "log": "old"}})
    text = plain(comparison([with_final(after(attentive, 419), rmse=71.4, correlation=0.33), again]))
    assert "Both learnt from the same readings." in text
    assert "travelled" not in text


def test_what_is_no_tie_is_not_called_one_and_what_is_worse_is_said(attentive, rbf):
    ours = with_final(after(attentive, 530), rmse=60.0, correlation=0.2)
    theirs = with_final(after(rbf, 419), rmse=71.1, correlation=0.3)
    text = plain(comparison([ours, theirs]))
    assert "tie" not in text
    assert "Compared with the RBF kernel, the attentive kernel has the smaller typical error" in text
    assert "But the attentive kernel travelled 26 % farther" in text
    assert "knows less well where it is wrong" in text


def test_a_kernel_that_is_only_worse_is_not_praised(attentive, rbf):
    ours = with_final(after(attentive, 530), rmse=80.0, correlation=0.2)
    text = plain(comparison([ours, with_final(after(rbf, 419), rmse=71.1, correlation=0.3)]))
    assert "Compared with the RBF kernel, the attentive kernel travelled 26 % farther" in text
    assert "better" not in text
    assert "But" not in text


def test_several_that_tie_are_not_ranked(attentive, rbf):
    many = [with_settings(with_final(rbf, rmse=71.0 + 0.1 * seed), seed=seed) for seed in range(3)]
    assert "they tie: 71.0 m to 71.2 m" in plain(comparison(many))


def test_a_budget_that_is_all_pilot_is_told(attentive):
    pilot = replace(attentive, epochs=attentive.epochs[:1])
    assert "all of them as a pilot survey: the budget left nothing to plan" in summary(pilot)
    assert "left nothing to plan" not in summary(attentive)


def test_missions_without_truth_cannot_be_compared(attentive, rbf):
    assert "cannot be compared" in comparison([without_truth(attentive), without_truth(rbf)])
