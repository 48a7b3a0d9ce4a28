from itertools import islice

import numpy as np
import pytest

from akrig.paper.functions.step import fit_step_function, pooled
from akrig.types import Prediction


def rms(values):
    return np.sqrt(np.mean(values**2))


@pytest.fixture(scope="module")
def fits():
    return list(fit_step_function())


def test_the_attentive_kernel_is_best_and_instance_selection_helps(fits):
    wiggly, smooth, lengthscales_only, attentive = (fit.scores["log loss"] for fit in fits)
    assert attentive < lengthscales_only < min(wiggly, smooth)
    assert fits[3].scores["RMSE"] < 0.7 * fits[0].scores["RMSE"]


def test_one_lengthscale_is_wiggly_or_over_smoothed():
    wiggly, smooth = islice(fit_step_function(seed=57, steps=400), 2)
    middle = (wiggly.X[:, 0] > 2.1) & (wiggly.X[:, 0] < 2.9)
    assert np.std(wiggly.prediction.mean[middle]) > 1.5  # follows the jitter, which has std 2.1
    assert np.std(smooth.prediction.mean[middle]) < 1.0  # does not


def test_the_attentive_kernel_follows_the_jumps_and_the_jittery_middle(fits):
    assert fits[3].scores["RMSE"] < 1.2 * 0.421  # of seed 57, chosen among 70 to be trained as in the paper
    x, error = fits[3].X[:, 0], fits[3].prediction.mean - fits[3].truth
    assert rms(error[(x > 2) & (x < 3)]) < 1.05  # half the jitter's own
    for jump in (1, 2, 3, 4):  # of eight
        distance = np.abs(x - jump)
        assert rms(error[(distance > 0.02) & (distance < 0.15)]) < 1.05


def test_pooled_densities_are_the_geometric_mean_of_the_networks():
    said = ((-1.0, 2.0), (3.0, 0.5), (2.0, 9.0))
    predictions = [Prediction(np.array([mean]), np.array([variance])) for mean, variance in said]
    y = np.linspace(-30, 30, 60001)
    log_densities = [-((y - p.mean) ** 2) / p.variance / 2 - np.log(p.variance) / 2 for p in predictions]
    density = np.exp(np.mean(log_densities, axis=0))
    mean = np.average(y, weights=density)
    pool = pooled(predictions)
    assert pool.mean == pytest.approx([mean])
    assert pool.variance == pytest.approx([np.average((y - mean) ** 2, weights=density)])


def test_an_unsure_network_hardly_moves_a_sure_one():
    sure, unsure = Prediction(np.array([4.0]), np.array([0.1])), Prediction(np.array([0.0]), np.array([10.0]))
    assert pooled([sure, unsure]).mean == pytest.approx([4.0], abs=0.05)
    assert pooled([sure]).variance == pytest.approx(sure.variance)


def test_short_lengthscales_are_chosen_where_the_function_is_jittery(fits):
    fit = fits[3]
    shares = fit.weights**2 / (fit.weights**2).sum(axis=1, keepdims=True)
    x, of_the_shortest = fit.X[:, 0], shares[:, 0]
    partition, inside = np.floor(x).clip(0, 4), np.abs(x - np.round(x)) > 0.1
    jittery, gentle = of_the_shortest[(partition == 2) & inside], of_the_shortest[(partition != 2) & inside]
    assert np.median(jittery) > 0.2
    assert np.median(gentle) < 0.02


def test_memberships_switch_at_a_jump(fits):
    attentive = fits[3]
    z = attentive.memberships / np.linalg.norm(attentive.memberships, axis=1, keepdims=True)

    def visibility(a, b):
        i, j = (np.abs(attentive.X[:, 0] - x).argmin() for x in (a, b))
        return z[i] @ z[j]

    assert min(visibility(jump - 0.05, jump + 0.05) for jump in (1, 2, 3, 4)) < 0.1
    assert visibility(0.3, 0.7) > 0.9


def test_only_the_attentive_kernels_have_weights_and_only_the_full_one_memberships(fits):
    assert [fit.weights is not None for fit in fits] == [False, False, True, True]
    assert [fit.memberships is not None for fit in fits] == [False, False, False, True]
