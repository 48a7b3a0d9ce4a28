"""The fused network against torch's own layers and autograd."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from akrig.kernels.attentive_gram import unit_rows
from akrig.kernels.network import Network
from akrig.kernels.ops.autograd import unit_softmax_network
from akrig.kernels.ops.plain import normalized


def make(num_inputs, num_outputs, hidden, seed, spread=1.0) -> Network:
    generator = torch.Generator().manual_seed(seed)
    network = Network(num_inputs, num_outputs, hidden=hidden, output=nn.Softmax(dim=-1), generator=generator).double()
    with torch.no_grad():
        network[4].weight.mul_(spread)
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
    ours, theirs = unit_softmax_network(X, network.linear_layers), normalized(network(X))
    assert (ours - theirs).abs().max() < 1e-12
    parameters = list(network.parameters())
    gradients = [torch.autograd.grad((rows * weights).sum(), parameters) for rows in (ours, theirs)]
    scale = max(1.0, *(g.abs().max().item() for g in gradients[1]))
    assert all((a - b).abs().max() < 1e-11 * scale for a, b in zip(*gradients, strict=True))


def test_other_networks_go_through_autograd():
    X = torch.rand(5, 2, dtype=torch.float64)
    for network in (Network(2, 3, output=nn.Softplus()), nn.Sequential(nn.Linear(2, 3), nn.Softmax(-1))):
        network = network.double()
        assert torch.equal(unit_rows(network, X), normalized(network(X)))


@pytest.mark.parametrize("value", [1e3, -1e3])
def test_saturated_units_stay_finite(value):
    network = make(2, 4, 3, 0)
    with torch.no_grad():
        for layer in network.linear_layers:
            layer.weight.fill_(value)
    X = torch.rand(6, 2, dtype=torch.float64)
    rows = unit_softmax_network(X, network.linear_layers)
    assert torch.allclose(rows, normalized(network(X)))
    rows.sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in network.parameters())
