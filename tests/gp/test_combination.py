from copy import deepcopy

import numpy as np
import pytest
import torch
from gpytorch.kernels import MaternKernel, RBFKernel, ScaleKernel

from akrig.errors import TrainingFailed
from akrig.geometry import Box
from akrig.gp import Calibration, CombinedRegression, GPRegression, Training
from akrig.gp.calibration import mixture
from akrig.gp.members import combined
from akrig.gp.normalize import Normalization
from akrig.gp.posterior import Posterior
from akrig.gp.storage import UnreadableModel
from akrig.kernels import AttentiveKernel
from akrig.protocols import Explaining, Exploring, KnowsNoise, Model, Saved, Searching
from akrig.testing import check_model
from akrig.types import Samples
from tests.gp.test_regression import make_samples

REGION = Box((-12.0, -12.0), (12.0, 12.0))


def attentive_member(seed=0, **kwargs) -> GPRegression:
    kernel = AttentiveKernel.with_network(
        2,
        family="matern52",
        shortest=0.02,
        longest=2.0,
        spacing="geometric",
        num_lengthscales=6,
        generator=torch.Generator().manual_seed(seed),
        dtype=torch.float64,
    )
    kwargs.setdefault("workspace", REGION)
    return GPRegression(ScaleKernel(kernel), noise_variance=0.1, training=Training("adam", 0.02, 0.002), **kwargs)


def stationary_member(**kwargs) -> GPRegression:
    return GPRegression(ScaleKernel(MaternKernel(nu=1.5)), noise_variance=0.1, workspace=REGION, **kwargs)


def make_model(num=2, **kwargs) -> CombinedRegression:
    kwargs.setdefault("calibration", Calibration(sharpness=0.1))
    return CombinedRegression([*(attentive_member(seed) for seed in range(num)), stationary_member()], **kwargs)


def mission(model, samples, sizes, *, queries=None, most_steps=None) -> None:
    """Legs as a mission brings them.

    Args:
        most_steps: of training after a leg; as many as readings, if not given.
    """
    begin = len(model.samples)
    for size in sizes:
        leg = samples.after(begin).first(size)
        begin += size
        model.observe(leg)
        model.fit(min(len(leg), most_steps or len(leg)))
        if queries is not None:
            model.predict(queries)


# -- the contract ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("calibration", [None, Calibration(), Calibration(sharpness=0.2)])
def test_satisfies_the_model_contract(calibration):
    check_model(lambda: make_model(calibration=calibration), make_samples(40))


def test_has_the_capabilities_of_a_model():
    model = make_model()
    model.observe(make_samples(5))
    for wanted in (Model, Saved, Explaining, KnowsNoise, Searching):
        assert isinstance(model, wanted)


def test_one_member_without_calibration_is_that_member(rng):
    samples, queries = make_samples(60), rng.uniform(-12, 12, (30, 2))
    alone, combined = attentive_member(), CombinedRegression([attentive_member()], follows_scales=False)
    for model in (alone, combined):
        mission(model, samples, [30, 1, 20, 9], queries=queries)
    for ask in ("predict", "latent"):
        theirs, ours = (getattr(model, ask)(queries) for model in (alone, combined))
        np.testing.assert_array_equal(ours.mean, theirs.mean)
        np.testing.assert_allclose(ours.variance, theirs.variance, rtol=1e-14)
    assert combined.noise_variance == alone.noise_variance
    np.testing.assert_array_equal(combined.explain(queries).lengthscale, alone.explain(queries).lengthscale)
    np.testing.assert_allclose(combined.joint(queries).covariance, alone.joint(queries).covariance, rtol=1e-12)


