import logging
import pickle
from copy import deepcopy

import numpy as np
import pytest
import torch
from gpytorch.kernels import InducingPointKernel, MaternKernel, RBFKernel, RBFKernelGrad, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.means import LinearMean
from gpytorch.priors import GammaPrior
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from akrig import AkrigError, Box, NotPositiveDefinite, TrainingFailed
from akrig.errors import NotFinite
from akrig.gp import GPRegression, Normalization, Training
from akrig.gp.solver import Solver
from akrig.kernels import AttentiveKernel, DeepKernel, GibbsKernel
from akrig.protocols import Model
from akrig.testing import check_model
from akrig.types import Samples
from tests.gp.peers import as_gpytorch, gpytorch_loss, gpytorch_posterior


def attentive(selection="shared", family="rbf", dim=2, **kwargs):
    generator = torch.Generator().manual_seed(0)
    return AttentiveKernel.with_network(
        dim, selection=selection, family=family, generator=generator, dtype=torch.float64, **kwargs
    )


KERNELS = {
    "attentive": attentive,
    "attentive, two networks": lambda: attentive("separate"),
    "attentive, lengthscales only": lambda: attentive("lengthscales"),
    "attentive, instances only": lambda: attentive("instances"),
    "attentive Matern": lambda: attentive("separate", "matern32"),
    "attentive over one dimension": lambda: attentive(dim=1, active_dims=[1]),
    "rbf": RBFKernel,
    "matern with ARD": lambda: MaternKernel(nu=2.5, ard_num_dims=2),
    "gibbs": lambda: GibbsKernel.with_network(2, generator=torch.Generator().manual_seed(0)),
    "deep": lambda: DeepKernel.with_network(2, generator=torch.Generator().manual_seed(0)),
    "a sum": lambda: RBFKernel() + ScaleKernel(MaternKernel(active_dims=[0])),
}
every_kernel = pytest.mark.parametrize("name", KERNELS)


def make_model(name="attentive", scaled=True, **kwargs) -> GPRegression:
    kernel = KERNELS[name]()
    kwargs.setdefault("noise_variance", 0.3)
    return GPRegression(ScaleKernel(kernel) if scaled else kernel, **kwargs)


def make_samples(n=60, seed=0, dim=2) -> Samples:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-10, 10, (n, dim))
    return Samples(X, 30 * np.sin(X[:, 0]) + X[:, -1] ** 2 + rng.normal(0, 2, n))


def trained(name="attentive", n=60, steps=15, **kwargs) -> GPRegression:
    model = make_model(name, training=Training(network_learning_rate=0.05, learning_rate=0.05), **kwargs)
    model.observe(make_samples(n))
    model.fit(steps)
    return model


def differentiated(model: GPRegression) -> tuple[float, list[torch.Tensor]]:
    """The training loss per reading and its gradients in the trainable parameters."""
    model._solver.trainer.adam.zero_grad()
    loss, n = model._solver.differentiate(), len(model.samples)
    return loss / n, [p.grad / n for p in model.module.parameters() if p.requires_grad]


# -- against GPyTorch ------------------------------------------------------------------------------------------------


@every_kernel
@pytest.mark.parametrize("mean", ["zero", "constant"])
@pytest.mark.parametrize("scaled", [True, False])
def test_marginal_likelihood_and_all_its_gradients_equal_gpytorchs(name, mean, scaled):
    model = trained(name, mean=mean, scaled=scaled)
    peer = as_gpytorch(model)
    peer.train()
    parameters = [p for p in model.module.parameters() if p.requires_grad]
    assert parameters
    model._solver.trainer.set_mode(training=True)
    ours, our_gradients = differentiated(model)
    theirs = gpytorch_loss(peer)
    assert ours == pytest.approx(theirs.item(), abs=1e-8)
    for a, b in zip(our_gradients, torch.autograd.grad(theirs, parameters), strict=True):
        assert (a - b).abs().max() < 1e-8


@every_kernel
@pytest.mark.parametrize("mean", ["zero", "constant"])
def test_predictions_equal_gpytorchs(name, mean, rng):
    model = trained(name, mean=mean)
    queries = rng.uniform(-12, 12, (50, 2))
    n = model.normalization
    peer = gpytorch_posterior(as_gpytorch(model), torch.from_numpy(n.points(queries)))
    latent, noisy, joint = model.latent(queries), model.predict(queries), model.joint(queries)
    assert np.abs(n.values(latent.mean) - peer.mean.numpy()).max() < 1e-8
    assert np.abs(latent.variance / n.scale**2 - peer.variance.numpy()).max() < 1e-8
    noise = model.likelihood.noise.item()
    assert np.abs(noisy.variance / n.scale**2 - peer.variance.numpy() - noise).max() < 1e-8
    assert np.abs(joint.covariance / n.scale**2 - peer.covariance_matrix.numpy()).max() < 1e-8
    assert np.array_equal(joint.mean, latent.mean) or np.abs(joint.mean - latent.mean).max() < 1e-8


