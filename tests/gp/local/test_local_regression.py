"""Models of more readings than one factorisation can take, against models that take them all."""

from copy import deepcopy

import numpy as np
import pytest
import torch
from gpytorch.kernels import ScaleKernel

from akrig.geometry import Box
from akrig.gp import Calibration, CombinedRegression, GPRegression, Training, local_scale
from akrig.gp.local import batches, solver
from akrig.gp.local.solver import Reach
from akrig.kernels import AttentiveKernel
from akrig.protocols import Exploring, Joint, KnowsNoise, Saved, Searching, capability
from akrig.testing import check_model
from akrig.types import Samples

REGION = Box((-100.0, -100.0), (100.0, 100.0))


def member(seed=0, **kwargs) -> GPRegression:
    kernel = AttentiveKernel.with_network(
        2,
        family="matern52",
        shortest=0.05,
        longest=2.0,
        spacing="geometric",
        num_lengthscales=5,
        generator=torch.Generator().manual_seed(seed),
        dtype=torch.float64,
    )
    training = Training("adam", 0.02, 0.02)
    return GPRegression(ScaleKernel(kernel), noise_variance=0.02, workspace=REGION, training=training, **kwargs)


def combined(local_from, num=2) -> CombinedRegression:
    return CombinedRegression([member(seed, local_from=local_from) for seed in range(num)], calibration=Calibration())


def field(X) -> np.ndarray:
    return 30 * np.sin(X[:, 0] / 20) + np.where(X[:, 0] > 0, 8 * np.sin(X[:, 1] / 4), 0.0)


def scattered(num, seed=0) -> Samples:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-98, 98, (num, 2))
    return Samples(X, field(X) + rng.standard_normal(num))


def tracks(num, lines=8, seed=0) -> Samples:
    rng = np.random.default_rng(seed)
    along = np.linspace(0, lines, num, endpoint=False)
    line, share = np.divmod(along, 1.0)
    share = np.where(line % 2, 1 - share, share)
    X = np.stack([-95 + 190 * share, -95 + 190 * (line + 0.5) / lines], axis=1) + rng.normal(0, 0.3, (num, 2))
    return Samples(X, field(X) + rng.standard_normal(num))


def taught(model, samples, steps=10):
    model.observe(samples)
    model.fit(steps)
    return model


def as_local(exact: GPRegression, reach: Reach | None = None) -> GPRegression:
    """A model with the same parameters and readings."""
    local = member(local_from=1)
    local.observe(exact.samples)
    local.module.load_state_dict(exact.module.state_dict())
    local.normalization = exact.normalization
    if reach is not None:
        assert local.local is not None
        local.local.reach = reach
    return local


# -- it is the exact model, as long as that can be ------------------------------------------------------------------


def test_up_to_the_threshold_it_is_the_exact_model_to_the_last_bit():
    exact, local = (taught(combined(local_from), scattered(60)) for local_from in (0, 60))
    X = REGION.grid(5, 5)
    assert local.members[0].local is None
    assert np.array_equal(exact.predict(X).mean, local.predict(X).mean)
    assert np.array_equal(exact.predict(X).variance, local.predict(X).variance)


@pytest.mark.parametrize("make", [scattered, tracks])
def test_with_all_readings_near_it_equals_the_exact_model(make):
    exact = taught(member(), make(150))
    local, X = as_local(exact, Reach(most_near=150)), REGION.grid(12, 12)
    assert local.local is not None
    assert len(local.local.tiles[1]) > 3
    for one, other in ((exact.predict(X), local.predict(X)), (exact.latent(X), local.latent(X))):
        np.testing.assert_allclose(one.mean, other.mean, rtol=0, atol=1e-8 * np.abs(one.mean).max())
        np.testing.assert_allclose(one.variance, other.variance, rtol=1e-8)
    one, other = exact.joint(X), local.joint(X)
    np.testing.assert_allclose(one.mean, other.mean, rtol=0, atol=1e-8 * np.abs(one.mean).max())
    np.testing.assert_allclose(one.covariance, other.covariance, rtol=0, atol=1e-8 * one.covariance.max())