def test_members_share_their_base_correlations_and_predict_as_if_they_did_not(rng):
    samples, queries = make_samples(60), rng.uniform(-12, 12, (30, 2))
    combined = CombinedRegression([attentive_member(seed) for seed in range(3)], follows_scales=False)
    mission(combined, samples, [30, 10, 20], queries=queries)
    grams = [member._solver.gram for member in combined.members]
    assert all(gram.correlations is grams[0].correlations for gram in grams)
    for seed, member in enumerate(combined.members):
        alone = attentive_member(seed)
        mission(alone, samples, [30, 10, 20], queries=queries)
        np.testing.assert_array_equal(member.predict(queries).mean, alone.predict(queries).mean)


def test_predicts_what_its_members_predict_one_by_one(rng):
    model = make_model(calibration=Calibration(sharpness=0.1, nearby=0))
    mission(model, make_samples(60), [40, 20])
    X = rng.uniform(-12, 12, (70, 2))
    apart, together = mixture([member.predict(X) for member in model.members], model.weights), model.predict(X)
    np.testing.assert_allclose(together.mean, apart.mean, rtol=1e-12)
    np.testing.assert_allclose(together.variance, model.variance_scale * apart.variance, rtol=1e-12)


def test_noise_is_what_predictions_add_to_the_field(rng):
    model = make_model()
    mission(model, make_samples(60), [40, 20])
    X = rng.uniform(-10, 10, (20, 2))
    added = model.predict(X).variance - model.latent(X).variance
    np.testing.assert_allclose(added, model.noise_variance, rtol=1e-9)


def test_joint_has_the_predictions_on_its_diagonal_and_draws_have_its_moments(rng):
    model = make_model()
    mission(model, make_samples(40), [30, 10])
    X = rng.uniform(-10, 10, (6, 2))
    joint, latent = model.joint(X), model.latent(X)
    np.testing.assert_allclose(joint.mean, latent.mean, rtol=1e-9)
    np.testing.assert_allclose(np.diag(joint.covariance), latent.variance, rtol=1e-8)
    draws = model.sample(X, 20_000, rng)
    np.testing.assert_allclose(np.cov(draws.T), joint.covariance, atol=0.05 * joint.covariance.max())


def test_members_side_by_side_learn_and_predict_to_the_last_bit_as_one_after_the_other(rng):
    X, before = rng.uniform(-12, 12, (40, 2)), torch.get_num_threads()
    said = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        try:
            model = make_model()
            mission(model, make_samples(160), [120, 30, 10], queries=X, most_steps=15)
            said.append((model.predict(X), model.weights))
        finally:
            torch.set_num_threads(before)
    (alone, weights), (together, others) = said
    np.testing.assert_array_equal(alone.mean, together.mean)
    np.testing.assert_array_equal(alone.variance, together.variance)
    np.testing.assert_array_equal(weights, others)


# -- the most uncertain of many places --------------------------------------------------------------------------------


def searched(members, num_readings, **kwargs) -> CombinedRegression:
    model = CombinedRegression(members, calibration=Calibration(sharpness=0.1), **kwargs)
    first = num_readings // 2
    mission(model, make_samples(num_readings), [first, num_readings - first], most_steps=15)
    return model


@pytest.mark.parametrize("num_readings", [2, 9, 60, 150])
@pytest.mark.parametrize(
    "members",
    [
        lambda: [attentive_member()],
        lambda: [attentive_member(0), attentive_member(1)],
        lambda: [attentive_member(0), attentive_member(1), stationary_member()],
        lambda: [attentive_member(0), stationary_member(), attentive_member(1)],
        lambda: [attentive_member(0), attentive_member(1, workspace=None)],  # sees points at another scale
        lambda: [attentive_member(0), attentive_member(1, mean="constant")],
    ],
)
def test_finds_the_place_that_predicting_everywhere_finds(members, num_readings, rng):
    model = searched(members(), num_readings)
    for _ in range(3):
        X = rng.uniform(-12, 12, (300, 2))
        assert model.most_uncertain(X) == np.argmax(model.predict(X).variance)