def test_a_mean_function_and_priors_count_as_in_gpytorch():
    kernel = ScaleKernel(RBFKernel(lengthscale_prior=GammaPrior(3.0, 6.0)), outputscale_prior=GammaPrior(2.0, 0.15))
    model = GPRegression(kernel, mean=LinearMean(2))
    model.observe(make_samples())
    model.fit(20)
    (ours, gradients), theirs = differentiated(model), gpytorch_loss(as_gpytorch(model))
    assert ours == pytest.approx(theirs.item(), abs=1e-8)
    for a, b in zip(gradients, torch.autograd.grad(theirs, list(model.module.parameters())), strict=True):
        assert (a - b).abs().max() < 1e-8


def test_equals_the_textbook_formula():
    """Rasmussen and Williams, Algorithm 2.1, with plain numpy."""
    model = make_model("rbf", normalization=Normalization.identity(2), noise_variance=0.5)
    samples = make_samples(25)
    model.observe(samples)
    lengthscale, amplitude = model.kernel.base_kernel.lengthscale.item(), model.kernel.outputscale.item()
    q = samples.X[:7] + 0.1

    def k(A, B):
        return amplitude * np.exp(-0.5 * ((A[:, None] - B[None]) ** 2).sum(-1) / lengthscale**2)

    K = k(samples.X, samples.X) + 0.5 * np.eye(25)
    expected_mean = k(q, samples.X) @ np.linalg.inv(K) @ samples.y
    expected_variance = amplitude - np.einsum("qi,ij,qj->q", k(q, samples.X), np.linalg.inv(K), k(q, samples.X))
    np.testing.assert_allclose(model.latent(q).mean, expected_mean, rtol=1e-9)
    np.testing.assert_allclose(model.latent(q).variance, expected_variance, rtol=1e-9, atol=1e-12)
    expected_evidence = -0.5 * samples.y @ np.linalg.inv(K) @ samples.y - 0.5 * np.linalg.slogdet(2 * np.pi * K)[1]
    assert model.log_marginal_likelihood() == pytest.approx(expected_evidence, rel=1e-10)


# -- the model's contract --------------------------------------------------------------------------------------------


@every_kernel
def test_satisfies_the_model_contract(name):
    assert isinstance(make_model(name), Model)
    check_model(lambda: make_model(name), make_samples(40))


@every_kernel
def test_readings_one_by_one_equal_readings_at_once(name, rng):
    """The extended factorisation is the fresh one."""
    at_once, one_by_one = (make_model(name, normalization=Normalization.identity(2)) for _ in range(2))
    one_by_one.module.load_state_dict(at_once.module.state_dict())
    samples, queries = make_samples(45), rng.uniform(-10, 10, (20, 2))
    at_once.observe(samples)
    for i in range(len(samples)):
        one_by_one.observe(Samples(samples.X[i : i + 1], samples.y[i : i + 1]))
        one_by_one.condition()
    a, b = at_once.predict(queries), one_by_one.predict(queries)
    np.testing.assert_allclose(a.mean, b.mean, atol=1e-9)
    np.testing.assert_allclose(a.variance, b.variance, atol=1e-9)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 100))
def test_batches_of_any_size_give_the_same_prediction(sizes, seed):
    samples = make_samples(sum(sizes), seed)
    at_once, in_batches = (make_model(normalization=Normalization.identity(2)) for _ in range(2))
    at_once.observe(samples)
    begin = 0
    for size in sizes:
        in_batches.observe(Samples(samples.X[begin : begin + size], samples.y[begin : begin + size]))
        in_batches.condition()
        begin += size
    a, b = (model.latent(samples.X + 0.01) for model in (at_once, in_batches))
    np.testing.assert_allclose(a.mean, b.mean, atol=1e-8)
    np.testing.assert_allclose(a.variance, b.variance, atol=1e-8)


def test_many_queries_are_predicted_in_blocks(rng, monkeypatch):
    model = trained()
    queries = rng.uniform(-10, 10, (1000, 2))
    whole = model.predict(queries)
    monkeypatch.setattr("akrig.gp.posterior.BLOCK_BYTES", 1)
    model.fit(1)
    model.kernel.load_state_dict(model.kernel.state_dict())
    blocks = model.predict(queries)
    reference = model.predict(queries[500:501])
    assert blocks.mean[500] == pytest.approx(reference.mean[0], rel=1e-10)
    assert whole.mean.shape == blocks.mean.shape


def test_a_parameter_changed_by_hand_is_noticed():
    model = trained()
    queries = model.samples.X[:5] + 0.3
    before = model.predict(queries)
    model.kernel.outputscale = 3.0
    model.kernel.base_kernel.base_kernels[4].lengthscale = 0.9
    changed = model.predict(queries)
    assert np.abs(changed.variance - before.variance).max() > 1e-3
    fresh = make_model()
    fresh.module.load_state_dict(model.module.state_dict())
    fresh.observe(model.samples)
    np.testing.assert_allclose(changed.mean, fresh.predict(queries).mean, rtol=1e-10)


