import numpy as np
from gpytorch.kernels import LinearKernel, RBFKernel, ScaleKernel
from torch import nn

from akrig.gp import GPRegression
from akrig.gp.attention import attention_at
from akrig.kernels import AttentiveKernel, GibbsKernel
from akrig.types import Samples

X = np.random.default_rng(0).uniform(0, 300, (20, 2))


def fitted(kernel) -> GPRegression:
    model = GPRegression(ScaleKernel(kernel))
    model.observe(Samples(X, np.sin(X[:, 0] / 20)))
    return model


def test_lengthscales_are_in_metres():
    model = fitted(AttentiveKernel.with_network(2, shortest=0.1, longest=0.5, num_lengthscales=5))
    attention = attention_at(model, X)
    metres = np.mean(np.ptp(X, axis=0)) / 2
    assert np.allclose(attention.base_lengthscales, np.linspace(0.1, 0.5, 5) * metres)
    assert attention.weights.shape == (20, 5)
    assert np.allclose(attention.weights.sum(axis=1), 1)
    shares = attention.weights**2 / (attention.weights**2).sum(axis=1, keepdims=True)
    assert np.allclose(attention.lengthscale, shares @ attention.base_lengthscales)


def test_gibbs_has_a_lengthscale_everywhere():
    model = fitted(GibbsKernel.with_network(2))
    attention = attention_at(model, X)
    assert attention.lengthscale.shape == (20,)
    assert (attention.lengthscale > 0).all()
    assert attention.weights is None


def test_kernels_that_are_the_same_everywhere_have_none():
    assert attention_at(fitted(RBFKernel()), X) is None


def test_base_kernels_without_a_lengthscale_have_none():
    attention = nn.Sequential(nn.Linear(2, 2), nn.Softmax(dim=-1))
    assert attention_at(fitted(AttentiveKernel([LinearKernel(), RBFKernel()], attention)), X) is None