def test_finds_the_place_where_members_disagree_though_each_is_sure(rng):
    """Variances alone would lead elsewhere."""
    model = searched([attentive_member(0), attentive_member(1)], 60)
    X = rng.uniform(-12, 12, (300, 2))
    bent = deepcopy(model)
    bent.members[1]._process.mean_at = lambda points: 50.0 * torch.exp(-20.0 * (points - 0.5).square().sum(-1))
    found = bent.most_uncertain(X)
    assert found == np.argmax(bent.predict(X).variance)
    assert found != model.most_uncertain(X)


def test_places_all_alike_are_a_tie():
    model = searched([attentive_member(0), attentive_member(1)], 60)
    assert 0 <= model.most_uncertain(np.ones((10, 2))) < 10
    X = np.repeat([[11.0, -11.0], [0.0, 0.0], [11.0, -11.0]], 3, axis=0)
    variance = model.predict(X).variance
    assert variance[model.most_uncertain(X)] == pytest.approx(variance.max(), rel=1e-12)


def test_before_the_first_reading_every_place_is_as_uncertain():
    scales = Normalization(np.zeros(2), np.full(2, 12.0), 0.0, 1.0)
    members = [attentive_member(seed, workspace=None, normalization=scales) for seed in range(2)]
    assert 0 <= CombinedRegression(members).most_uncertain(np.ones((5, 2))) < 5


def test_so_many_places_that_covariances_would_not_fit_are_predicted(rng, monkeypatch):
    model = searched([attentive_member(0), attentive_member(1)], 60)
    X = rng.uniform(-12, 12, (300, 2))
    expected = model.most_uncertain(X)
    monkeypatch.setattr("akrig.gp.together.MOST_SEARCH_BYTES", 0)
    monkeypatch.setattr("akrig.gp.together.largest_spread", None)
    assert model.most_uncertain(X) == expected


def test_few_places_are_solved_for(rng, monkeypatch):
    """Else it would only be a slower way to predict."""
    model = searched([attentive_member(0), attentive_member(1)], 150)
    asked, project = [], Posterior.project
    monkeypatch.setattr(Posterior, "project", lambda self, X, rows: asked.append(len(X)) or project(self, X, rows))
    model.most_uncertain(rng.uniform(-12, 12, (1000, 2)))
    assert sum(asked) < 2 * 200


# -- what it learns from held-out readings ----------------------------------------------------------------------------


def test_readings_rougher_than_the_model_believes_widen_its_intervals(rng):
    """Members that cannot learn (no rate to speak of) and believe in a variance that is four times too small."""
    X = rng.uniform(-12, 12, (400, 2))
    kernel = ScaleKernel(RBFKernel()).double()
    kernel.outputscale = 0.2
    member = GPRegression(kernel, noise_variance=0.05, workspace=REGION, training=Training("adam", 1e-9, 1e-9))
    member.kernel.base_kernel.lengthscale = 1e-4  # readings do not see each other: variance 0.25 at each
    model = CombinedRegression([member], calibration=Calibration(memory=1000, prior=1, least=0, trust=30, nearby=0))
    mission(model, Samples(X, rng.normal(0, 1, 400)), [50, *[10] * 35])
    assert model.variance_scale == pytest.approx(4.0, rel=0.25)


def half_flat(rng, num: int) -> Samples:
    """Gentle in the west, rugged in the east."""
    X = rng.uniform(-12, 12, (num, 2))
    east = np.where(X[:, 0] > 0, 10.0, 0.1)
    return Samples(X, east * np.sin(2.0 * X[:, 0]) * np.cos(1.7 * X[:, 1]) + rng.normal(0, 0.05, num))


