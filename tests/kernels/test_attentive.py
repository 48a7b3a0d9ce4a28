import math
from copy import deepcopy

import pytest
import torch
from gpytorch.kernels import LinearKernel, MaternKernel, PeriodicKernel, RBFKernel, ScaleKernel
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from akrig.kernels import AttentiveKernel, EqualWeights, Network
from akrig.kernels.gram import DenseGram
from akrig.testing import check_kernel

SELECTIONS = ["shared", "separate", "lengthscales", "instances"]
FAMILIES = ["rbf", "matern12", "matern32", "matern52", "rq"]


def make(selection="shared", family="rbf", dim=2, seed=0, **kwargs) -> AttentiveKernel:
    generator = torch.Generator().manual_seed(seed)
    return AttentiveKernel.with_network(
        dim, selection=selection, family=family, generator=generator, dtype=torch.float64, **kwargs
    )


def sharpened(kernel: AttentiveKernel, factor: float = 8.0) -> AttentiveKernel:
    """Weights far from uniform, as training makes them."""
    with torch.no_grad():
        for network in (kernel.attention, kernel.membership):
            if isinstance(network, Network):
                network.layers[4].weight.mul_(factor)
    return kernel


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("family", FAMILIES)
def test_satisfies_the_kernel_contract(selection, family):
    check_kernel(sharpened(make(selection, family)), dim=2)


@given(
    arrays(float, st.tuples(st.integers(1, 25), st.just(2)), elements=st.floats(-3, 3)),
    st.sampled_from(SELECTIONS),
    st.integers(0, 1000),
)
def test_satisfies_the_kernel_contract_wherever_the_points_lie(X, selection, seed):
    check_kernel(sharpened(make(selection, seed=seed)), dim=2, X=torch.from_numpy(X))


@pytest.mark.parametrize("selection", SELECTIONS)
def test_equals_a_literal_loop_over_definition_1(selection, points):
    kernel = sharpened(make(selection))
    lengthscales = [base.lengthscale.item() for base in kernel.base_kernels]
    w, z = kernel.weights(points).tolist(), kernel.memberships(points).tolist()
    X = points.tolist()

    def unit(v):
        return [value / math.sqrt(sum(u * u for u in v)) for value in v]

    def ak(i, j):
        distance2 = sum((a - b) ** 2 for a, b in zip(X[i], X[j], strict=True))
        wi, wj, zi, zj = unit(w[i]), unit(w[j]), unit(z[i]), unit(z[j])
        visible = sum(a * b for a, b in zip(zi, zj, strict=True))
        scales = enumerate(lengthscales)
        return visible * sum(wi[m] * math.exp(-distance2 / (2 * ell**2)) * wj[m] for m, ell in scales)

    expected = torch.tensor([[ak(i, j) for j in range(len(X))] for i in range(len(X))], dtype=torch.float64)
    assert torch.allclose(kernel(points).to_dense(), expected, rtol=0, atol=1e-12)
    assert torch.allclose(kernel(points[:5], points[5:]).to_dense(), expected[:5, 5:], rtol=0, atol=1e-12)


def test_lengthscales_are_evenly_spaced_to_the_last_digit():
    lengthscales = torch.cat([base.lengthscale.reshape(1) for base in make().base_kernels])
    assert torch.allclose(lengthscales, torch.linspace(0.01, 0.5, 10, dtype=torch.float64), rtol=1e-14, atol=0)
    assert not any(p.requires_grad for base in make().base_kernels for p in base.parameters())


def test_is_one_where_a_point_meets_itself(points):
    for selection in SELECTIONS:
        assert torch.allclose(make(selection)(points, diag=True), torch.ones(40, dtype=torch.float64))


def test_one_base_kernel_and_no_memberships_give_that_kernel(points):
    base = RBFKernel().double()
    kernel = AttentiveKernel([base], EqualWeights(), EqualWeights())
    assert torch.allclose(kernel(points).to_dense(), base(points).to_dense(), atol=1e-12)