def test_before_any_reading_the_prior_is_predicted():
    model = make_model(normalization=Normalization.from_workspace(Box((0, 0), (10, 10)), mean=5.0, std=2.0))
    prior = model.predict(np.zeros((3, 2)))
    np.testing.assert_allclose(prior.mean, 5.0)
    np.testing.assert_allclose(prior.variance, 4 * (model.kernel.outputscale.item() + 0.3))
    assert model.joint(np.zeros((3, 2))).covariance.shape == (3, 3)
    assert len(model.samples) == 0


def test_posterior_samples_have_the_posteriors_moments(rng):
    model = trained(n=30)
    queries = rng.uniform(-10, 10, (6, 2))
    draws, joint = model.sample(queries, 40_000, rng), model.joint(queries)
    assert draws.shape == (40_000, 6)
    std = np.sqrt(np.diagonal(joint.covariance))
    assert np.abs((draws.mean(0) - joint.mean) / std).max() < 0.03
    assert np.abs((np.cov(draws.T) - joint.covariance) / np.outer(std, std)).max() < 0.03


def test_posterior_samples_at_readings_and_duplicates_do_not_fail(rng):
    model = trained(n=30)
    queries = np.concatenate([model.samples.X[:5], model.samples.X[:5]])
    draws = model.sample(queries, 10, rng)
    np.testing.assert_allclose(draws[:, :5], draws[:, 5:], atol=0.5)


# -- training --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("optimizer", ["adam", "lbfgs"])
@every_kernel
def test_fitting_raises_the_marginal_likelihood(name, optimizer):
    model = make_model(name, training=Training(optimizer=optimizer))
    model.observe(make_samples())
    before = model.log_marginal_likelihood()
    model.fit(25)
    assert model.log_marginal_likelihood() > before + 0.1


def test_lbfgs_finds_the_optimum_of_a_stationary_kernel():
    model = make_model("rbf", training=Training(optimizer="lbfgs"))
    model.observe(make_samples())
    model.fit(60)
    _, gradients = differentiated(model)
    assert max(g.abs().max().item() for g in gradients) < 1e-4


def test_adam_goes_on_from_fit_to_fit():
    in_parts, at_once = (make_model() for _ in range(2))
    for model in (in_parts, at_once):
        model.observe(make_samples())
    for _ in range(6):
        in_parts.fit(2)
    at_once.fit(12)
    for a, b in zip(in_parts.module.parameters(), at_once.module.parameters(), strict=True):
        assert torch.equal(a, b)


def test_fit_shows_progress_when_asked(capsys):
    model = make_model()
    model.observe(make_samples())
    model.fit(3, progress=True)
    captured = capsys.readouterr()
    assert "fitting" in captured.err
    assert "3/3" in captured.err
    assert captured.out == ""


class FailsLater(RBFKernel):
    """Turns bad at its fifth evaluation."""

    def __init__(self, kind):
        super().__init__()
        self.kind, self.calls = kind, 0

    def forward(self, x1, x2, diag=False, **params):
        self.calls += 1
        K = super().forward(x1, x2, diag=diag, **params)
        if self.calls < 5:
            return K
        return {"nan": K * float("nan"), "indefinite": -5.0 * K}[self.kind]


@pytest.mark.parametrize(("kind", "error"), [("nan", NotFinite), ("indefinite", NotPositiveDefinite)])
def test_a_failed_fit_leaves_the_model_as_it_was(kind, error):
    model = GPRegression(ScaleKernel(FailsLater(kind)))
    model.observe(make_samples())
    before = {name: value.clone() for name, value in model.module.state_dict().items()}
    with pytest.raises(error):
        model.fit(10)
    assert model.kernel.base_kernel.calls > 4
    assert all(torch.equal(before[name], value) for name, value in model.module.state_dict().items())
    assert model._solver.trainer.adam.moments.steps == 0
    assert len(model.samples) == 60


def test_an_interrupt_leaves_the_model_as_it_was(monkeypatch):
    model = trained()
    before = model.predict(model.samples.X)
    steps = model._solver.trainer.adam.moments.steps
    seen = []

    def interrupted(*args):
        if len(seen) == 3:
            raise KeyboardInterrupt
        seen.append(1)
        return Solver.differentiate(model._solver)

    model._solver.differentiate = interrupted
    with pytest.raises(KeyboardInterrupt):
        model.fit(10)
    after = model.predict(model.samples.X)
    assert np.array_equal(before.mean, after.mean)
    assert model._solver.trainer.adam.moments.steps == steps


def test_a_learning_rate_that_explodes_is_reported_and_undone():
    model = make_model("rbf", training=Training(learning_rate=1e308))
    model.observe(make_samples())
    before = model.log_marginal_likelihood()
    with pytest.raises((TrainingFailed, NotFinite, NotPositiveDefinite)):
        model.fit(10)
    assert model.log_marginal_likelihood() == before


def test_parameters_that_cannot_be_factorised_after_the_last_step_are_undone():
    class FailsAfterTraining(RBFKernel):
        def forward(self, x1, x2, diag=False, **params):
            K = super().forward(x1, x2, diag=diag, **params)
            return K if torch.is_grad_enabled() else K - 5.0

    model = GPRegression(ScaleKernel(FailsAfterTraining()))
    model.observe(make_samples())
    before = [p.detach().clone() for p in model.module.parameters()]
    with pytest.raises(NotPositiveDefinite):
        model.fit(3)
    assert all(torch.equal(p, b) for p, b in zip(model.module.parameters(), before, strict=True))


