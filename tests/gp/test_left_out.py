import numpy as np
import pytest

from akrig.gp.left_out import LONGEST, left_out, singly, stretches


@pytest.fixture
def covariance(rng):
    half = rng.standard_normal((30, 30))
    return half @ half.T + 5 * np.eye(30)


@pytest.mark.parametrize("ends", [list(range(1, 31)), [4, 9, 10, 30], [30]])
def test_is_what_conditioning_on_all_others_gives(covariance, rng, ends):
    r, inverse = rng.standard_normal(30), np.linalg.inv(covariance)
    found = left_out(np.tril(inverse), inverse @ r, np.array(ends))
    for begin, end in zip([0, *ends], ends, strict=False):
        here, others = np.arange(begin, end), np.setdiff1d(np.arange(30), np.arange(begin, end))
        C = covariance[np.ix_(here, others)] @ np.linalg.pinv(covariance[np.ix_(others, others)])
        np.testing.assert_allclose(found.residual[here], r[here] - C @ r[others], atol=1e-9)
        variance = np.diagonal(covariance[np.ix_(here, here)] - C @ covariance[np.ix_(others, here)])
        np.testing.assert_allclose(found.variance[here], variance, rtol=1e-9)


def lawnmower(lines: int, spacing: float) -> np.ndarray:
    """Over [-1, 1]^2."""
    along = np.arange(-1, 1 + spacing / 2, spacing)
    return np.vstack([np.column_stack([along[:: (-1) ** i], np.full_like(along, y)]) for i, y in
                      enumerate(np.linspace(-1 + 1 / lines, 1 - 1 / lines, lines))])  # fmt: skip


@pytest.mark.parametrize("lines", [4, 8])
def test_a_stretch_is_as_long_as_lines_are_apart(lines):
    X = lawnmower(lines, spacing=0.02)
    ends = stretches(X, area=4.0)
    assert ends[-1] == len(X)
    assert np.median(np.diff(ends)) * 0.02 == pytest.approx(2 / lines, rel=0.25)


def test_readings_that_jump_about_are_left_out_one_by_one(rng):
    X = rng.uniform(-1, 1, (200, 2))
    assert len(stretches(X, area=4.0)) > 190


def test_no_stretch_is_too_long_and_none_is_lost(rng):
    X = np.column_stack([np.linspace(-1, -0.99, 500), np.zeros(500)])
    ends = stretches(X, area=4.0)
    assert np.diff([0, *ends]).max() == LONGEST
    assert ends[-1] == 500


@pytest.mark.parametrize("X", [np.zeros((5, 2)), np.linspace(-1, 1, 5)[:, None], np.zeros((1, 2))])
def test_where_there_is_no_way_readings_are_left_out_one_by_one(X):
    np.testing.assert_array_equal(stretches(X, area=4.0), singly(len(X)))
