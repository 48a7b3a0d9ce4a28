"""The fused loops against the plain torch twin."""

import numpy as np
import pytest
import torch
from gpytorch.kernels import MaternKernel, RBFKernel
from hypothesis import given
from hypothesis import strategies as st
from linear_operator import to_dense

from akrig.kernels.attentive import stationary_kernels
from akrig.kernels.ops import plain
from akrig.kernels.ops.autograd import attentive_gram
from akrig.kernels.ops.correlations import PackedCorrelations, rbf_exponents
from akrig.kernels.ops.exponential import LOG2_E
from akrig.kernels.ops.fused import attentive


def make_inputs(n, M, P, seed, family="rbf", requires_grad=False):
    g = torch.Generator().manual_seed(seed)
    X = torch.rand(n, 2, dtype=torch.float64, generator=g) * 2 - 1
    bases = stationary_kernels(family, torch.linspace(0.01, 0.5, M, dtype=torch.float64), dtype=torch.float64)
    features = [
        plain.normalized(torch.rand(n, k, dtype=torch.float64, generator=g) ** 4).requires_grad_(requires_grad)
        for k in ((M,) if P is None else (M, P))
    ]
    return X, bases, tuple(features), torch.randn(n, n, dtype=torch.float64, generator=g)


def twin(features, bases, X):
    W, Z = features[0], features[-1]
    direct = (X[:, None] - X[None]).square().sum(-1)  # GPyTorch's own distances lose digits
    correlations = [
        torch.exp(-direct / (2 * base.lengthscale.square())) if type(base) is RBFKernel else to_dense(base(X, X))
        for base in bases
    ]
    return plain.attentive_cross(W, Z, W, Z, correlations)


@given(
    n=st.integers(1, 70),
    M=st.integers(1, 12),
    P=st.one_of(st.none(), st.integers(1, 6)),
    seed=st.integers(0, 10_000),
)
def test_gram_and_gradient_agree_with_the_plain_twin(n, M, P, seed):
    X, bases, features, weights = make_inputs(n, M, P, seed, requires_grad=True)
    ours, theirs = attentive_gram(features, bases, X), twin(features, bases, X)
    assert (ours - theirs).abs().max() < 1e-10
    our_gradients = torch.autograd.grad((ours * weights).sum(), features)
    their_gradients = torch.autograd.grad((theirs * weights).sum(), features)
    for a, b in zip(our_gradients, their_gradients, strict=True):
        assert (a - b).abs().max() < 1e-10


@pytest.mark.parametrize("family", ["matern12", "matern32", "matern52", "rq"])
@pytest.mark.parametrize("P", [None, 3])
def test_other_families_agree_too(family, P):
    X, bases, features, weights = make_inputs(33, 4, P, 0, family=family, requires_grad=True)
    ours, theirs = attentive_gram(features, bases, X), twin(features, bases, X)
    assert (ours - theirs).abs().max() < 1e-10
    gradients = [torch.autograd.grad((C * weights).sum(), features) for C in (ours, theirs)]
    assert all((a - b).abs().max() < 1e-10 for a, b in zip(*gradients, strict=True))


@pytest.mark.parametrize("P", [None, 3])
def test_passes_gradcheck(P):
    X, bases, features, _ = make_inputs(6, 4, P, 1, requires_grad=True)
    assert torch.autograd.gradcheck(lambda *features: attentive_gram(features, bases, X), features)


def test_exponentials_are_right_to_the_last_digits():
    """Through packed correlations of points on a line: k(0, x) = exp(-x^2 / 2)."""
    x = np.sqrt(2 * np.linspace(0, 68, 5001))
    packed = np.empty(x.size * (x.size + 1) // 2)
    attentive.rbf_rows(np.ascontiguousarray(x[None]), 0, x.size, np.array([-0.5 * LOG2_E]), packed)
    with_origin = packed[np.cumsum(np.arange(x.size))]  # row i starts at i (i + 1) / 2
    assert np.abs(with_origin / np.exp(-0.5 * x**2) - 1).max() < 1e-13


def test_far_points_have_correlation_of_no_consequence():
    X = torch.tensor([[0.0], [1e6]], dtype=torch.float64)
    correlations = PackedCorrelations(stationary_kernels("rbf", torch.tensor([0.5]), dtype=torch.float64))
    correlations.append(X)
    (_, _, packed), *_ = correlations.blocks()
    assert packed[:3].tolist() == pytest.approx([1.0, 0.0, 1.0], abs=1e-29)


def unpack(correlations: PackedCorrelations) -> np.ndarray:
    M, n = len(correlations.base_kernels), len(correlations)
    dense = np.full((M, n, n), np.nan)
    for begin, end, packed in correlations.blocks():
        at = 0
        for i in range(begin, end):
            for m in range(M):
                dense[m, i, : i + 1] = packed[at : at + i + 1]
                at += i + 1
    return dense


@pytest.mark.parametrize("family", ["rbf", "matern32"])
@pytest.mark.parametrize("cache_bytes", [0, 4000, 1 << 30])
def test_correlations_grow_by_appending_whatever_the_cache_holds(family, cache_bytes, points, monkeypatch):
    monkeypatch.setattr("akrig.kernels.ops.correlations.BLOCK_BYTES", 3000)  # several blocks
    bases = stationary_kernels(family, torch.tensor([0.1, 0.5]), dtype=torch.float64)
    grown, at_once = (PackedCorrelations(bases, cache_bytes=cache_bytes) for _ in range(2))
    for begin, end in ((0, 1), (1, 2), (2, 17), (17, 40)):
        grown.append(points[begin:end])
    at_once.append(points)
    lower = np.tril(np.ones((40, 40), dtype=bool))
    expected = torch.stack([to_dense(base(points)) for base in bases]).numpy()
    assert np.abs(unpack(at_once)[:, lower] - expected[:, lower]).max() < 1e-11
    assert np.abs(unpack(grown)[:, lower] - unpack(at_once)[:, lower]).max() < 1e-12


def test_correlations_notice_a_changed_lengthscale(points):
    bases = stationary_kernels("rbf", torch.tensor([0.1, 0.5]), dtype=torch.float64)
    correlations = PackedCorrelations(bases)
    correlations.append(points)
    bases[1].lengthscale = 0.9
    correlations.refresh()
    fresh = PackedCorrelations(bases)
    fresh.append(points)
    np.testing.assert_array_equal(np.nan_to_num(unpack(correlations)), np.nan_to_num(unpack(fresh)))


def test_only_plain_rbf_kernels_take_the_shortcut():
    assert rbf_exponents([RBFKernel(), MaternKernel()]) is None
    assert rbf_exponents([RBFKernel(ard_num_dims=2)]) is None
    assert rbf_exponents([RBFKernel(active_dims=[0])]) is None
    assert rbf_exponents([RBFKernel().double()]) is not None
