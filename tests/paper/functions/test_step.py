import numpy as np
import pytest

from akrig.paper.functions.step import fit_step_function


@pytest.fixture(scope="module")
def fits():
    return list(fit_step_function(steps=400))


def test_the_attentive_kernel_is_best_and_instance_selection_helps(fits):
    wiggly, smooth, lengthscales_only, attentive = (fit.scores["log loss"] for fit in fits)
    assert attentive < lengthscales_only < min(wiggly, smooth)
    assert fits[3].scores["RMSE"] < 0.7 * fits[0].scores["RMSE"]


def test_one_lengthscale_is_wiggly_or_over_smoothed(fits):
    wiggly, smooth = fits[:2]
    middle = (wiggly.X[:, 0] > 2.1) & (wiggly.X[:, 0] < 2.9)
    assert np.std(wiggly.prediction.mean[middle]) > 1.5  # follows the jitter, which has std 2.1
    assert np.std(smooth.prediction.mean[middle]) < 1.0  # does not


def test_short_lengthscales_are_chosen_where_the_function_is_jittery(fits):
    attentive = fits[3]
    lengthscale = attentive.weights @ attentive.lengthscales
    partition = np.floor(attentive.X[:, 0]).clip(0, 4)
    inside = np.abs(attentive.X[:, 0] - np.round(attentive.X[:, 0])) > 0.1
    jittery, gentle = lengthscale[(partition == 2) & inside], lengthscale[(partition != 2) & inside]
    assert jittery.max() < 0.3 * gentle.min()


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