def test_deep_features_range_is_put_back_after_a_failed_fit():
    model = trained("deep")
    bounded = model.kernel.base_kernel.network
    before = bounded.lowest.clone(), bounded.highest.clone()

    def fails():
        Solver.differentiate(model._solver)
        bounded.lowest.add_(1)
        raise NotPositiveDefinite(3, (0.0,))

    model._solver.differentiate = fails
    with pytest.raises(NotPositiveDefinite):
        model.fit(2)
    assert (bounded.lowest, bounded.highest) == before


# -- numbers that break careless code --------------------------------------------------------------------------------

HARD = {
    "one reading": Samples(np.array([[3.0, 4.0]]), np.array([7.0])),
    "two equal readings": Samples(np.full((2, 2), 3.0), np.array([7.0, 7.0])),
    "one place, many readings": Samples(np.full((20, 2), 3.0), np.arange(20.0)),
    "constant readings": Samples(np.random.default_rng(0).uniform(0, 9, (20, 2)), np.full(20, 1e5)),
    "duplicates": Samples(np.repeat(np.random.default_rng(0).uniform(0, 9, (10, 2)), 3, 0), np.arange(30.0)),
    "one 1e6 away": Samples(
        np.concatenate([np.random.default_rng(0).uniform(0, 9, (20, 2)), [[1e6, 1e6]]]), np.arange(21.0)
    ),
    "huge numbers": Samples(1e9 * np.random.default_rng(0).uniform(0, 9, (20, 2)), 1e12 * np.arange(20.0)),
    "tiny numbers": Samples(1e-9 * np.random.default_rng(0).uniform(0, 9, (20, 2)), 1e-12 * np.arange(20.0)),
    "an offset": Samples(1e8 + np.random.default_rng(0).uniform(0, 9, (20, 2)), 1e8 + np.arange(20.0)),
}


@pytest.mark.parametrize("data", HARD)
@pytest.mark.parametrize("name", ["attentive", "rbf", "gibbs", "deep"])
def test_hard_data_are_fitted_and_predicted(data, name):
    model, samples = make_model(name), HARD[data]
    model.observe(samples)
    assert np.isfinite(model.fit(10))
    for prediction in (model.predict(samples.X), model.latent(samples.X), model.predict(samples.X + 1e3)):
        assert np.isfinite(prediction.mean).all()
        assert (prediction.variance >= 0).all()
    spread = max(np.ptp(samples.y), 1e-9 * np.abs(samples.y).max())
    assert np.abs(model.predict(samples.X).mean - samples.y).max() <= 2 * spread


@pytest.mark.parametrize(
    ("name", "tolerance"),
    [
        ("attentive", 1e-12),
        ("attentive, two networks", 1e-12),
        ("gibbs", 1e-9),
        ("rbf", 1e-4),  # GPyTorch's own distances, |a|^2 + |b|^2 - 2ab, lose digits here
        ("attentive Matern", 1e-4),  # its base kernels are GPyTorch's too
    ],
)
def test_readings_1e6_away_do_not_disturb_the_rest(name, tolerance):
    """Scaled by the workspace, as a mission does it; the neighbours' correlations must not lose their digits."""
    box = Normalization.from_workspace(Box((-10, -10), (10, 10)), mean=0.0, std=20.0)
    near = make_samples(30)
    far = Samples(np.concatenate([near.X, [[1e6, -1e6]]]), np.append(near.y, 50.0))
    predictions = []
    for samples in (near, far):
        model = make_model(name, normalization=box)
        model.observe(samples)
        predictions.append(model.predict(near.X))
    np.testing.assert_allclose(predictions[0].mean, predictions[1].mean, rtol=tolerance)
    np.testing.assert_allclose(predictions[0].variance, predictions[1].variance, rtol=tolerance)


@pytest.mark.parametrize("name", ["attentive", "rbf"])
def test_parameters_at_the_constraints_edge_still_predict(name, caplog):
    model = make_model(name)
    model.observe(HARD["duplicates"])
    with torch.no_grad():
        for parameter in model.module.parameters():
            if parameter.requires_grad and parameter.numel() == 1:
                parameter.fill_(
                    -40.0
                )  # softplus gives 4e-18: noise at its floor, amplitude and lengthscale next to none
    prediction = model.predict(HARD["duplicates"].X)
    assert np.isfinite(prediction.mean).all()
    assert (prediction.variance >= 0).all()


class Indefinite(RBFKernel):
    """Short of positive definite by `deficit`."""

    deficit = 0.0

    def forward(self, x1, x2, diag=False, **params):
        K = super().forward(x1, x2, diag=diag, **params)
        return K if diag or x1.shape != x2.shape else K - self.deficit * torch.eye(x1.shape[-2], dtype=x1.dtype)


