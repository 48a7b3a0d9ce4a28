"""A known map as the mean: against the textbook's simple kriging, and the contract of models."""

import numpy as np
import pytest
from gpytorch.kernels import RBFKernel, ScaleKernel

from akrig.gp import GPRegression
from akrig.gp.difference import DifferenceModel
from akrig.gp.normalize import Normalization
from akrig.protocols import Accountable, Explaining, Exploring, Joint, KnowsNoise, Saved, Searching, capability
from akrig.testing import check_model
from akrig.types import Samples
from tests.gp.test_combination import REGION, make_model
from tests.gp.test_regression import make_samples


def slope(X):
    return 20 + 0.3 * X[:, 0] - 0.1 * X[:, 1]


def raised(samples):
    return Samples(samples.X, samples.y + slope(samples.X))


def test_satisfies_the_model_contract():
    check_model(lambda: DifferenceModel(GPRegression(ScaleKernel(RBFKernel())), slope), raised(make_samples(24)))


def test_it_is_simple_kriging_with_the_map_as_the_known_mean(rng):
    samples, queries = raised(make_samples(25)), rng.uniform(REGION.lower, REGION.upper, (9, 2))
    kernel = ScaleKernel(RBFKernel()).double()
    kernel.outputscale, kernel.base_kernel.lengthscale = 2.0, 3.0
    inside = GPRegression(kernel, noise_variance=0.1, normalization=Normalization.identity(2))
    model = DifferenceModel(inside, slope)
    model.observe(samples)

    def covariance(A, B):
        return 2.0 * np.exp(-((A[:, None] - B) ** 2).sum(axis=2) / (2 * 3.0**2))

    weights = np.linalg.solve(covariance(samples.X, samples.X) + 0.1 * np.eye(25), covariance(samples.X, queries))
    said = model.latent(queries)
    assert said.mean == pytest.approx(slope(queries) + weights.T @ (samples.y - slope(samples.X)), abs=1e-8)
    covered = covariance(queries, queries) - weights.T @ covariance(samples.X, queries)
    joint = capability(model, Joint)
    assert joint is not None
    assert joint.joint(queries).covariance == pytest.approx(covered, abs=1e-8)
    assert joint.joint(queries).mean == pytest.approx(said.mean, abs=1e-10)
    assert model.predict(queries).variance == pytest.approx(np.diag(covered) + 0.1, abs=1e-8)


def test_what_the_model_inside_can_do_it_can_do_too(rng):
    samples = raised(make_samples(30))
    inside = make_model(1)
    model = DifferenceModel(inside, slope)
    assert capability(DifferenceModel(GPRegression(ScaleKernel(RBFKernel())), slope), Accountable) is None
    model.observe(samples)
    queries = rng.uniform(REGION.lower, REGION.upper, (50, 2))
    for wanted in (Searching, Explaining, KnowsNoise, Accountable, Saved):
        assert capability(model, wanted) is capability(inside, wanted) is not None
    exploring = capability(model, Exploring)
    assert exploring is not None
    expected = inside.for_planning.predict(queries).mean + slope(queries)
    assert exploring.for_planning.predict(queries).mean == pytest.approx(expected, abs=1e-10)
    assert capability(exploring.for_planning, Joint) is not None


def test_saved_and_loaded_it_says_the_same_to_the_last_bit(tmp_path, rng):
    samples, queries = raised(make_samples(30)), rng.uniform(REGION.lower, REGION.upper, (9, 2))
    model, again = DifferenceModel(make_model(1), slope), DifferenceModel(make_model(1), slope)
    model.observe(samples)
    model.fit(3)
    capability(model, Saved).save(tmp_path / "model.pt")
    capability(again, Saved).load(tmp_path / "model.pt")
    assert np.array_equal(model.predict(queries).mean, again.predict(queries).mean)
    assert np.array_equal(again.samples.X, samples.X)
    assert again.samples.y == pytest.approx(samples.y, abs=1e-9)
