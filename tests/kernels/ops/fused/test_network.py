"""The fused network against torch's own layers and autograd."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from akrig.kernels.network import Network
from akrig.kernels.ops.plain import normalized
from akrig.kernels.unit_rows import unit_rows


def make(num_inputs, num_outputs, hidden, seed, spread=1.0) -> Network:
    generator = torch.Generator().manual_seed(seed)
    network = Network(num_inputs, num_outputs, hidden=hidden, output=nn.Softmax(dim=-1), generator=generator).double()
    with torch.no_grad():
        network.layers[4].weight.mul_(spread)
    return network


@given(
    n=st.integers(1, 50),
    num_inputs=st.integers(1, 4),
    num_outputs=st.integers(1, 12),
    hidden=st.integers(1, 12),
    spread=st.sampled_from([0.0, 1.0, 30.0, 1e4]),
    seed=st.integers(0, 1000),
)
def test_equals_the_layers_and_their_autograd(n, num_inputs, num_outputs, hidden, spread, seed):
    network = make(num_inputs, num_outputs, hidden, seed, spread)
    generator = torch.Generator().manual_seed(seed)
    X = torch.randn(n, num_inputs, dtype=torch.float64, generator=generator)
    weights = torch.randn(n, num_outputs, dtype=torch.float64, generator=generator)
    ours, theirs = unit_rows(network, X), normalized(network(X))
    assert (torch.from_numpy(ours.transposed.T) - theirs).abs().max() < 1e-12
    ours.backward(weights.T.contiguous().numpy())
    our_gradients = [p.grad.clone() for p in network.parameters()]
    their_gradients = torch.autograd.grad((theirs * weights).sum(), list(network.parameters()))
    scale = max(1.0, *(g.abs().max().item() for g in their_gradients))
    assert all((a - b).abs().max() < 1e-11 * scale for a, b in zip(our_gradients, their_gradients, strict=True))
    ours.backward(weights.T.contiguous().numpy())
    assert all(torch.equal(p.grad, 2 * g) for p, g in zip(network.parameters(), our_gradients, strict=True))


def test_other_networks_go_through_autograd():
    X, slope = torch.rand(5, 2, dtype=torch.float64), torch.rand(5, 3, dtype=torch.float64)
    for network in (Network(2, 3, output=nn.Softplus()), nn.Sequential(nn.Linear(2, 3), nn.Softmax(-1))):
        network = network.double()
        expected = normalized(network(X))
        rows = unit_rows(network, X)
        assert torch.equal(torch.from_numpy(rows.transposed.T), expected)
        rows.backward(slope.T.contiguous().numpy())
        gradients = torch.autograd.grad((expected * slope).sum(), list(network.parameters()))
        assert all(torch.allclose(p.grad, g) for p, g in zip(network.parameters(), gradients, strict=True))


def test_frozen_layers_get_no_gradient():
    network = make(2, 4, 3, 0)
    network.layers[0].requires_grad_(False)
    rows = unit_rows(network, torch.rand(5, 2, dtype=torch.float64))
    rows.backward(rows.transposed)
    assert [p.grad is not None for p in network.parameters()] == [False, False, True, True, True, True]


@pytest.mark.parametrize("value", [1e3, -1e3])
def test_saturated_units_stay_finite(value):
    network = make(2, 4, 3, 0)
    with torch.no_grad():
        for layer in network.softmax_layers():
            layer.weight.fill_(value)
    X = torch.rand(6, 2, dtype=torch.float64)
    rows = unit_rows(network, X)
    assert torch.allclose(torch.from_numpy(rows.transposed.T), normalized(network(X)))
    rows.backward(rows.transposed + 1)
    assert all(torch.isfinite(p.grad).all() for p in network.parameters())


class Scaled(Network):
    def forward(self, x):
        return super().forward(10 * x)


def altered_networks():
    yield "subclass", Scaled(2, 3, output=nn.Softmax(dim=-1))
    relu = Network(2, 3, output=nn.Softmax(dim=-1))
    relu.layers[1] = nn.ReLU()
    yield "other activation", relu
    yield "other softmax", Network(2, 3, output=nn.Softmax(dim=0))
    hooked = Network(2, 3, output=nn.Softmax(dim=-1))
    hooked.layers[2].register_forward_hook(lambda layer, inputs, output: 2 * output)
    yield "hook", hooked
    normed = Network(2, 3, output=nn.Softmax(dim=-1))
    nn.utils.parametrizations.weight_norm(normed.layers[0])
    yield "parametrisation", normed


@pytest.mark.parametrize(("name", "network"), list(altered_networks()))
def test_altered_networks_are_evaluated_as_they_are(name, network):
    X = torch.rand(6, 2, dtype=torch.float64)
    network = network.double()
    rows = unit_rows(network, X)
    assert torch.equal(torch.from_numpy(rows.transposed.T), normalized(network(X)))
    rows.backward(rows.transposed)
    assert all(p.grad is not None for p in network.parameters())


def test_points_of_another_dimension_are_refused():
    with pytest.raises(ValueError, match="takes points of 6 dimensions; got 2"):
        unit_rows(make(6, 3, 4, 0), torch.rand(5, 2, dtype=torch.float64))