def test_jitter_is_escalated_and_logged(caplog):
    kernel = Indefinite()
    model = GPRegression(kernel, noise_variance=2e-6, normalization=Normalization.identity(2))
    model.observe(HARD["duplicates"])
    kernel.deficit = 1e-5
    with caplog.at_level(logging.WARNING, logger="akrig"):
        model.predict(HARD["duplicates"].X)
    assert "needed a jitter of 1e-05" in caplog.text


def test_beyond_any_jitter_the_error_says_what_was_tried_and_what_to_do():
    kernel = Indefinite()
    model = GPRegression(kernel, noise_variance=2e-6, normalization=Normalization.identity(2))
    model.observe(HARD["duplicates"])
    kernel.deficit = 0.5
    with pytest.raises(NotPositiveDefinite, match=r"30 x 30 .*1e-06, 1e-05, 1e-04.*raise the noise") as caught:
        model.predict(HARD["duplicates"].X)
    assert isinstance(caught.value, ArithmeticError | AkrigError)
    assert caught.value.size == 30


def test_after_a_failed_factorisation_the_old_parameters_predict_as_before():
    kernel = Indefinite()
    model = GPRegression(kernel, noise_variance=0.1, normalization=Normalization.identity(2))
    model.observe(HARD["duplicates"])
    before = model.predict(HARD["duplicates"].X)
    lengthscale = kernel.lengthscale.item()
    kernel.lengthscale, kernel.deficit = 0.01, 5.0
    with pytest.raises(NotPositiveDefinite):
        model.predict(HARD["duplicates"].X)
    kernel.lengthscale, kernel.deficit = torch.tensor(lengthscale, dtype=torch.float64), 0.0
    np.testing.assert_allclose(model.predict(HARD["duplicates"].X).mean, before.mean, rtol=1e-12)


def test_an_interrupted_extension_of_the_factor_is_forgotten(monkeypatch):
    model, more = trained(n=40), make_samples(2, seed=5)
    model.condition()
    model.observe(more)

    def fails(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("akrig.gp.posterior.append_rows", fails)
    with pytest.raises(KeyboardInterrupt):
        model.condition()
    monkeypatch.undo()
    fresh = make_model()
    fresh.module.load_state_dict(model.module.state_dict())
    fresh.normalization = model.normalization
    fresh.observe(model.samples)
    np.testing.assert_allclose(model.predict(more.X).mean, fresh.predict(more.X).mean, rtol=1e-9)


class ReturnsNaN(RBFKernel):
    def forward(self, x1, x2, diag=False, **params):
        return super().forward(x1, x2, diag=diag, **params) * float("nan")


def test_a_kernel_that_returns_nan_is_named_as_the_culprit():
    model = GPRegression(ReturnsNaN())
    model.observe(make_samples(10))
    with pytest.raises(NotFinite, match="kernel's 10 x 10 covariance matrix has NaN"):
        model.predict(np.zeros((1, 2)))


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_readings_that_are_not_finite_are_refused_with_their_row(bad):
    with pytest.raises(ValueError, match="row 2"):
        Samples(np.zeros((4, 2)), np.array([0.0, 1.0, bad, 2.0]))
    with pytest.raises(ValueError, match="row 1"):
        Samples(np.array([[0.0, 0.0], [bad, 0.0]]), np.zeros(2))
    model = trained(n=10)
    with pytest.raises(ValueError, match="row 1"):
        model.predict(np.array([[0.0, 0.0], [0.0, bad]]))


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda m: m.fit(0), "at least one step"),
        (lambda m: m.predict(np.zeros((3, 5))), r"Points must be \(n, 2\); got \(3, 5\)"),
        (lambda m: m.predict(np.zeros(2)), r"got \(2,\)"),
        (lambda m: m.observe(Samples(np.zeros((3, 1)), np.zeros(3))), r"Points must be \(n, 2\)"),
        (lambda m: GPRegression(RBFKernel(batch_shape=torch.Size([2]))), "without batch shape"),
        (lambda m: GPRegression(RBFKernel(), noise_variance=0.0), "noise_variance must exceed"),
        (lambda m: GPRegression(RBFKernel(), mean="linear"), "mean is"),
        (lambda m: GPRegression(RBFKernel()).predict(np.zeros((1, 2))), "observe readings first"),
        (lambda m: GPRegression(RBFKernel()).fit(3), "observe some first"),
        (lambda m: Training(optimizer="sgd"), "adam or lbfgs"),
        (lambda m: Training(learning_rate=-1.0), "must be positive"),
    ],
)
def test_wrong_arguments_are_one_clear_sentence(act, message):
    model = trained(n=10)
    with pytest.raises(ValueError, match=message):
        act(model)
    assert len(model.samples) == 10


def test_observing_nothing_changes_nothing():
    model = trained(n=10)
    before = model.predict(model.samples.X)
    model.observe(Samples.none(dim=2))
    assert np.array_equal(before.mean, model.predict(model.samples.X).mean)


# -- what users do to models -------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("unchecked")
def test_readings_that_the_kernel_cannot_take_are_refused_whole():
    for kernel in (attentive(dim=6), attentive(dim=1, active_dims=[2]), attentive(dim=2, active_dims=[0])):
        model = GPRegression(ScaleKernel(kernel), normalization=Normalization.identity(2))
        with pytest.raises(ValueError, match="dimensions; got"):
            model.observe(make_samples(5))
        assert len(model.samples) == len(model._solver.gram) == len(model._solver.y) == 0
    with pytest.raises(ValueError, match="takes Samples"):
        make_model().observe((np.zeros((2, 2)), np.zeros(2)))