@pytest.mark.parametrize("make", [scattered, tracks])
def test_with_a_share_of_the_readings_it_is_close_to_the_exact_model(make):
    exact = taught(member(), make(1000))
    local, X = as_local(exact), REGION.grid(20, 20)
    one, other = exact.latent(X), local.latent(X)
    assert np.quantile(np.abs(one.mean - other.mean) / one.std, 0.99) < 0.05
    assert np.quantile(np.abs(other.variance / one.variance - 1), 0.99) < 0.05


def test_there_are_no_seams():
    """Where tiles meet, the map goes on: it changes no more over a metre there than anywhere."""
    local = as_local(taught(member(), tracks(1000)))
    line = np.stack([np.linspace(-90, 90, 3001), np.full(3001, 13.7)], axis=1)
    said = local.latent(line)
    assert np.abs(np.diff(said.mean) / said.std[1:]).max() < 0.1
    assert np.abs(np.diff(np.log(said.variance))).max() < 0.1


def test_many_readings_at_the_same_place_are_their_mean():
    rng = np.random.default_rng(0)
    X = np.concatenate([np.tile([[10.0, 20.0]], (300, 1)), scattered(60).X])
    samples = Samples(X, field(X) + rng.standard_normal(len(X)))
    exact = taught(member(), samples)
    local, X = as_local(exact), REGION.grid(9, 9)
    assert local.local is not None
    assert len(local.local.tree) == 61
    one, other = exact.predict(X), local.predict(X)
    np.testing.assert_allclose(one.mean, other.mean, rtol=0, atol=1e-6)
    np.testing.assert_allclose(one.variance, other.variance, rtol=1e-6)


# -- it is a model ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [lambda: member(local_from=5), lambda: combined(5)], ids=["one", "combined"])
def test_satisfies_the_model_contract(make):
    check_model(make, scattered(40))


def test_has_the_capabilities_of_the_model_that_it_is():
    model = taught(combined(30), scattered(60))
    for wanted in (Saved, KnowsNoise, Searching, Joint, Exploring):
        assert capability(model, wanted) is not None


def test_taking_over_does_not_change_the_map():
    samples, X = tracks(401), REGION.grid(15, 15)
    exact, local = (taught(combined(local_from), samples.first(400)) for local_from in (0, 400))
    for model in (exact, local):
        model.observe(samples.after(400))
    assert exact.members[0].local is None
    assert local.members[0].local is not None
    before, after = exact.predict(X), local.predict(X)
    assert np.quantile(np.abs(before.mean - after.mean) / before.std, 0.99) < 0.05
    assert np.quantile(np.abs(after.variance / before.variance - 1), 0.99) < 0.05


def test_learns_from_shares_of_the_readings_what_it_learns_from_all(monkeypatch):
    """The likelihood of all readings rises, nearly as when each step is told of all of them."""
    monkeypatch.setattr(batches, "BLOCK_SIZE", 32)
    samples = scattered(800)
    worth = {}
    for local_from in (0, 100):
        model = taught(member(local_from=local_from), samples, 40)
        judge = member()
        judge.observe(samples)
        before = judge.log_marginal_likelihood()
        judge.module.load_state_dict(model.module.state_dict())
        worth[local_from] = judge.log_marginal_likelihood() - before
    assert worth[0] > 200
    assert worth[100] > 0.8 * worth[0]


def test_goes_on_from_a_file_bit_for_bit(tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "BLOCK_SIZE", 8)
    samples, X = tracks(500), REGION.grid(6, 6)
    first, second = combined(200), combined(200)
    for begin in range(0, 300, 60):
        taught(first, samples.after(begin).first(60), 4)
    first.save(tmp_path / "model")
    second.load(tmp_path / "model")
    for model in (first, second):
        for begin in range(300, 420, 60):
            taught(model, samples.after(begin).first(60), 4)
    assert np.array_equal(first.predict(X).mean, second.predict(X).mean)
    assert np.array_equal(first.predict(X).variance, second.predict(X).variance)
    assert np.array_equal(first.joint(X).covariance, second.joint(X).covariance)
    assert first.calibration == second.calibration


