"""The fused gram against the plain formula and autograd."""

import numpy as np
import pytest
import torch
from gpytorch.kernels import ScaleKernel
from torch import nn

from akrig.gp import GPRegression
from akrig.kernels import GibbsKernel
from akrig.kernels.gibbs_gram import GibbsGram
from akrig.kernels.gram import DenseGram
from akrig.types import Samples
from tests.kernels.grams import check_crosses, check_gradients, filled, lower


def pair(dim, num, generator):
    kernel = GibbsKernel.with_network(dim, generator=generator).double()
    fused, dense = kernel.gram(), DenseGram(kernel)
    assert isinstance(fused, GibbsGram)
    filled(fused, dense, num=num, dim=dim, generator=generator)
    return kernel, fused, dense


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_covariances_are_those_of_the_formula(dim, generator):
    _, fused, dense = pair(dim, 40, generator)
    assert np.allclose(lower(fused, fused.features()), lower(dense, dense.features()), atol=1e-14)
    check_crosses(fused, dense, torch.rand(9, dim, dtype=torch.float64, generator=generator), atol=1e-14)
    grown, rows = fused.tail(fused.features()[:30], 30)
    assert np.allclose(rows, dense.tail(dense.features(), 30)[1], atol=1e-14)
    assert torch.allclose(grown, fused.features())
    assert len(fused) == 40


def test_rows_filled_before_can_be_left_out(generator):
    _, fused, _ = pair(2, 30, generator)
    whole = lower(fused, fused.features())
    assert np.array_equal(lower(fused, fused.features(), begin=20)[20:], whole[20:])


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_gradient_is_that_of_autograd(dim, generator, rng):
    kernel, fused, dense = pair(dim, 25, generator)
    check_gradients(kernel, fused, dense, rng, rtol=1e-10)


def test_training_goes_the_same_way(generator, rng, monkeypatch):
    X = rng.uniform(-1, 1, (60, 2))
    samples = Samples(X, np.sin(5 * X[:, 0]))
    losses = []
    for gram in (None, lambda kernel: DenseGram(kernel)):
        if gram is not None:
            monkeypatch.setattr(GibbsKernel, "gram", gram)
        kernel = GibbsKernel.with_network(2, generator=torch.Generator().manual_seed(0))
        model = GPRegression(ScaleKernel(kernel).double(), noise_variance=0.1)
        model.observe(samples)
        losses.append([model.fit(1) for _ in range(20)])
    assert losses[0] == pytest.approx(losses[1], rel=1e-9)


def test_only_the_plain_case_is_fused(generator):
    network = nn.Sequential(nn.Linear(2, 1), nn.Softplus()).double()
    assert isinstance(GibbsKernel(network).gram(), GibbsGram)
    assert not GibbsKernel(network).gram().fills_by_rows
    assert isinstance(GibbsKernel(network, active_dims=[0, 1]).gram(), DenseGram)
    assert isinstance(GibbsKernel(network, batch_shape=torch.Size([2])).gram(), DenseGram)


def test_points_of_other_dimensions_are_refused(generator):
    kernel = GibbsKernel.with_network(2, generator=generator).double()
    with pytest.raises((ValueError, RuntimeError)):
        kernel.gram().append(torch.zeros(3, 5, dtype=torch.float64))