def test_a_stationary_member_is_surer_where_readings_do_not_surprise_it(rng):
    """Of a kernel that is alike everywhere, errors in the two halves are to be in proportion to what is said there."""
    model, plain = (
        CombinedRegression([stationary_member()], calibration=Calibration(nearby=nearby)) for nearby in (8.0, 0.0)
    )
    for each in (model, plain):
        mission(each, half_flat(np.random.default_rng(3), 300), [100, *[20] * 10])
    fresh = half_flat(rng, 400)
    west, east = fresh.X[:, 0] < -2, fresh.X[:, 0] > 2
    by_place, alike = (
        each.latent(fresh.X).std[east].mean() / each.latent(fresh.X).std[west].mean() for each in (model, plain)
    )
    assert by_place > 1.8
    assert alike < 1.2
    np.testing.assert_allclose(model.predict(fresh.X).mean, plain.predict(fresh.X).mean)


def test_planners_go_by_what_was_read_where_alone(rng):
    model, plain = (make_model(calibration=Calibration(nearby=nearby)) for nearby in (8.0, 0.0))
    for each in (model, plain):
        mission(each, half_flat(np.random.default_rng(3), 60), [50, 10])
    X = rng.uniform(-12, 12, (30, 2))
    judged, planned = model.latent(X), model.for_planning
    apart = mixture([member.latent(X) for member in model.members], model.weights)
    np.testing.assert_allclose(planned.latent(X).variance, model.variance_scale * apart.variance)
    assert not np.allclose(judged.variance, planned.latent(X).variance, rtol=0.1)
    np.testing.assert_array_equal(model.latent(X).variance, judged.variance)  # a look changes nothing
    assert planned.most_uncertain(X) == int(np.argmax(planned.predict(X).variance))
    assert isinstance(model, Exploring)


def test_local_scales_wait_for_the_next_fit(rng):
    model = CombinedRegression([stationary_member()], calibration=Calibration())
    mission(model, half_flat(rng, 60), [50, 10])
    far = np.array([[11.0, 11.0]])
    before = model.latent(far).variance
    model.observe(Samples(np.array([[9.0, 9.0]]), np.array([500.0])))
    assert model.latent(far).variance <= before * (1 + 1e-9)
    model.fit(1)
    assert model.latent(far).variance > before


def test_too_few_readings_say_nothing_of_places(rng):
    model = make_model(calibration=Calibration())
    mission(model, make_samples(19), [10, 9])
    X = rng.uniform(-12, 12, (5, 2))
    apart = mixture([member.latent(X) for member in model.members], model.weights)
    np.testing.assert_allclose(model.latent(X).variance, model.variance_scale * apart.variance, rtol=1e-9)


def test_the_calibration_waits_for_the_next_fit(rng):
    model = make_model()
    mission(model, make_samples(40), [30, 10])
    before = model.calibration
    model.observe(Samples(rng.uniform(-10, 10, (5, 2)), np.full(5, 300.0)))
    assert model.calibration == before
    model.fit(1)
    assert model.calibration.readings > before.readings


def test_scales_follow_readings_that_leave_the_flat_part(rng):
    flat = Samples(rng.uniform(-12, -6, (40, 2)), rng.normal(5, 0.01, 40))
    steep = make_samples(40)
    model = make_model()
    model.observe(flat)
    model.fit(5)
    assert model.normalization.scale < 0.02
    model.observe(steep)
    model.fit(5)
    everything = np.concatenate([flat.y, steep.y])
    assert model.normalization.scale == pytest.approx(everything.std())
    assert model.normalization.offset == pytest.approx(everything.mean())
    assert all(member.normalization.scale == model.normalization.scale for member in model.members)


def test_noise_never_falls_below_the_data_sheets(rng):
    X = rng.uniform(-12, 12, (60, 2))
    members = [attentive_member(noise_std=0.5), stationary_member(noise_std=0.5)]
    model = CombinedRegression(members)
    mission(model, Samples(X, 10 * np.sin(X[:, 0] / 4)), [30, 30])
    model.fit(300)
    assert all(member.noise_variance >= 0.25 * (1 - 1e-9) for member in model.members)