def test_any_gpytorch_kernels_can_be_base_kernels(points):
    bases = [RBFKernel(), PeriodicKernel(), MaternKernel(active_dims=[0]), LinearKernel() * RBFKernel()]
    kernel = AttentiveKernel(bases, Network(2, 4, output=torch.nn.Softmax(-1))).double()
    check_kernel(kernel, dim=2)
    for base in bases:
        base.requires_grad_(False)
    assert not isinstance(kernel.gram(), DenseGram)
    with pytest.raises(ValueError, match="one lengthscale each"):
        kernel.effective_lengthscale(points)


def test_trainable_base_kernels_take_the_plain_path_and_learn(points):
    kernel = make("instances")
    assert isinstance(kernel.gram(), DenseGram)
    kernel(points).to_dense().sum().backward()
    assert kernel.base_kernels[0].raw_lengthscale.grad.abs().item() > 0


def test_weights_and_memberships_are_distributions_and_share_a_network_by_default(points):
    shared, separate = make("shared"), make("separate")
    for kernel in (shared, separate):
        assert torch.allclose(kernel.weights(points).sum(-1), torch.ones(40, dtype=torch.float64))
        assert torch.allclose(kernel.memberships(points).sum(-1), torch.ones(40, dtype=torch.float64))
    assert torch.equal(shared.weights(points), shared.memberships(points))
    assert not torch.equal(separate.weights(points), separate.memberships(points))


def test_effective_lengthscale_is_the_selected_one_and_otherwise_between_the_extremes(points):
    kernel = make()
    between = kernel.effective_lengthscale(points)
    assert ((between > 0.01) & (between < 0.5)).all()
    with torch.no_grad():
        kernel.attention.layers[4].weight.zero_()
        kernel.attention.layers[4].bias.copy_(torch.full((10,), -200.0).index_fill(0, torch.tensor([3]), 200.0))
    chosen = kernel.base_kernels[3].lengthscale.item()
    assert torch.allclose(kernel.effective_lengthscale(points), torch.full((40,), chosen, dtype=torch.float64))


def test_opposite_memberships_do_not_see_each_other():
    kernel = make("separate", dim=1)
    with torch.no_grad():  # membership 0 left of the origin, membership 1 right of it
        for layer, weight in ((0, 100.0), (2, 1.0), (4, 0.0)):
            kernel.membership.layers[layer].weight.fill_(weight)
            kernel.membership.layers[layer].bias.zero_()
        kernel.membership.layers[4].weight[0] = -50.0
        kernel.membership.layers[4].weight[1] = 50.0
    x = torch.tensor([[-0.1], [-0.09], [0.09]], dtype=torch.float64)
    K = kernel(x).to_dense()
    assert K[0, 1] > 0.5
    assert K[0, 2].abs() < 1e-12


def test_active_dims_ignore_the_other_dimensions(points):
    kernel = make(dim=1, active_dims=[1])
    moved = torch.cat([points[:, :1] + 5, points[:, 1:]], dim=-1)
    assert torch.equal(kernel(points).to_dense(), kernel(moved).to_dense())
    assert torch.allclose(kernel(points).to_dense(), make(dim=1)(points[:, 1:]).to_dense(), atol=1e-15)


def test_state_dict_round_trip_restores_the_kernel(points):
    saved, other = make("separate", seed=1), make("separate", seed=2)
    assert not torch.allclose(saved(points).to_dense(), other(points).to_dense())
    other.load_state_dict(saved.state_dict())
    assert torch.equal(saved(points).to_dense(), other(points).to_dense())


def test_is_differentiable_in_the_points(points):
    kernel = make()
    assert torch.autograd.gradcheck(
        lambda x: kernel(x, points[:4]).to_dense(), points[4:8].clone().requires_grad_(True), atol=1e-6
    )


def test_second_derivatives_are_there_for_those_who_ask(points):
    kernel = make()
    kernel.fused = False
    weight = kernel.attention.layers[4].weight
    (first,) = torch.autograd.grad(kernel(points).to_dense().square().sum(), weight, create_graph=True)
    (second,) = torch.autograd.grad(first.square().sum(), weight)
    assert second.abs().max() > 0


def test_the_generator_decides_the_initial_weights_and_the_global_one_is_left_alone(points):
    state = torch.get_rng_state()
    assert torch.equal(make(seed=3)(points).to_dense(), make(seed=3)(points).to_dense())
    assert not torch.equal(make(seed=3)(points).to_dense(), make(seed=4)(points).to_dense())
    assert torch.equal(state, torch.get_rng_state())


