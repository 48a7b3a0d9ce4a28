import numpy as np
import pytest
from scipy.stats import norm

from akrig.metrics import (
    Scoring,
    averaged,
    continuous_ranked_probability_score,
    coverage,
    error_correlation,
    interval_coverage,
    mean_absolute_error,
    mean_standardized_log_loss,
    negative_log_predictive_density,
    root_mean_squared_error,
    standardized_mean_squared_error,
)
from akrig.s44 import SharedError
from akrig.types import Prediction, Samples
from tests.worlds import WORKSPACE, Waves


@pytest.fixture
def case(rng):
    return Prediction(rng.normal(size=50), rng.uniform(0.1, 2, 50)), rng.normal(size=50)


def test_log_loss_is_that_of_the_normal_density(case):
    prediction, truth = case
    expected = -norm.logpdf(truth, prediction.mean, prediction.std).mean()
    assert negative_log_predictive_density(prediction, truth) == pytest.approx(expected)


def test_root_mean_squared_error_by_hand():
    prediction = Prediction(np.array([1.0, 2.0]), np.ones(2))
    assert root_mean_squared_error(prediction, np.array([4.0, 6.0])) == pytest.approx(np.sqrt(12.5))


def test_coverage_of_a_calibrated_prediction_is_right(rng):
    variance = rng.uniform(0.1, 2, 20_000)
    prediction = Prediction(np.zeros(20_000), variance)
    assert coverage(prediction, rng.normal(0, np.sqrt(variance))) == pytest.approx(0.954, abs=0.006)


def test_the_papers_metrics_by_their_textbook_formulas(case, rng):
    """Rasmussen and Williams, section 2.5, with the baseline of PARITY: all readings so far."""
    prediction, truth = case
    readings = rng.normal(3.0, 2.0, 30)
    mse = np.mean((prediction.mean - truth) ** 2)
    assert standardized_mean_squared_error(prediction, truth) == pytest.approx(mse / np.var(truth))
    assert mean_absolute_error(prediction, truth) == pytest.approx(np.mean(np.abs(prediction.mean - truth)))
    trivial = -norm.logpdf(truth, readings.mean(), readings.std())
    ours = -norm.logpdf(truth, prediction.mean, prediction.std)
    assert mean_standardized_log_loss(prediction, truth, readings) == pytest.approx(np.mean(ours - trivial))


def test_crps_is_the_integral_it_is_defined_by():
    x = np.linspace(-60, 60, 400_001)
    for mean, std, truth in ((0.0, 1.0, 0.5), (2.0, 3.0, -4.0)):
        expected = np.trapezoid((norm.cdf(x, mean, std) - (x >= truth)) ** 2, x)
        prediction = Prediction(np.array([mean]), np.array([std**2]))
        assert continuous_ranked_probability_score(prediction, np.array([truth])) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_intervals_hold_what_they_promise(level, rng):
    variance = rng.uniform(0.1, 2, 40_000)
    truth = rng.normal(0, np.sqrt(variance))
    assert interval_coverage(Prediction(np.zeros(40_000), variance), truth, level=level) == pytest.approx(
        level, abs=0.01
    )


def test_uncertainty_that_follows_error_correlates_with_it(rng):
    std = rng.uniform(0.1, 5, 20_000)
    truth = rng.normal(0, std)
    follows, constant = Prediction(np.zeros(20_000), std**2), Prediction(np.zeros(20_000), np.ones(20_000))
    assert error_correlation(follows, truth) > 0.5
    assert error_correlation(constant, truth) == 0.0
    assert abs(error_correlation(Prediction(follows.mean, rng.permutation(follows.variance)), truth)) < 0.05


def test_an_averaged_metric_is_the_area_under_its_curve():
    num, value = np.array([50.0, 60.0, 100.0]), np.array([4.0, 2.0, 1.0])
    assert averaged(num, value) == pytest.approx((10 * 3.0 + 40 * 1.5) / 50)
    assert averaged(num[:1], value[:1]) == 4.0


def test_of_depths_it_is_told_how_much_of_the_area_meets_an_order_of_survey():
    X, depth, std = WORKSPACE.grid(10, 10), np.linspace(1, 60, 100), np.linspace(0.05, 0.6, 100)[::-1]
    prediction, readings = Prediction(depth, std**2), Samples(X[:2], depth[:2])
    inside = X[:, 0] > X[:, 0].mean()
    scoring = Scoring(WORKSPACE, (10, 10), inside=lambda points: inside, shared=SharedError(0.1, 0.001))
    total = np.sqrt(std**2 + 0.01 + (0.001 * depth) ** 2)[inside]
    expected = np.mean(1.96 * total <= np.sqrt(0.25 + (0.013 * depth[inside]) ** 2))
    scores = scoring.score(prediction, readings)
    assert 0.1 < expected < 1
    assert scores["order_1b"] == pytest.approx(expected)
    assert scores["order_exclusive"] <= scores["order_special"] <= scores["order_1b"] <= scores["order_2"]
    of_what_is_no_depth = Scoring(WORKSPACE, (10, 10)).score(prediction, readings)
    assert not any(name.startswith("order") for name in of_what_is_no_depth)


def test_places_without_truth_are_not_scored():
    field = Waves(hole=lambda X: X[:, 0] > 5)

    class Knows:
        def predict(self, X):
            return Prediction(Waves()(X) + 1.0, np.ones(len(X)))

        latent = predict

    scores = Scoring(WORKSPACE, (20, 20), field)(Knows(), Samples(np.zeros((2, 2)), np.array([0.0, 1.0])))
    assert scores["rmse"] == pytest.approx(1.0)
    assert all(np.isfinite(value) for value in scores.values())
    assert set(Scoring(WORKSPACE, (5, 5))(Knows(), Samples.none(2))) == {"uncertainty"}