def test_readings_are_the_models_own():
    X, y = np.random.default_rng(0).uniform(size=(10, 2)), np.arange(10.0)
    model = make_model()
    model.observe(Samples(X[::-1], y[::-1]))
    X[:], y[:] = np.nan, np.nan
    assert model.samples.y.tolist() == list(range(9, -1, -1))
    with pytest.raises(ValueError, match="read-only"):
        model.samples.y[0] = 1.0


@pytest.mark.parametrize("frozen", ["noise", "all"])
def test_frozen_parameters_stay_and_the_rest_is_trained(frozen):
    model = make_model("rbf", scaled=False)
    model.observe(make_samples())
    model.fit(5)  # gives Adam some momentum
    model.module.requires_grad_(frozen != "all")
    model.likelihood.requires_grad_(False)
    noise, lengthscale = model.likelihood.noise.item(), model.kernel.lengthscale.item()
    model.fit(10)
    assert model.likelihood.noise.item() == noise
    assert (model.kernel.lengthscale.item() == lengthscale) == (frozen == "all")


def test_parameters_unfrozen_later_are_trained():
    model = trained("attentive")
    kernel = model.kernel.base_kernel.base_kernels[3]
    before = kernel.lengthscale.item()
    kernel.requires_grad_(True)
    model.fit(5)
    assert kernel.lengthscale.item() != before
    after = kernel.lengthscale.item()
    kernel.requires_grad_(False)
    model.fit(5)
    assert kernel.lengthscale.item() == after


def test_a_parameter_that_is_nan_is_named_instead_of_predicting():
    model = trained()
    with torch.no_grad():
        model.kernel.base_kernel.attention.layers[0].weight[0, 0] = float("nan")
    with pytest.raises(NotFinite, match="parameter"):
        model.predict(np.zeros((1, 2)))


def test_a_replaced_parameter_is_noticed():
    model = trained("rbf")
    queries = model.samples.X + 0.3
    model.predict(queries)
    model.kernel.base_kernel.raw_lengthscale = nn.Parameter(torch.full((1, 1), -2.0, dtype=torch.float64))
    fresh = make_model("rbf")
    fresh.module.load_state_dict(model.module.state_dict())
    fresh.observe(model.samples)
    np.testing.assert_allclose(model.predict(queries).mean, fresh.predict(queries).mean, rtol=1e-10)


def test_kernels_that_cache_in_evaluation_mode_are_trained_and_never_stale():
    X = torch.rand(8, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) * 2 - 1
    likelihood = GaussianLikelihood()
    kernel = InducingPointKernel(ScaleKernel(RBFKernel()), inducing_points=X, likelihood=likelihood)
    model = GPRegression(kernel, noise_variance=0.1)
    model.observe(make_samples(30))
    before = model.predict(model.samples.X)
    model.fit(5)
    trained_mean = model.predict(model.samples.X).mean
    assert not np.allclose(before.mean, trained_mean)
    kernel.base_kernel.base_kernel.lengthscale = 0.05
    assert not np.allclose(trained_mean, model.predict(model.samples.X).mean)


def test_a_deep_model_predicts_with_the_features_range_of_its_final_parameters():
    model = trained("deep")
    bounded = model.kernel.base_kernel.network
    features = bounded.network(model._solver.X)
    assert bounded.lowest.item() == features.min().item()
    assert bounded.highest.item() == features.max().item()


def test_training_mode_set_from_outside_does_not_change_predictions():
    model = trained("deep")
    queries = np.random.default_rng(0).uniform(-10, 10, (9, 2))
    before = model.predict(queries)
    model.module.train()
    model.kernel.outputscale = model.kernel.outputscale.item() * (1 + 1e-14)
    np.testing.assert_allclose(model.predict(queries[:2]).mean, before.mean[:2], rtol=1e-9)