def test_works_inside_scale_kernel_and_in_batches(points):
    kernel = ScaleKernel(make())
    kernel.outputscale = 2.5
    batch = torch.stack([points, points * 0.5])
    assert torch.allclose(kernel(batch)[1].to_dense(), 2.5 * make()(points * 0.5).to_dense())


def test_deep_copies_are_independent(points):
    kernel = make()
    copy = deepcopy(kernel)
    with torch.no_grad():
        copy.attention.layers[4].weight.mul_(5)
    assert not torch.allclose(kernel(points).to_dense(), copy(points).to_dense())


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shortest": 0.5, "longest": 0.1}, "shortest <= longest"),
        ({"shortest": 0.0}, "0 < shortest"),
        ({"family": "cosine"}, "family is one of rbf"),
        ({"selection": "both"}, "selection is shared"),
    ],
)
def test_wrong_arguments_are_one_clear_sentence(arguments, message):
    with pytest.raises(ValueError, match=message):
        make(**arguments)


def test_no_base_kernels_is_an_error():
    with pytest.raises(ValueError, match="at least one base kernel"):
        AttentiveKernel([], EqualWeights())


def test_a_wrong_number_of_weights_is_one_clear_sentence(points):
    for kernel in (
        AttentiveKernel([RBFKernel(), RBFKernel()], EqualWeights(7)),
        AttentiveKernel([RBFKernel()] * 4, EqualWeights()),
    ):
        for each in kernel.base_kernels:
            each.requires_grad_(False)
        with pytest.raises(ValueError, match="one weight per base kernel"):
            kernel.double()(points).to_dense()


@pytest.mark.parametrize("selection", SELECTIONS)
def test_fused_and_plain_agree_in_value_and_gradient(selection, points):
    kernel = sharpened(make(selection))
    weights = torch.rand(40, 40, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    results = []
    for kernel.fused in (True, False):
        K = kernel(points).to_dense()
        parameters = [p for p in kernel.parameters() if p.requires_grad]
        results.append((K, *torch.autograd.grad((K * weights).sum(), parameters)))
    assert all((a - b).abs().max() < 1e-10 for a, b in zip(*results, strict=True))


def test_gradients_in_points_that_are_equal_but_not_the_same_tensor_are_right(points):
    kernel = sharpened(make())
    a, b = points[:5].clone(), points[:5].clone().requires_grad_(True)
    assert torch.autograd.gradcheck(lambda x: kernel(a, x).to_dense(), b, atol=1e-6)


def test_a_batch_shape_gives_the_same_kernel_to_every_member(points):
    kernel = make(batch_shape=torch.Size([3]))
    K = kernel(points).to_dense()
    assert K.shape == (3, 40, 40)
    assert torch.allclose(K[1], make()(points).to_dense(), atol=1e-12)
    assert kernel(points)[1].to_dense().shape == (40, 40)
    assert kernel(points, diag=True).shape == (3, 40)


def test_base_kernels_with_a_batch_shape_make_a_batch(points):
    bases = [RBFKernel(batch_shape=torch.Size([2])).double() for _ in range(2)]
    for base in bases:
        base.lengthscale = torch.tensor([[[0.1]], [[0.7]]], dtype=torch.float64)
    network = Network(2, 2, output=torch.nn.Softmax(-1)).double()
    kernel = AttentiveKernel(bases, network)
    lazy = kernel(points)
    assert lazy.to_dense().shape == (2, 40, 40)
    for i, lengthscale in enumerate((0.1, 0.7)):
        single = [RBFKernel().double() for _ in range(2)]
        for base in single:
            base.lengthscale = torch.tensor(lengthscale, dtype=torch.float64)
        expected = AttentiveKernel(single, network)(points).to_dense()
        assert torch.allclose(lazy[i].to_dense(), expected, atol=1e-10)


def test_network_slices_and_odd_sizes():
    kernel = make()
    assert len(kernel.attention.layers[:-1]) == 5
    with pytest.raises(ValueError, match="at least one input"):
        AttentiveKernel.with_network(0)
