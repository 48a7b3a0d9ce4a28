import numpy as np
import pytest
from scipy.stats import norm

from akrig.metrics import coverage, negative_log_predictive_density, root_mean_squared_error
from akrig.types import Prediction


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
