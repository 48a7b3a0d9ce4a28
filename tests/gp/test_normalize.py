import numpy as np
import pytest

from akrig import Box
from akrig.gp import Normalization
from akrig.types import Samples


def test_the_workspace_becomes_minus_one_to_one():
    n = Normalization.from_workspace(Box((0, -5), (10, 5)), mean=3.0, std=2.0)
    np.testing.assert_allclose(n.points(np.array([[0.0, -5.0], [10.0, 5.0], [5.0, 0.0]])), [[-1, -1], [1, 1], [0, 0]])
    np.testing.assert_allclose(n.values(np.array([3.0, 5.0])), [0, 1])


def test_pilot_readings_become_minus_one_to_one_and_standard(rng):
    samples = Samples(rng.uniform(3, 9, (50, 2)), rng.normal(100, 7, 50))
    n = Normalization.from_samples(samples)
    X, y = n.points(samples.X), n.values(samples.y)
    np.testing.assert_allclose([X.min(0), X.max(0)], [[-1, -1], [1, 1]])
    assert y.mean() == pytest.approx(0, abs=1e-12)
    assert y.std() == pytest.approx(1)


def test_restore_undoes_values(rng):
    n = Normalization(np.zeros(1), np.ones(1), 7.0, 3.0)
    y = rng.normal(size=5)
    prediction = n.restore(n.values(y), np.full(5, 2.0))
    np.testing.assert_allclose(prediction.mean, y)
    np.testing.assert_allclose(prediction.variance, 18.0)


def test_what_does_not_vary_is_only_shifted():
    samples = Samples(np.array([[3.0, 1.0], [3.0, 2.0]]), np.array([5.0, 5.0]))
    n = Normalization.from_samples(samples)
    assert n.radius.tolist() == [1.0, 0.5]
    assert n.scale == 1.0


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Normalization(np.zeros(2), np.array([1.0, 0.0]), 0.0, 1.0), "radius > 0"),
        (lambda: Normalization(np.zeros(2), np.ones(2), 0.0, 0.0), "scale > 0"),
        (lambda: Normalization(np.zeros(2), np.ones(3), 0.0, 1.0), "per dimension"),
        (lambda: Normalization.from_workspace(Box((0,), (1,)), mean=np.nan, std=1.0), "finite"),
        (lambda: Normalization.from_samples(Samples.none(dim=2)), "at least one reading"),
    ],
)
def test_impossible_scales_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