# -- killed and resumed -----------------------------------------------------------------------------------------------


LEGS = [20, 15, 5, 10, 30]
DRIFTING = Samples(make_samples(80).X, make_samples(80).y * np.linspace(0.1, 2, 80))
PLACES = np.random.default_rng(0).uniform(-12, 12, (25, 2))


@pytest.fixture(scope="module")
def whole() -> CombinedRegression:
    """After a mission that was never interrupted; to be looked at only."""
    model = make_model()
    mission(model, DRIFTING, LEGS, queries=PLACES)
    return model


@pytest.mark.parametrize("kept", [1, 2, 3, 4])
@pytest.mark.parametrize("between", [False, True])
def test_a_saved_model_goes_on_bit_for_bit(kept, between, whole, tmp_path):
    """Whenever it is saved: after any leg, or between observing one and learning it; with scales that drift."""
    first, second = make_model(), make_model()
    mission(first, DRIFTING, LEGS[:kept], queries=PLACES)
    at = sum(LEGS[:kept])
    if between:
        first.observe(DRIFTING.after(at).first(LEGS[kept]))
    first.save(tmp_path / "model")
    second.load(tmp_path / "model")
    if between:
        second.fit(LEGS[kept])
        second.predict(PLACES)
        kept += 1
    mission(second, DRIFTING, LEGS[kept:], queries=PLACES)
    assert second.calibration == whole.calibration
    for ask in ("predict", "latent"):
        theirs, ours = (getattr(model, ask)(PLACES) for model in (whole, second))
        np.testing.assert_array_equal(ours.mean, theirs.mean)
        np.testing.assert_array_equal(ours.variance, theirs.variance)


def test_a_file_of_another_model_is_refused_and_nothing_changes(tmp_path, rng):
    queries = rng.uniform(-12, 12, (5, 2))
    model = make_model()
    mission(model, make_samples(30), [20, 10])
    before = model.predict(queries).mean
    make_model(num=3).save(tmp_path / "three")
    attentive_member().save(tmp_path / "one")
    (tmp_path / "text").write_text("not a model")
    for name in ("three", "one", "text"):
        with pytest.raises(UnreadableModel):
            model.load(tmp_path / name)
    np.testing.assert_array_equal(model.predict(queries).mean, before)


def saved_and_changed(path, change) -> None:
    """A model's file whose content somebody has changed."""
    model = make_model()
    mission(model, make_samples(40), [20, 20])
    model.save(path)
    content = torch.load(path, weights_only=True)
    change(content)
    torch.save(content, path)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("place", [("members", 0), ("calibrations", 0), ("members", 0, "module")])
