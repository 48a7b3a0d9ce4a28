"""What akrig's map of soundings is compared with does what its name says."""

import numpy as np
import pytest
from scipy.spatial import KDTree

from akrig.types import Samples
from benchmarks.soundings.bay import Water
from benchmarks.soundings.contenders import by_exact
from benchmarks.soundings.interpolators import NEAREST, WithVariance, inverse_distance, linear_tin
from benchmarks.soundings.report import table


@pytest.fixture
def plane(rng) -> Samples:
    X = rng.uniform(0, 100, (600, 2))
    return Samples(X, 3.0 + 0.2 * X[:, 0] - 0.1 * X[:, 1])


def test_triangles_are_exact_on_a_plane_and_near_beyond_it(plane):
    at = linear_tin(plane)
    X = np.array([[50.0, 50.0], [30.0, 70.0]])
    assert at(X) == pytest.approx(3.0 + 0.2 * X[:, 0] - 0.1 * X[:, 1])
    far = np.array([[500.0, 500.0]])
    assert at(far)[0] == plane.y[KDTree(plane.X).query(far)[1]][0]


def test_inverse_distances_are_their_formula(plane):
    X = np.array([[50.0, 50.0]])
    distance = np.linalg.norm(plane.X - X, axis=1)
    near = np.argsort(distance)[:NEAREST]
    weight = 1 / distance[near] ** 2
    assert inverse_distance(plane)(X)[0] == pytest.approx(weight @ plane.y[near] / weight.sum())


def test_an_interpolators_variance_is_that_of_legs_left_out(rng):
    X = rng.uniform(0, 100, (4000, 2))
    noisy = Samples(X, rng.normal(0, 2.0, len(X)))
    said = WithVariance(inverse_distance, noisy, np.arange(len(X)) // 4).predict(rng.uniform(10, 90, (500, 2)))
    truth = rng.normal(0, 2.0, 500)
    assert np.mean(np.abs(truth - said.mean) < 1.96 * said.std) == pytest.approx(0.95, abs=0.04)


def test_the_exact_contender_learns_a_plane_and_tells_what_it_did(plane):
    held = Samples(np.array([[50.0, 50.0], [30.0, 70.0]]), np.array([8.0, 2.0]))
    fitted, about = by_exact(Water(plane, held, 1), 0.5)
    assert fitted.predict(held.X).mean == pytest.approx(held.y, abs=1.0)
    assert int(about.split()[0]) > 0
    assert about.endswith("600 soundings")


def test_the_table_has_a_row_for_each():
    row = {"contender": "x", "rmse": 1.0, "mae": 0.5, "msll": -2.0, "coverage": 0.95, "learning_cpu_seconds": 60.0}
    row |= {"predicting_cpu_seconds": 1.0, "about": "3 steps", "held": 1000, "legs": 10, "known": 9000}
    text = table([row])
    assert "1,000 soundings on 10 legs" in text
    assert "| x | 1.000 | 0.500 | -2.000 | 95.0 % | 60 | 1.0 | 3 steps |" in text
