import numpy as np
import pytest
import torch
from gpytorch.kernels import RBFKernel

from akrig.errors import NotFinite, NotPositiveDefinite
from akrig.gp import inference
from akrig.kernels.gram import DenseGram


@pytest.fixture
def A(rng):
    root = rng.normal(size=(30, 30))
    return root @ root.T + 30 * np.eye(30)


def factor(A):
    out = np.empty_like(A)
    inference.cholesky(lambda matrix: np.copyto(matrix, A), out)
    return out


def test_factor_solve_and_inverse_are_numpys(A, rng):
    L, b, rows = factor(A), rng.normal(size=30), rng.normal(size=(4, 30))
    np.testing.assert_allclose(np.tril(L), np.linalg.cholesky(A), rtol=1e-12)
    np.testing.assert_allclose(inference.solve(L, b), np.linalg.solve(A, b), rtol=1e-10)
    expected = np.linalg.solve(np.linalg.cholesky(A), rows.T).T
    np.testing.assert_allclose(inference.half_solve(L, rows.copy()), expected, rtol=1e-10)
    np.testing.assert_allclose(np.tril(inference.invert(L)), np.tril(np.linalg.inv(A)), rtol=1e-10)


def test_jitter_is_added_only_when_needed(A):
    assert inference.cholesky(lambda matrix: np.copyto(matrix, A), np.empty_like(A)) == 0.0
    singular = np.ones((5, 5)) - 1e-9 * np.eye(5)
    jitter = inference.cholesky(lambda matrix: np.copyto(matrix, singular), np.empty((5, 5)))
    assert jitter == pytest.approx(1e-6)


def test_hopeless_matrices_are_named():
    with pytest.raises(NotPositiveDefinite):
        inference.cholesky(lambda matrix: np.copyto(matrix, -np.eye(4)), np.empty((4, 4)))
    with pytest.raises(NotFinite):
        inference.cholesky(lambda matrix: matrix.fill(np.nan), np.empty((4, 4)))


def test_likelihood_is_that_of_scipys_normal(points, rng):
    from scipy.stats import multivariate_normal

    gram = DenseGram(RBFKernel().double())
    gram.append(points)
    residual = rng.normal(size=40)
    with torch.no_grad():
        C = gram.features()
    value, _ = inference.negative_log_marginal_likelihood(
        gram, C, residual, amplitude=1.7, noise_variance=0.3, workspace=np.empty((40, 40))
    )
    covariance = 1.7 * C.numpy() + 0.3 * np.eye(40)
    assert value == pytest.approx(-multivariate_normal.logpdf(residual, np.zeros(40), covariance), rel=1e-10)


def test_slopes_equal_finite_differences(points, rng):
    gram = DenseGram(RBFKernel().double())
    gram.append(points)
    residual = rng.normal(size=40)

    def loss(amplitude, noise_variance, shift=0.0):
        with torch.no_grad():
            C = gram.features()
        return inference.negative_log_marginal_likelihood(
            gram,
            C,
            residual + shift * np.eye(40)[3],
            amplitude=amplitude,
            noise_variance=noise_variance,
            workspace=np.empty((40, 40)),
        )

    slopes, h = loss(1.7, 0.3)[1](), 1e-6
    assert slopes.amplitude == pytest.approx((loss(1.7 + h, 0.3)[0] - loss(1.7 - h, 0.3)[0]) / (2 * h), rel=1e-6)
    assert slopes.noise_variance == pytest.approx((loss(1.7, 0.3 + h)[0] - loss(1.7, 0.3 - h)[0]) / (2 * h), rel=1e-6)
    assert slopes.residual[3] == pytest.approx((loss(1.7, 0.3, h)[0] - loss(1.7, 0.3, -h)[0]) / (2 * h), rel=1e-6)


def test_covariance_root_also_of_what_rounding_made_indefinite(A):
    root = inference.covariance_root(A, rounding=0.0)
    np.testing.assert_allclose(root @ root.T, A, rtol=1e-10)
    indefinite = np.ones((6, 6)) - 1e-8 * np.eye(6)
    root = inference.covariance_root(indefinite, rounding=1e-10)
    np.testing.assert_allclose(root @ root.T, indefinite, atol=1e-7)