def test_takes_up_the_file_of_an_exact_model(tmp_path):
    exact, local = taught(combined(0), tracks(300)), combined(200)
    exact.save(tmp_path / "model")
    local.load(tmp_path / "model")
    X = REGION.grid(6, 6)
    assert local.members[0].local is not None
    np.testing.assert_allclose(local.predict(X).mean, exact.predict(X).mean, rtol=0, atol=1e-6)
    np.testing.assert_allclose(local.predict(X).variance, exact.predict(X).variance, rtol=1e-6)


def test_copies_go_on_by_themselves():
    model, X = taught(combined(100), scattered(200)), REGION.grid(4, 4)
    twin, before = deepcopy(model), model.predict(X)
    assert np.array_equal(twin.predict(X).mean, before.mean)
    taught(twin, scattered(50, seed=1))
    assert np.array_equal(model.predict(X).mean, before.mean)
    assert len(model.samples) == 200


def test_no_queries_give_no_answers():
    model, nowhere = taught(combined(50), scattered(80), 2), np.empty((0, 2))
    assert model.predict(nowhere).mean.shape == (0,)
    assert model.joint(nowhere).covariance.shape == (0, 0)


def test_members_side_by_side_say_to_the_last_bit_what_they_say_one_after_the_other():
    X, said = REGION.grid(6, 6), []
    threads = torch.get_num_threads()
    for num in (1, 2):
        torch.set_num_threads(num)
        try:
            model = taught(combined(150), scattered(300), 3)
            said.append(model.predict(X))
        finally:
            torch.set_num_threads(threads)
    assert np.array_equal(said[0].mean, said[1].mean)
    assert np.array_equal(said[0].variance, said[1].variance)


def test_what_is_remembered_of_surprises_is_bounded_and_everywhere(monkeypatch):
    monkeypatch.setattr(local_scale, "MOST", 60)
    monkeypatch.setattr(batches, "BLOCK_SIZE", 8)
    model, samples = combined(100), scattered(600)
    for begin in range(0, 600, 100):
        taught(model, samples.after(begin).first(100), 2)
    places = model._surprises.places
    assert 15 <= len(places) <= 60
    assert len(np.unique(places)) == len(places)
    quarters = (samples.X[places] > 0) @ [1, 2]
    assert set(quarters) == {0, 1, 2, 3}


def test_a_failed_fit_leaves_the_model_as_it_was(monkeypatch):
    model, X = taught(member(local_from=100), scattered(300)), REGION.grid(4, 4)
    before, drawn = model.predict(X), solver.draw_batch
    monkeypatch.setattr(solver, "STEPS_PER_BATCH", 3)
    batches = iter([1, 2])

    def fails(*args):
        if next(batches, None) is None:
            raise KeyboardInterrupt
        return drawn(*args)

    monkeypatch.setattr(solver, "draw_batch", fails)
    with pytest.raises(KeyboardInterrupt):
        model.fit(20)
    assert np.array_equal(model.predict(X).mean, before.mean)


def test_what_needs_one_factorisation_says_so():
    model = taught(member(local_from=100), scattered(200))
    with pytest.raises(ValueError, match="factorisation of all 200 is too large"):
        model.leave_one_out()


# -- what is far apart, in a row, or wrong ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["one straight line", "a gap", "an outlier", "all at one place", "far outside"])
def test_hard_readings_are_learnt_and_predicted(name):
    rng = np.random.default_rng(1)
    X = {
        "one straight line": lambda: np.stack([np.linspace(-90, 90, 400), np.full(400, 7.0)], axis=1),
        "a gap": lambda: np.concatenate([rng.uniform(-98, -60, (200, 2)), rng.uniform(60, 98, (200, 2))]),
        "an outlier": lambda: rng.uniform(-98, 98, (400, 2)),
        "all at one place": lambda: np.tile([[3.0, 4.0]], (10_000, 1)),
        "far outside": lambda: np.concatenate([rng.uniform(-98, 98, (399, 2)), [[1e5, -1e5]]]),
    }[name]()
    y = field(X) + rng.standard_normal(len(X))
    if name == "an outlier":
        y[200] = 1e6
    model = taught(combined(100), Samples(X, y), 5)
    said = model.predict(REGION.grid(8, 8))
    assert np.isfinite(said.mean).all()
    assert (said.variance > 0).all()
    if name == "a gap":
        near, far = model.latent(np.array([[-80.0, -80.0], [0.0, 0.0]])).variance
        assert far > 2 * near
