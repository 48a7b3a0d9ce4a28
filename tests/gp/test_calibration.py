import numpy as np
import pytest

from akrig.gp.calibration import LARGEST_SURPRISE, Calibration, mixture
from akrig.types import Prediction


def said(mean, variance, n=1):
    return Prediction(np.full(n, float(mean)), np.full(n, float(variance)))


@pytest.mark.parametrize("true_scale", [0.3, 1.0, 4.0])
def test_recovers_the_scale_of_a_belief_that_is_wrong_about_its_variance(true_scale, rng):
    calibration = Calibration(memory=2000, prior=1, least=0, trust=30)
    for _ in range(400):
        mean, variance = rng.normal(size=5), rng.uniform(0.5, 2, 5)
        belief = Prediction(mean, variance)
        calibration = calibration.after([belief], belief, mean + rng.normal(size=5) * np.sqrt(true_scale * variance))
    assert calibration.variance_scale == pytest.approx(true_scale, rel=0.15)


def test_without_evidence_members_are_trusted_and_count_alike():
    assert Calibration(prior=1.3).variance_scale == pytest.approx(1.3)
    np.testing.assert_array_equal(Calibration(sharpness=1.0).weights(4), np.full(4, 0.25))


def test_one_outlier_is_not_a_calibration():
    calibration = Calibration(prior=1, least=0, trust=30).after([said(0, 1)], said(0, 1), np.array([1e6]))
    assert calibration.variance_scale == pytest.approx((30 + LARGEST_SURPRISE) / 31)


def test_readings_that_surprise_little_do_not_narrow_what_is_least():
    calibration = Calibration(prior=1.25, least=1.25)
    for _ in range(100):
        calibration = calibration.after([said(0, 1)], said(0, 1), np.zeros(1))
    assert calibration.variance_scale == 1.25


def test_what_was_said_long_ago_is_forgotten():
    wrong, honest = said(0, 0.1, 50), said(0, 1, 50)
    calibration = Calibration(memory=50, prior=1, least=0)
    for belief in (wrong, *[honest] * 40):
        calibration = calibration.after([belief], belief, np.ones(50))
    assert calibration.variance_scale == pytest.approx(1.0, abs=1e-6)


def test_the_member_that_foresaw_readings_better_counts_more():
    good, bad = said(1, 1, 5), said(3, 1, 5)
    calibration = Calibration(sharpness=0.1)
    for _ in range(10):
        calibration = calibration.after([good, bad], good, np.ones(5))
    weights = calibration.weights(2)
    assert weights[0] > 0.9
    assert weights.sum() == pytest.approx(1)
    np.testing.assert_array_equal(Calibration(scores=(0.0, -50.0)).weights(2), [0.5, 0.5])


def test_a_mixture_has_the_moments_of_its_draws(rng):
    members = [Prediction(np.array([0.0, 1.0]), np.array([1.0, 2.0])), Prediction(np.array([3.0, 1.0]), np.ones(2))]
    weights = np.array([0.25, 0.75])
    which = rng.choice(2, 400_000, p=weights)
    draws = (
        np.array([m.mean for m in members])[which]
        + rng.normal(size=(400_000, 2)) * np.array([m.std for m in members])[which]
    )
    both = mixture(members, weights)
    np.testing.assert_allclose(both.mean, draws.mean(0), atol=0.01)
    np.testing.assert_allclose(both.variance, draws.var(0), rtol=0.01)


@pytest.mark.parametrize("name", ["memory", "trust", "prior", "least", "sharpness", "readings", "surprise"])
def test_numbers_that_make_no_sense_are_refused(name):
    with pytest.raises(ValueError, match="Calibration needs"):
        Calibration(**{name: -1.0})


def test_it_keeps_account_of_what_was_foretold(rng):
    calibration = Calibration()
    assert calibration.foretold is None
    for _ in range(8):
        calibration = calibration.after([said(0, 1, 5)], said(0, 1, 5), np.array([0.0, 1.0, -1.9, 1.9, 2.5]))
    assert calibration.foretold == pytest.approx(0.8, abs=0.02)  # 2.5 is outside, the scale has hardly grown
    assert calibration.variance_scale < 1.5


def test_what_was_foretold_is_judged_by_the_intervals_as_they_were_scaled():
    wide = Calibration(prior=4.0, least=4.0).after([said(0, 1, 30)], said(0, 1, 30), np.full(30, 3.0))
    narrow = Calibration().after([said(0, 1, 30)], said(0, 1, 30), np.full(30, 3.0))
    assert (wide.foretold, narrow.foretold) == (1.0, 0.0)
