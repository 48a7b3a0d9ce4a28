import numpy as np
import pytest
import torch
from gpytorch.kernels import RBFKernel, ScaleKernel
from gpytorch.means import ConstantMean
from torch import nn

from akrig.gp.adam import Adam
from akrig.gp.training import Trainer, Training, split_parameters
from akrig.kernels import AttentiveKernel, DeepKernel, GibbsKernel, Network


def test_flat_adam_is_torchs_adam(generator):
    shapes = [(3, 2), (3,), (), (1, 1)]
    ours, theirs = (
        [
            nn.Parameter(torch.randn(s, dtype=torch.float64, generator=torch.Generator().manual_seed(i)))
            for i, s in enumerate(shapes)
        ]
        for _ in range(2)
    )
    flat = Adam(ours, [0.01, 0.01, 0.3, 0.3])
    reference = torch.optim.Adam([{"params": theirs[:2], "lr": 0.01}, {"params": theirs[2:], "lr": 0.3}])
    for _ in range(50):
        for a, b in zip(ours, theirs, strict=True):
            a.grad = torch.randn(a.shape, dtype=torch.float64, generator=generator) * a.detach()
            b.grad = a.grad.clone()
        flat.step()
        reference.step()
    for a, b in zip(ours, theirs, strict=True):
        assert torch.allclose(a, b, rtol=1e-12, atol=1e-14)


def test_a_parameter_without_gradient_stays(generator):
    used, unused = (nn.Parameter(torch.ones(2, dtype=torch.float64)) for _ in range(2))
    adam = Adam([used, unused], [0.1, 0.1])
    used.grad = torch.ones(2, dtype=torch.float64)
    adam.step()
    assert torch.equal(unused, torch.ones(2, dtype=torch.float64))
    assert not torch.equal(used, torch.ones(2, dtype=torch.float64))


@pytest.mark.parametrize("kernel", [AttentiveKernel, DeepKernel, GibbsKernel])
def test_network_weights_are_told_apart_by_their_owners_type(kernel):
    module = nn.ModuleDict({"nn": ScaleKernel(kernel.with_network(2)), "network": ConstantMean()})  # misleading names
    hyper, network = split_parameters(module)
    layers = {id(p) for part in module.modules() if isinstance(part, Network) for p in part.parameters()}
    assert {id(p) for p in network} == layers
    assert {id(p) for p in hyper} == {id(p) for p in module.parameters()} - layers
    assert any(p is module["network"].raw_constant for p in hyper)


def test_a_shared_network_is_trained_once():
    network = Network(2, 3, output=nn.Softmax(-1))
    kernel = AttentiveKernel([RBFKernel() for _ in range(3)], network, network)
    assert len(split_parameters(kernel)[1]) == 6


def test_lbfgs_minimises_a_quadratic():
    module = RBFKernel().double()
    trainer = Trainer(module, Training(optimizer="lbfgs"))
    losses = []

    def loss() -> float:
        value = (module.raw_lengthscale - 3).square().sum()
        value.backward()
        return value.item()

    trainer.run(loss, steps=20, num_readings=1, verify=lambda: None, on_step=losses.append)
    assert module.raw_lengthscale.item() == pytest.approx(3, abs=1e-6)
    assert np.isfinite(losses).all()


def test_what_is_trained_longer_is_trained_ever_less():
    training = Training(full_steps=2.0)
    shares = [training.share_of_rates(step, num_readings=50) for step in range(100_000)]
    assert shares[:101] == [1.0] * 101
    assert shares[200] == 0.25
    assert 190 < sum(shares) < 201  # all together at most twice what counts in full
    assert Training().share_of_rates(10**9, num_readings=1) == 1.0


def test_training_on_and_on_comes_to_rest():
    module = RBFKernel().double()
    trainer = Trainer(module, Training(learning_rate=0.1, full_steps=1.0))

    def loss() -> float:
        value = -module.raw_lengthscale.sum()  # never content
        value.backward()
        return value.item()

    reached = []
    for steps in (20, 80, 1900):
        trainer.run(loss, steps=steps, num_readings=20, verify=lambda: None)
        reached.append(module.raw_lengthscale.item())
    assert reached[0] == pytest.approx(0.1 * 20, rel=0.05)
    assert reached[2] < 2.05 * reached[0]


@pytest.mark.parametrize("full_steps", [0.0, -1.0, float("nan")])
def test_full_steps_must_be_positive(full_steps):
    with pytest.raises(ValueError, match="full_steps must be positive"):
        Training(full_steps=full_steps)
