"""The fused gram against GPyTorch's formula and autograd."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from gpytorch.kernels import MaternKernel, RBFKernel, ScaleKernel

from akrig.errors import NotFinite, TrainingFailed
from akrig.gp import GPRegression
from akrig.kernels import DeepKernel
from akrig.kernels.gram import DenseGram, gram_of
from akrig.kernels.rbf_gram import RBFGram
from akrig.types import Samples
from tests.kernels.grams import check_crosses, check_gradients, filled, lower


def plain(dim, generator):
    kernel = RBFKernel().double()
    kernel.lengthscale = 0.4
    return kernel


def deep(dim, generator):
    return DeepKernel.with_network(dim, num_features=4, generator=generator).double()


def pair(make, dim, num, generator):
    kernel = make(dim, generator)
    fused, dense = gram_of(kernel), DenseGram(kernel)
    assert isinstance(fused, RBFGram)
    filled(fused, dense, num=num, dim=dim, generator=generator)
    return kernel, fused, dense


@pytest.mark.parametrize("dim", [1, 2, 5])
@pytest.mark.parametrize("make", [plain, deep])
def test_covariances_are_those_of_the_formula(make, dim, generator):
    kernel, fused, dense = pair(make, dim, 40, generator)
    kernel.train()
    assert np.allclose(lower(fused, fused.features()), lower(dense, dense.features()), atol=1e-13)
    kernel.eval()  # features keep the range that they have learnt
    check_crosses(fused, dense, torch.rand(9, dim, dtype=torch.float64, generator=generator), atol=1e-13)
    grown, rows = fused.tail(fused.features(), 30)
    assert np.allclose(rows, dense.tail(dense.features(), 30)[1], atol=1e-13)
    assert torch.allclose(grown.points, fused.features().points)


@pytest.mark.parametrize("make", [plain, deep])
def test_gradient_is_that_of_autograd(make, generator, rng):
    kernel, fused, dense = pair(make, 2, 25, generator)
    kernel.train()
    check_gradients(kernel, fused, dense, rng, rtol=1e-9)


def test_a_frozen_lengthscale_gets_no_gradient(generator, rng):
    kernel, fused, _ = pair(deep, 2, 12, generator)
    kernel.base_kernel.requires_grad_(False)
    features = fused.features()
    lower(fused, features)
    fused.pullback(features, np.eye(12), rng.normal(size=12), 1.0)
    assert kernel.base_kernel.raw_lengthscale.grad is None
    assert all(p.grad is not None for p in kernel.network.parameters())


@pytest.mark.parametrize("make", [plain, deep])
def test_training_goes_the_same_way(make, rng):
    X = rng.uniform(-1, 1, (60, 2))
    samples = Samples(X, np.sin(5 * X[:, 0]))
    losses, maps = [], []
    for wrap in (lambda kernel: kernel, computed_densely):
        kernel = wrap(make(2, torch.Generator().manual_seed(0)))
        model = GPRegression(ScaleKernel(kernel).double(), noise_variance=0.1)
        model.observe(samples.first(40))
        losses.append([model.fit(1) for _ in range(10)])
        model.observe(samples.after(40))
        losses[-1] += [model.fit(1) for _ in range(10)]
        maps.append(model.predict(X + 0.1))
    # Rescaled features do not depend on the last bias: its gradient is rounding, which Adam makes steps of.
    tolerance = 1e-9 if make is plain else 1e-5
    assert losses[0] == pytest.approx(losses[1], rel=tolerance)
    assert np.allclose(maps[0].mean, maps[1].mean, atol=10 * tolerance)
    assert np.allclose(maps[0].variance, maps[1].variance, atol=10 * tolerance)


def computed_densely(kernel):
    """The same kernel, of a kind that nobody knows a faster gram for."""
    kernel.__class__ = type("Hidden", (type(kernel),), {"gram": lambda self: DenseGram(self)})
    return kernel


def test_only_plain_rbf_is_fused(generator):
    assert isinstance(gram_of(RBFKernel(ard_num_dims=2)), DenseGram)
    assert isinstance(gram_of(RBFKernel(active_dims=[0])), DenseGram)
    assert isinstance(gram_of(RBFKernel(batch_shape=torch.Size([2]))), DenseGram)
    assert isinstance(gram_of(MaternKernel()), DenseGram)
    assert isinstance(gram_of(DeepKernel.with_network(2, base_kernel=MaternKernel())), DenseGram)


def test_what_is_not_finite_is_refused(rng, generator):
    samples = Samples(rng.uniform(-1, 1, (10, 2)), rng.normal(size=10))
    kernel = deep(2, generator)
    with torch.no_grad():
        next(kernel.network.parameters()).fill_(torch.nan)
    model = GPRegression(ScaleKernel(kernel).double())
    model.observe(samples)
    with pytest.raises((NotFinite, TrainingFailed)):
        model.fit(1)
    gram = RBFGram(plain(2, generator))
    gram.append(torch.tensor(samples.X))
    with torch.no_grad():
        zero = replace(gram.features(), lengthscale=torch.zeros((), dtype=torch.float64))
    assert np.isnan(lower(gram, zero)[1, 0])
