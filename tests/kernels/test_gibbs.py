import pytest
import torch
from gpytorch.kernels import RBFKernel
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch import nn

from akrig.kernels import GibbsKernel
from akrig.testing import check_kernel


class Constant(nn.Module):
    def __init__(self, lengthscale: float) -> None:
        super().__init__()
        self.lengthscale = lengthscale

    def forward(self, x):
        return x.new_full((*x.shape[:-1], 1), self.lengthscale)


class Rough(nn.Module):
    """A lengthscale that changes by a factor of a hundred within a step."""

    def forward(self, x):
        return torch.where(x[..., :1] > 0, 1.0, 0.01) + 0.1 * x[..., :1].square()


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_satisfies_the_kernel_contract(dim, generator):
    check_kernel(GibbsKernel.with_network(dim, generator=generator), dim=dim)


@given(arrays(float, st.tuples(st.integers(1, 25), st.just(2)), elements=st.floats(-2, 2)), st.integers(0, 1000))
def test_satisfies_the_kernel_contract_wherever_the_points_lie(X, seed):
    kernel = GibbsKernel.with_network(2, generator=torch.Generator().manual_seed(seed))
    check_kernel(kernel, dim=2, X=torch.from_numpy(X))


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
@pytest.mark.parametrize("lengthscale", [0.05, 0.5, 2.0])
def test_constant_lengthscale_gives_rbf(dim, lengthscale, generator):
    X = torch.rand(30, dim, dtype=torch.float64, generator=generator)
    rbf = RBFKernel().double()
    rbf.lengthscale = torch.tensor(lengthscale, dtype=torch.float64)
    gibbs = GibbsKernel(Constant(lengthscale))(X).to_dense()
    assert torch.allclose(gibbs, rbf(X).to_dense(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("dim", [2, 3])
def test_stays_positive_definite_where_the_lengthscale_jumps(dim, generator):
    """An exponent of 1/2 in place of D/2 fails here."""
    X = torch.rand(150, dim, dtype=torch.float64, generator=generator) * 2 - 1
    K = GibbsKernel(Rough())(X).to_dense()
    assert torch.linalg.eigvalsh(K)[0] > -1e-9


def test_equals_the_textbook_formula(points, generator):
    kernel = GibbsKernel.with_network(2, generator=generator).double()
    ell = kernel.lengthscale_at(points)[:, 0]
    i, j = 3, 17
    total = ell[i] ** 2 + ell[j] ** 2
    expected = (2 * ell[i] * ell[j] / total) * torch.exp(-(points[i] - points[j]).square().sum() / total)
    assert torch.isclose(kernel(points).to_dense()[i, j], expected, rtol=1e-12)


def test_batch_shapes(points, generator):
    kernel = GibbsKernel.with_network(2, generator=generator, batch_shape=torch.Size([2])).double()
    assert kernel(points).to_dense().shape == (2, 40, 40)
    assert kernel(points)[0].to_dense().shape == (40, 40)
    assert kernel(points, diag=True).shape == (2, 40)
