"""A map is believed when it foretells the legs that it has not seen."""

import numpy as np

from akrig.survey.calibration import FEWEST, LegCalibration
from akrig.types import Prediction


def judged(misses: np.ndarray) -> LegCalibration:
    """Of readings that lie so many standard deviations beside what was foretold."""
    trust = LegCalibration()
    trust.judge(Prediction(np.zeros(len(misses)), np.full(len(misses), 4.0)), 2.0 * misses)
    return trust


def test_trust_is_earned_by_readings_that_fall_where_they_were_foretold(rng):
    assert judged(rng.standard_normal(60)).is_earned


def test_a_model_that_is_too_sure_is_not_trusted(rng):
    assert not judged(4 * rng.standard_normal(60)).is_earned


def test_a_few_readings_are_too_few(rng):
    assert not LegCalibration().is_earned
    assert not judged(np.zeros(FEWEST - 1)).is_earned


def test_what_counts_are_the_latest_readings():
    trust = judged(np.full(60, 5.0))
    assert not trust.is_earned
    trust.judge(Prediction(np.zeros(60), np.ones(60)), np.zeros(60))
    assert trust.is_earned
