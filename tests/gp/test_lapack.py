import numpy as np
import pytest
from scipy.linalg import solve_triangular

from akrig.gp import lapack


@pytest.fixture
def positive(rng):
    half = rng.standard_normal((40, 40))
    return half @ half.T + np.eye(40)


def test_factor_is_numpys(positive):
    L = np.tril(positive)
    assert lapack.potrf(L)
    np.testing.assert_allclose(np.tril(L), np.linalg.cholesky(positive), rtol=1e-12, atol=1e-12)


def test_a_matrix_that_is_not_positive_definite_is_told(positive):
    positive[5, 5] = -1.0
    assert not lapack.potrf(positive)


def test_inverses_are_numpys(positive):
    L = np.linalg.cholesky(positive)
    whole, half = L.copy(), L.copy()
    assert lapack.potri(whole)
    assert lapack.trtri(half)
    np.testing.assert_allclose(np.tril(whole), np.tril(np.linalg.inv(positive)), atol=1e-10)
    np.testing.assert_allclose(half, np.tril(np.linalg.inv(L)), atol=1e-10)


@pytest.mark.parametrize("num", [0, 1, 7])
def test_rows_are_solved_as_scipy_does(positive, rng, num):
    L, rows = np.linalg.cholesky(positive), rng.standard_normal((num, 40))
    expected = solve_triangular(L, rows.T, lower=True).T
    lapack.trsm(L, rows)
    np.testing.assert_allclose(rows, expected, atol=1e-10)


def test_part_of_a_larger_array_is_done_where_it_stands(positive):
    many = np.stack([positive, positive])
    assert lapack.potrf(many[1])
    np.testing.assert_array_equal(many[0], positive)
    np.testing.assert_allclose(np.tril(many[1]), np.linalg.cholesky(positive), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("spoil", [np.asfortranarray, lambda A: A.astype(np.float32), lambda A: A[:, ::2]])
def test_an_array_that_lapack_would_misread_is_refused(positive, spoil):
    with pytest.raises(ValueError, match="row-major array of float64"):
        lapack.potrf(spoil(positive))