@pytest.mark.parametrize("name", ["attentive", "rbf", "deep"])
@pytest.mark.parametrize("duplicate", [deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_and_pickles_go_on_by_themselves(name, duplicate):
    model = trained(name)
    queries = model.samples.X[:5] + 0.2
    before = model.predict(queries)
    other = duplicate(model)
    assert np.array_equal(other.predict(queries).mean, before.mean)
    other.observe(make_samples(5, seed=3))
    other.fit(3)
    assert not np.array_equal(other.predict(queries).mean, before.mean)
    assert np.array_equal(model.predict(queries).mean, before.mean)
    model.observe(make_samples(5, seed=3))
    model.fit(3)
    np.testing.assert_array_equal(other.predict(queries).mean, model.predict(queries).mean)


@pytest.mark.parametrize("lengthscale", [0.5, 3.0, 10.0])
def test_posterior_samples_of_nearly_certain_fields_do_not_fail(lengthscale, rng):
    kernel = ScaleKernel(RBFKernel()).double()
    kernel.outputscale, kernel.base_kernel.lengthscale = 1e4, lengthscale
    model = GPRegression(kernel, noise_variance=2e-6, normalization=Normalization.identity(1))
    X = np.linspace(-1, 1, 300)[:, None]
    model.observe(Samples(X, np.sin(3 * X[:, 0])))
    queries = np.linspace(-1, 1, 200)[:, None]
    draws = model.sample(queries, 3, rng)
    assert np.abs(draws - np.sin(3 * queries[:, 0])).max() < 0.3  # at lengthscale 10 a jitter was needed
    assert (np.diagonal(model.joint(queries).covariance) >= 0).all()


def test_no_queries_give_no_answers(rng):
    model = trained(n=10)
    nowhere = np.empty((0, 2))
    assert len(model.predict(nowhere).mean) == len(model.joint(nowhere).mean) == 0
    assert model.sample(nowhere, 3, rng).shape == (3, 0)


@pytest.mark.usefixtures("unchecked")
def test_queries_of_any_memory_layout(rng):
    model = trained(n=20)
    queries = rng.uniform(-10, 10, (30, 2))
    expected = model.predict(queries).mean
    for layout in (np.asfortranarray(queries), queries.tolist(), queries[::-1][::-1]):
        np.testing.assert_allclose(model.predict(layout).mean, expected, rtol=1e-12)


def test_kernels_with_several_outputs_are_refused():
    with pytest.raises(ValueError, match="one output per point"):
        GPRegression(RBFKernelGrad())


def test_an_amplitude_of_zero_is_named():
    model = trained()
    with torch.no_grad():
        model.kernel.raw_outputscale.fill_(-800.0)
    with pytest.raises(TrainingFailed, match="amplitude"):
        model.fit(1)


# -- save and load ---------------------------------------------------------------------------------------------------


@every_kernel
def test_a_saved_model_goes_on_exactly_where_it_stopped(name, tmp_path, rng):
    model = trained(name)
    model.save(tmp_path / "model.pt")
    other = make_model(name, training=Training(network_learning_rate=0.05, learning_rate=0.05))
    other.load(tmp_path / "model.pt")
    queries = rng.uniform(-10, 10, (20, 2))
    assert np.array_equal(model.predict(queries).mean, other.predict(queries).mean)
    more = make_samples(7, seed=9)
    for each in (model, other):
        each.observe(more)
        each.fit(5)
    assert np.array_equal(model.predict(queries).variance, other.predict(queries).variance)
    assert list(tmp_path.iterdir()) == [tmp_path / "model.pt"]


ODD_STATES = (
    (None, "format", torch.zeros(3)),
    (None, "moments", torch.zeros(3)),
    (None, "num_factorized", "x"),
    (None, "num_factorized", torch.zeros(3)),
    (None, "num_factorized", 1.5),
    ("moments", "steps", "x"),
    ("moments", "steps", None),
    ("moments", "second", torch.zeros(3)),
)  # section, name, and what should not be there


def test_a_file_that_is_no_model_or_another_model_is_refused_and_nothing_changes(tmp_path):
    model = trained()
    before = model.predict(model.samples.X)
    (tmp_path / "noise.pt").write_bytes(b"not a model")
    with pytest.raises(AkrigError, match="not a saved akrig model"):
        model.load(tmp_path / "noise.pt")
    trained("rbf").save(tmp_path / "rbf.pt")
    with pytest.raises(AkrigError, match="another kind of model"):
        model.load(tmp_path / "rbf.pt")
    model.save(tmp_path / "other.pt")
    content = torch.load(tmp_path / "other.pt")
    content["moments"]["first"] = content["moments"]["first"][1:]
    torch.save(content, tmp_path / "other.pt")
    with pytest.raises(AkrigError, match="optimiser has other parameters"):
        model.load(tmp_path / "other.pt")
    for section, name, odd in ODD_STATES:
        model.save(tmp_path / "other.pt")
        content = torch.load(tmp_path / "other.pt")
        (content if section is None else content[section])[name] = odd
        torch.save(content, tmp_path / "other.pt")
        with pytest.raises(AkrigError, match=r"other\.pt"):
            model.load(tmp_path / "other.pt")
    with pytest.raises(FileNotFoundError):
        model.load(tmp_path / "missing.pt")
    assert np.array_equal(before.mean, model.predict(model.samples.X).mean)


def test_a_users_network_of_any_torch_layers_gets_the_networks_learning_rate():
    network = nn.Sequential(nn.Linear(2, 5), nn.ReLU(), nn.Linear(5, 3), nn.Softmax(-1))
    kernel = ScaleKernel(AttentiveKernel([RBFKernel() for _ in range(3)], network))
    model = GPRegression(kernel, training=Training(learning_rate=0.1, network_learning_rate=1e-9))
    model.observe(make_samples())
    weights, amplitude = network[0].weight.clone(), kernel.outputscale.item()
    model.fit(3)
    assert (network[0].weight - weights).abs().max() < 1e-8
    assert abs(kernel.outputscale.item() - amplitude) > 0.05


def test_a_grid_of_queries_is_predicted_like_its_points(rng):
    """A grid shares exponentials; its points, one by one, do not."""
    model = GPRegression(ScaleKernel(AttentiveKernel.with_network(2, generator=torch.Generator().manual_seed(0))))
    X = rng.uniform(0, 10, (60, 2))
    model.observe(Samples(X, np.sin(X).sum(axis=1)))
    model.fit(30)
    grid = Box((0, 0), (10, 10)).grid(12, 15)
    whole, single = model.predict(grid), [model.predict(point[None]) for point in grid]
    assert np.allclose(whole.mean, [p.mean[0] for p in single], rtol=0, atol=1e-11)
    assert np.allclose(whole.variance, [p.variance[0] for p in single], rtol=0, atol=1e-11)


def test_points_can_be_scaled_by_the_workspace(rng):
    model = GPRegression(ScaleKernel(RBFKernel()), workspace=Box((0, 0), (100, 40)))
    samples = Samples(rng.uniform(10, 20, (9, 2)), rng.normal(5, 2, 9))
    model.observe(samples)
    assert np.allclose(model.normalization.points(np.array([[0.0, 0.0], [100.0, 40.0]])), [[-1, -1], [1, 1]])
    assert (model.normalization.offset, model.normalization.scale) == (samples.y.mean(), samples.y.std())
    with pytest.raises(ValueError, match="not both"):
        GPRegression(ScaleKernel(RBFKernel()), workspace=Box((0,), (1,)), normalization=Normalization.identity(1))


def growing(rng, kernel=None) -> GPRegression:
    """As in a mission: fitted, asked, and given two more readings."""
    attentive = AttentiveKernel.with_network(2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    model = GPRegression(ScaleKernel(kernel or attentive))
    X = rng.uniform(0, 10, (62, 2))
    samples = Samples(X, np.sin(X).sum(axis=1))
    model.observe(samples.first(60))
    model.fit(3)
    model.predict(X)
    model.observe(samples.after(60))
    return model


def test_a_fit_begins_with_the_grown_factor_and_gets_the_same_gradient(rng):
    model = growing(rng)
    afresh = deepcopy(model)  # a copy has no factorisation to begin with
    assert model.fit(1) == pytest.approx(afresh.fit(1), abs=1e-11)
    ours, theirs = model.module.state_dict(), afresh.module.state_dict()
    for name, value in ours.items():
        assert torch.allclose(value, theirs[name], rtol=0, atol=1e-9), name


def test_the_grown_factor_is_used_only_if_nothing_else_changed(rng):
    model = growing(rng)
    model._solver.begin_with_grown_factor()
    assert model._solver.is_factorized
    model = growing(rng)
    with torch.no_grad():
        model.kernel.raw_outputscale.add_(0.1)
    model._solver.begin_with_grown_factor()
    assert not model._solver.is_factorized
    dropout = nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.5), nn.Linear(4, 3), nn.Softmax(dim=-1)).double()
    base = AttentiveKernel.with_network(2, num_lengthscales=3).base_kernels
    model = growing(rng, AttentiveKernel(list(base), dropout))
    model._solver.begin_with_grown_factor()
    assert not model._solver.is_factorized


def test_a_saved_model_goes_on_bit_for_bit_from_between_observing_and_fitting(rng, tmp_path):
    model = growing(rng)
    model.save(tmp_path / "model.pt")
    other = growing(np.random.default_rng(9))
    other.load(tmp_path / "model.pt")
    assert model.fit(2) == other.fit(2)
    X = rng.uniform(0, 10, (30, 2))
    assert np.array_equal(model.predict(X).variance, other.predict(X).variance)


# -- leave one out ----------------------------------------------------------------------------------------------------


def test_leave_one_out_is_what_a_model_without_that_reading_predicts():
    samples = make_samples(25)
    model = GPRegression(ScaleKernel(RBFKernel(lengthscale=0.3)), normalization=Normalization.from_samples(samples))
    model.observe(samples)
    model.fit(3)
    said = model.leave_one_out()
    for i in (0, 7, 24):
        others = deepcopy(model)
        others._solver.clear()
        others._samples = samples.first(0)
        kept = np.arange(25) != i
        others.observe(Samples(samples.X[kept], samples.y[kept]))
        alone = others.predict(samples.X[i : i + 1])
        assert said.mean[i] == pytest.approx(alone.mean[0], rel=1e-9)
        assert said.variance[i] == pytest.approx(alone.variance[0], rel=1e-9)


def test_leave_one_out_knows_readings_that_came_after_the_fit():
    samples = make_samples(40)
    model, fresh = (GPRegression(ScaleKernel(RBFKernel()), workspace=Box((-12, -12), (12, 12))) for _ in range(2))
    model.observe(samples.first(35))
    model.leave_one_out()
    model.observe(samples.after(35))
    fresh.normalization = model.normalization
    fresh.observe(samples)
    np.testing.assert_allclose(model.leave_one_out().mean, fresh.leave_one_out().mean, rtol=1e-8)
    assert len(model.leave_one_out().variance) == 40


def test_leave_one_out_of_nothing_is_nothing():
    assert len(GPRegression(RBFKernel()).leave_one_out().mean) == 0
