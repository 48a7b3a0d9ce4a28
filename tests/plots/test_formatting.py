import pytest

from akrig.plots.formatting import area, best_places, counted, duration, final_score, length, number, numbers, percent


def plain(text):
    return text.replace("\u00a0", " ").replace("\u202f", " ").replace("\u2212", "-")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0.00"), (14.14, "14.1"), (0.01234, "0.0123"), (-1.754, "-1.75"), (123456.7, "123 457"), (999.6, "1 000")],
)
def test_numbers_have_three_digits(value, text):
    assert plain(number(value)) == text


def test_numbers_in_a_row_share_their_decimals():
    assert numbers([90.8, 109.6, None]) == ["90.8", "109.6", "\u2013"]
    assert numbers([8.49, 17.9]) == ["8.49", "17.90"]
    assert numbers([0.001, 12.3]) == ["0.00", "12.30"]


@pytest.mark.parametrize(
    ("share", "text"), [(0.94, "94 %"), (0.021, "2.1 %"), (0.998, "99.8 %"), (1.0, "100 %"), (0.0, "0 %")]
)
def test_shares_in_per_cent(share, text):
    assert plain(percent(share)) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1.42, "1.4 s"), (42, "42 s"), (150, "2 min"), (9300, "2 h 35 min"), (347000, "4.0 days")],
)
def test_durations(seconds, text):
    assert plain(duration(seconds)) == text


def test_lengths_and_areas(attentive):
    assert plain(length(37300)) == "37.3 km"
    assert plain(length(450)) == "450 m"
    assert plain(area(attentive)) == "5 \u00d7 4 km"


@pytest.mark.parametrize(
    ("values", "goal", "best"),
    [
        ([3.0, 1.0, 2.0], "low", {1}),
        ([3.0, 1.0, None], "high", {0}),
        ([0.99, 0.94, 0.90], 0.95, {1}),
        ([1.0, 1.0], "low", {0, 1}),
        ([1.0, None], "low", set()),
        ([1.0, 2.0], None, set()),
    ],
)
def test_the_best_of_several(values, goal, best):
    assert best_places(values, goal) == best


def test_the_final_score_is_the_last_finite_one_or_nothing(attentive):
    assert final_score(attentive, "rmse") == attentive.scores["rmse"][-1]
    assert final_score(attentive, "unheard of") is None


def test_counteds():
    assert [plain(counted(count, "reading")) for count in (0, 1, 1200)] == ["0 readings", "1 reading", "1 200 readings"]
