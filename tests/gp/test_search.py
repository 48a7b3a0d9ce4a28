"""The race for the most uncertain point against a whole prediction at each."""

import numpy as np
import pytest
import torch
from gpytorch.kernels import MaternKernel, RBFKernel

from akrig.gp import GPRegression, search
from akrig.kernels import AttentiveKernel, DeepKernel, GibbsKernel
from akrig.types import Samples
from tests.worlds import WORKSPACE, Waves

KERNELS = {
    "attentive": lambda g: AttentiveKernel.with_network(2, generator=g, dtype=torch.float64),
    "two networks": lambda g: AttentiveKernel.with_network(2, selection="separate", generator=g, dtype=torch.float64),
    "matern base": lambda g: AttentiveKernel.with_network(2, family="matern32", generator=g, dtype=torch.float64),
    "gibbs": lambda g: GibbsKernel.with_network(2, hidden=10, generator=g),
    "deep": lambda g: DeepKernel.with_network(2, hidden=10, num_features=3, base_kernel=RBFKernel(), generator=g),
    "stationary": lambda g: MaternKernel(),
}


def model_of(kernel, num_readings: int, generator: torch.Generator, rng: np.random.Generator) -> GPRegression:
    model = GPRegression(KERNELS[kernel](generator).double(), noise_variance=0.01, workspace=WORKSPACE)
    # As after an active mission: readings crowd in one part, so that variances differ.
    X = rng.uniform(WORKSPACE.lower, WORKSPACE.upper, (num_readings, 2))
    X[::2] = X[::2] * 0.5
    model.observe(Samples(X, Waves()(X)))
    model.fit(5)
    return model


@pytest.mark.parametrize("num_readings", [3, 127, 128, 300])
@pytest.mark.parametrize("kernel", KERNELS)
def test_finds_what_predicting_everywhere_finds(kernel, num_readings, generator, rng):
    model = model_of(kernel, num_readings, generator, rng)
    for _ in range(3):
        X = rng.uniform(WORKSPACE.lower, WORKSPACE.upper, (400, 2))
        variance = model.predict(X).variance
        assert variance[model.most_uncertain(X)] >= variance.max() * (1 - 1e-9)


def test_most_points_drop_out_early(generator, rng, monkeypatch):
    """Else it would only be a slower way to predict."""
    model = model_of("attentive", 300, generator, rng)
    asked = []
    cross = search.Posterior.cross
    monkeypatch.setattr(
        search.Posterior, "cross", lambda self, X, begin, end: asked.append((len(X), end)) or cross(self, X, begin, end)
    )
    model.most_uncertain(rng.uniform(WORKSPACE.lower, WORKSPACE.upper, (400, 2)))
    assert asked[0] == (400, 60)
    num_left, end = asked[-1]
    assert end == 300
    assert num_left < 200


def test_readings_that_came_after_training_count(generator, rng):
    model = model_of("attentive", 200, generator, rng)
    X = rng.uniform(WORKSPACE.lower, WORKSPACE.upper, (300, 2))
    first = model.most_uncertain(X)
    model.observe(Samples(np.repeat(X[[first]], 4, axis=0), np.zeros(4)))
    second = model.most_uncertain(X)
    assert second != first
    assert second == np.argmax(model.predict(X).variance)


def test_points_all_alike_are_a_tie(generator, rng):
    model = model_of("attentive", 200, generator, rng)
    assert 0 <= model.most_uncertain(np.zeros((10, 2))) < 10


def test_few_points(generator, rng):
    model = model_of("attentive", 200, generator, rng)
    assert model.most_uncertain(np.zeros((1, 2))) == 0
