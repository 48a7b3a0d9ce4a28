import numpy as np
import pytest

from akrig.gp.local_scale import BOUNDS, TRUST, LocalScale


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_is_a_weighted_mean_of_the_surprises_around(rng, dim):
    X, queries = rng.uniform(-1, 1, (200, dim)), rng.uniform(-1, 1, (30, dim))
    surprises = rng.chisquare(1, (2, 200))
    scale = LocalScale(X, surprises, nearby=8)
    apart = np.linalg.norm(queries[:, None] - X, axis=2) / scale.radius
    weights = np.maximum(1 - apart**2, 0) ** 2
    means = (TRUST + surprises @ weights.T) / (TRUST + weights.sum(axis=1))
    np.testing.assert_allclose(scale.at(queries), np.clip(means, *BOUNDS), rtol=1e-12)


@pytest.mark.parametrize(("dim", "num"), [(1, 200), (2, 1000), (3, 1000)])
def test_counts_as_many_readings_as_it_was_told_to(rng, dim, num):
    X = rng.uniform(-1, 1, (num, dim))
    scale = LocalScale(X, np.ones((1, num)), nearby=30)
    inside = rng.uniform(-0.2, 0.2, (50, dim))
    apart = np.linalg.norm(inside[:, None] - X, axis=2) / scale.radius
    assert (np.maximum(1 - apart**2, 0) ** 2).sum(axis=1).mean() == pytest.approx(30, rel=0.25)


def test_far_from_all_readings_nothing_is_scaled(rng):
    scale = LocalScale(rng.uniform(-1, 0, (50, 2)), np.full((1, 50), 9.0), nearby=8)
    assert scale.at(np.array([[0.99, 0.99]])) == pytest.approx(1.0)


def test_one_outlier_widens_its_surroundings_only(rng):
    X = rng.uniform(-1, 1, (400, 2))
    X[0] = 0.0
    surprises = np.ones((1, 400))
    surprises[0, 0] = 25.0
    there, elsewhere = LocalScale(X, surprises, nearby=8).at(np.array([[0.0, 0.0], [0.9, 0.9]]))[0]
    assert 1.5 < there <= BOUNDS[1]
    assert elsewhere == pytest.approx(1.0)
