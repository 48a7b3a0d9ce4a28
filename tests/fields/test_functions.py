import numpy as np
import pytest

from akrig.fields import CHIRP, STEP


def test_step_has_gentle_partitions_a_jittery_one_and_jumps_between():
    x = np.array([[0.5], [1.5], [2.5], [3.5], [4.5]])
    expected = [np.sin(5) - 4, np.sin(15) + 4, 3 * np.sin(100) - 4, np.sin(35) + 4, np.sin(45) - 4]
    np.testing.assert_allclose(STEP(x), expected)
    assert np.isfinite(STEP(np.array([[0.0], [5.0]]))).all()
    for jump in STEP.jumps:
        assert abs(np.diff(STEP(np.array([[jump - 1e-6], [jump + 1e-6]])))[0]) > 3


def test_chirp_is_the_papers_formula():
    np.testing.assert_allclose(CHIRP(np.array([[0.5], [1.0]])), [0.5 * np.sin(2.5), np.sin(40)])


@pytest.mark.parametrize(("field", "counts"), [(STEP, [32, 34, 54, 34, 32]), (CHIRP, None)])
def test_training_points_are_dense_where_they_should_be(field, counts, rng):
    X = field.training_points(rng)
    if counts:
        assert np.histogram(X, bins=[0, 1, 2, 3, 4, 5])[0].tolist() == [31, 32, 52, 32, 31]
        assert len(X) == 178
    else:
        assert ((X < 2 / 3).sum(), (X > 2 / 3).sum()) == (40, 80)
    assert (np.diff(X[:, 0]) >= 0).all()


@pytest.mark.usefixtures("unchecked")
def test_points_of_another_dimension_are_refused():
    with pytest.raises(ValueError, match=r"points \(n, 1\); got \(3, 2\)"):
        STEP(np.zeros((3, 2)))