def test_tensors_where_sections_should_be_are_one_sentence(place, tmp_path):
    def change(content) -> None:
        for key in place[:-1]:
            content = content[key]
        content[place[-1]] = torch.zeros(3)

    saved_and_changed(tmp_path / "model.pt", change)
    with pytest.raises(UnreadableModel, match="does not hold what it should"):
        make_model().load(tmp_path / "model.pt")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda content: content["members"][1].update(y=content["members"][1]["y"] + 1), "different readings"),
        (lambda content: content["calibrations"][0].update(scores=[0.0, 1.0]), "2 scores for 3 members"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(change, said, tmp_path):
    saved_and_changed(tmp_path / "model.pt", change)
    with pytest.raises(UnreadableModel, match=said):
        make_model().load(tmp_path / "model.pt")


def test_a_failed_fit_leaves_all_members_as_they_were(monkeypatch, rng):
    queries = rng.uniform(-12, 12, (5, 2))
    model = make_model()
    mission(model, make_samples(40), [30, 5])
    model.observe(make_samples(40).after(35))
    before, calibration = model.predict(queries), model.calibration

    def fail(steps, leave_out):
        raise TrainingFailed("no")

    monkeypatch.setattr(model.members[-1], "fit", fail)
    with pytest.raises(TrainingFailed):
        model.fit(3)
    after = model.predict(queries)
    np.testing.assert_allclose(after.mean, before.mean, rtol=1e-9)
    np.testing.assert_allclose(after.variance, before.variance, rtol=1e-9)
    assert model.calibration == calibration


def test_copies_go_on_by_themselves(rng):
    model = make_model()
    mission(model, make_samples(40), [30])
    twin = deepcopy(model)
    mission(model, make_samples(40), [10])
    mission(twin, make_samples(40), [10])
    X = rng.uniform(-12, 12, (5, 2))
    np.testing.assert_allclose(twin.predict(X).mean, model.predict(X).mean, rtol=1e-9)


def test_it_keeps_account_of_what_it_foretold(rng):
    model = make_model()
    assert model.foretold is None
    mission(model, make_samples(120), [40, 40, 40])
    foretold = model.foretold
    assert foretold is not None
    assert 0.5 < foretold <= 1.0


# -- hard readings ----------------------------------------------------------------------------------------------------

X30 = np.random.default_rng(1).uniform(-12, 12, (30, 2))
HARD = {
    "one reading": Samples(X30[:1], np.array([7.0])),
    "equal readings at one place": Samples(np.zeros((10, 2)), np.full(10, 3.0)),
    "a constant field": Samples(X30, np.full(30, -2.5)),
    "outliers of 1e6": Samples(X30, np.where(np.arange(30) == 11, 1e6, X30[:, 0])),
    "readings that repeat": Samples(np.repeat(X30[:10], 3, axis=0), np.repeat(X30[:10, 0], 3)),
}


@pytest.mark.parametrize("name", HARD)
def test_hard_readings_are_learnt_and_predicted(name):
    samples, model = HARD[name], make_model()
    for reading in (samples.first(1), *(samples.after(i).first(1) for i in range(1, len(samples)))):
        model.observe(reading)
        assert np.isfinite(model.fit(1))
    said = model.predict(X30)
    assert np.isfinite(said.mean).all()
    assert (said.variance > 0).all()
    assert np.isfinite(said.variance).all()
    assert 0 < model.variance_scale <= 25
    if name == "a constant field":
        np.testing.assert_allclose(said.mean, -2.5, atol=1e-6)


@pytest.mark.usefixtures("unchecked")
def test_wrong_arguments_are_one_clear_sentence():
    with pytest.raises(ValueError, match="at least one member"):
        CombinedRegression([])
    used = attentive_member()
    used.observe(make_samples(5))
    with pytest.raises(ValueError, match="seen no readings"):
        CombinedRegression([used])
    with pytest.raises(ValueError, match="observe takes Samples"):
        make_model().observe([1, 2])
    with pytest.raises(ValueError, match="at least one step"):
        make_model().fit(0)
    with pytest.raises(ValueError, match="noise_std"):
        stationary_member(noise_std=-1.0)


def test_settings_make_members_that_learn_at_paces_of_their_own():
    made = combined(
        lambda member: ScaleKernel(attentive_member(member).kernel.base_kernel),
        noise_variance=0.1,
        mean="zero",
        workspace=REGION,
        training=Training("adam", 0.02, 0.002),
        noise_std=0.3,
        paces=[2.0, 0.5],
        stationary=True,
    )
    rates = [member._solver.trainer.settings.network_learning_rate for member in made.members]
    assert rates == [0.004, 0.001, 0.002]
    mission(made, make_samples(40), [30, 10])
    assert all(member.noise_variance >= 0.09 for member in made.members)
    np.testing.assert_array_equal(made.normalization.center, [0.0, 0.0])
    for wrong in ([], [0.0], [1.0] * 17):
        with pytest.raises(ValueError, match="paces"):
            combined(
                attentive_member, noise_variance=0.1, mean="zero", workspace=REGION, training=Training(), paces=wrong
            )
