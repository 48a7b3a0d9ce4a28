import pytest
import torch
from gpytorch.kernels import MaternKernel, RBFKernel
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch import nn

from akrig.kernels import DeepKernel, Network
from akrig.testing import check_kernel


@pytest.mark.parametrize("base_kernel", [RBFKernel(), MaternKernel(nu=1.5)])
def test_satisfies_the_kernel_contract(base_kernel, generator):
    check_kernel(DeepKernel.with_network(2, base_kernel=base_kernel, generator=generator), dim=2)
    check_kernel(DeepKernel(base_kernel, Network(2, 3, generator=generator)), dim=2)


@given(arrays(float, st.tuples(st.integers(1, 25), st.just(2)), elements=st.floats(-2, 2)), st.integers(0, 1000))
def test_satisfies_the_kernel_contract_wherever_the_points_lie(X, seed):
    kernel = DeepKernel.with_network(2, generator=torch.Generator().manual_seed(seed))
    check_kernel(kernel, dim=2, X=torch.from_numpy(X))


def test_identity_features_give_the_base_kernel(points):
    base = RBFKernel().double()
    assert torch.equal(DeepKernel(base, nn.Identity())(points).to_dense(), base(points).to_dense())


def test_features_fill_the_bounds_while_training_and_stay_within_them_afterwards(points, generator):
    kernel = DeepKernel.with_network(2, generator=generator).double().train()
    features = kernel.features(points)
    assert features.min().item() == pytest.approx(-0.95)
    assert features.max().item() == pytest.approx(0.95)
    kernel.eval()
    assert torch.allclose(kernel.features(points), features)
    assert kernel.features(points * 100).abs().max() <= 0.95 + 1e-12


def test_the_range_of_features_is_part_of_the_state(points, generator):
    trained = DeepKernel.with_network(2, generator=generator).double().train()
    trained.features(points * 3)
    other = DeepKernel.with_network(2).double()
    other.load_state_dict(trained.state_dict())
    assert torch.equal(other.eval().features(points), trained.eval().features(points))


def test_gradients_in_points_that_are_equal_but_not_the_same_tensor_are_right(points, generator):
    kernel = DeepKernel(RBFKernel(), Network(2, 3, generator=generator)).double()
    a, b = points[:5].clone(), points[:5].clone().requires_grad_(True)
    assert torch.autograd.gradcheck(lambda x: kernel(a, x).to_dense(), b, atol=1e-6)


def test_batch_shapes(points, generator):
    kernel = DeepKernel(RBFKernel(batch_shape=torch.Size([2])), Network(2, 3, generator=generator)).double()
    assert kernel(points).to_dense().shape == (2, 40, 40)
    assert kernel(points)[0].to_dense().shape == (40, 40)
