"""Settings: the later layer wins, everything wrong is said at once, and a run folder's settings read back."""

import os
import tomllib

import numpy as np
import pytest
import tomli_w

from akrig.config import build_mission, load_settings, read_settings, resolve, to_toml
from akrig.errors import ConfigError
from akrig.fields import InvalidField, UnknownField
from akrig.strategies.pilot import KnowsNothing
from akrig.types import Budget, Samples


def problems(tmp_path, toml: str, **options) -> list[str]:
    file = tmp_path / "mission.toml"
    file.write_text(toml)
    with pytest.raises(ConfigError) as caught:
        resolve(load_settings(file, options))
    return caught.value.problems


def test_options_win_over_the_file_and_the_file_over_the_preset(tmp_path):
    file = tmp_path / "mission.toml"
    file.write_text('preset = "paper"\nkernel = "rbf"\nseed = 4\n[training]\nlearning_rate = 0.5\n')
    settings = load_settings(file, {"seed": 7, "kernel": {"lengthscale": 0.3}})
    assert (settings.seed, settings.kernel.name, settings.kernel.lengthscale) == (7, "rbf", 0.3)
    assert (settings.training.learning_rate, settings.training.network_learning_rate) == (0.5, 0.001)
    assert settings.vehicle.heading == pytest.approx(np.pi / 2)  # of the preset


def test_a_later_budget_replaces_an_earlier_one():
    settings = load_settings(None, {"preset": "paper", "budget": {"distance": 500.0}})
    assert (settings.budget.readings, settings.budget.distance) == (None, 500.0)


def test_short_words_are_names():
    settings = load_settings(None, {"field": "lake", "budget": 99, "strategy": "active"})
    assert (settings.field.name, settings.budget.readings, settings.strategy.name) == ("lake", 99, "active")


def test_resolved_settings_read_back_and_resolve_to_themselves(tmp_path):
    settings = resolve(load_settings(None, {"field": "river", "strategy": "lawnmower", "budget": {"distance": 9000.0}}))
    file = tmp_path / "config.toml"
    file.write_text(to_toml(settings, about={"akrig": "0", "units": "m"}))
    assert read_settings(file) == settings == resolve(settings)
    assert settings.vehicle.name == "simulated"
    assert settings.strategy.num_lines > 2


def test_the_vehicle_fits_the_strategy():
    def name(strategy):
        return resolve(load_settings(None, {"field": "lake", "strategy": strategy})).vehicle.name

    assert [name(strategy) for strategy in ("random", "active", "myopic")] == ["teleport", "teleport", "simulated"]


def test_the_paper_preset_is_the_papers(tmp_path):
    """PARITY.md, line by line, on a field of the paper's size."""
    np.save(tmp_path / "tile.npy", np.random.default_rng(0).uniform(0, 255, (36, 36)))
    corners = {"lower": [-11, -11], "upper": [11, 11]}
    field = {"name": str(tmp_path / "tile.npy"), "extent": corners, "interpolation": "nearest"}
    settings = resolve(load_settings(None, {"preset": "paper", "field": field, "strategy": "myopic"}))
    parts = build_mission(settings)
    mission, model = parts.mission, parts.model
    assert np.allclose([mission.workspace.lower, mission.workspace.upper], [[-10, -10], [10, 10]])
    assert mission.budget == Budget(readings=700)
    assert (mission.steps_per_reading, mission.pilot_steps, mission.pilot.num_points) == (1.0, None, 50)
    assert mission.strategy.num_candidates == 1000
    assert parts.scoring.points.shape == (2500, 2)
    assert model.likelihood.noise.item() == pytest.approx(1.0)
    assert model.kernel.outputscale.item() == pytest.approx(1.0)
    lengthscales = [kernel.lengthscale.item() for kernel in model.kernel.base_kernel.base_kernels]
    assert lengthscales == pytest.approx(np.linspace(0.01, 0.5, 10))
    boat = mission.vehicle.vehicle._vehicle
    assert (boat._speed, boat._turn_gain) == pytest.approx((1.0, 2.0))
    assert (boat._ticks_per_second, boat._ticks_per_reading) == (pytest.approx(10.0), 10)
    assert boat._stopping == pytest.approx((0.1, 1.0))  # goal and slowdown radius
    assert boat.pose.heading == pytest.approx(np.pi / 2)
    pilot = next(iter(mission.epochs()))
    assert len(pilot.samples) == 50
    assert np.allclose(pilot.samples.X, pilot.plan.waypoints)


@pytest.mark.parametrize("kernel", ["attentive", "rbf", "matern", "gibbs", "deep"])
def test_every_kernel_can_be_named(kernel):
    settings = resolve(load_settings(None, {"field": "halves", "kernel": kernel, "strategy": "random", "budget": 52}))
    mission = build_mission(settings).mission
    assert [np.isfinite(epoch.loss) for epoch in mission.epochs()] == [True] * 3


def test_everything_wrong_is_said_at_once_with_the_nearest_word(tmp_path):
    said = problems(
        tmp_path,
        """
        preset = "papper"
        field = "jaksboro"
        kernle = "rbf"
        seed = -1
        [kernel]
        name = "atentive"
        [strategy]
        num_candidate = 5
        [sensor]
        dropout_rate = 1.5
        noise_std = "loud"
        [model]
        mean = "zeros"
        """,
    )
    expected = [
        "preset: 'papper' is not possible; did you mean 'paper'?",
        "seed: -1 does not fit",
        "field: no field is called 'jaksboro'; did you mean 'jacksboro'?",
        "kernel: no kernel is called 'atentive'; did you mean 'attentive'?",
        "strategy.num_candidate is not a setting; did you mean 'num_candidates'?",
        "sensor.noise_std: 'loud' does not fit; it should be a valid number",
        "sensor.dropout_rate: 1.5 does not fit; it should be less than or equal to 1",
        "model.mean: 'zeros' is not possible; did you mean 'zero'?",
        "kernle is not a setting; did you mean 'kernel'?",
    ]
    for sentence in expected:
        assert any(problem.startswith(sentence) for problem in said), (sentence, said)
    assert len(said) == len(expected)


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("budget = 30", "30 readings are fewer than the 66 or so of the pilot survey"),
        ("[budget]", "give readings, distance or time"),
        ("[budget]\ndistance = 1.0", "1 metres are fewer than"),
        ("[budget]\ntime = 1.0", "1 seconds are fewer than"),
        ("[vehicle]\nspacing = 0.01", "700 readings are fewer than"),
        ('field = "lake"\n[workspace]\nlower = [0, 0]\nupper = [1000, 1000]', "to turn; it has 0"),
        ("budget = 1e3", "budget: 1000.0 does not fit; it is a section with readings, distance, time"),
        ("kernel = 5", "kernel: 5 does not fit; it is a section with name"),
        ("[workspace]\nlower = [0, 0]", "workspace.upper is missing"),
        ("[field.crop]\nlower = [0]\nupper = [5]", "crop needs two coordinates"),
        ("[scoring]\ngrid = [100000, 100000]", "more than 4000000 points"),
        ("[scoring]\ngrid = [100]", "does not fit a field of 2 dimensions"),
        ("[sensor]\noutlier_rate = 0.1", "outlier_rate needs outlier_std"),
        ("[strategy.options]\nfoo = 1", "options are for parts of your own, not for 'myopic'"),
        ('strategy = "fractions:Fraction"', "'fractions:Fraction' is no strategy: it is a class without plan(...)"),
        ('field = "fractions:Fraction"', "it is a class without __call__(...)"),
        ("[kernel]\nshortest = 2.9", "shortest (2.9) exceeds longest (2.0)"),
        ('field = "lake"\n[workspace]\nlower = [0, 0]\nupper = [2000, 500]', "is not inside the field lake"),
        ('field = "lake"\n[workspace]\nlower = [0]\nupper = [5]', "is not inside the field lake"),
        ("[workspace]\nlower = [5, 5]\nupper = [0, 9]", "lower must lie below upper"),
        ('kernel = "no_such_module:Mine"', "'no_such_module:Mine' cannot be imported"),
        ('kernel = "math:Mine"', "math has no 'Mine'"),
        ('kernel = "math:pi"', "is not a class or function"),
        ('kernel = "fractions:Fraction"', "it is a class that is no gpytorch Kernel"),
        ('strategy = "meander"', "choose from random, active, myopic, lawnmower"),
        ('[vehicle]\nname = "replay"', "needs vehicle.log"),
        ('field = "none"', "only a replay"),
        ("seed = ", "this is not TOML"),
        (
            '[strategy]\nname = "akrig.strategies:Myopic"\n[strategy.options]\nnum_candidate = 3',
            "strategy: 'akrig.strategies:Myopic' could not be made: Myopic takes no option 'num_candidate'; "
            "did you mean 'num_candidates'?",
        ),
        (
            '[strategy]\nname = "route"\noptions.objective = "volume"',
            "strategy route: objective is one of variance, log-variance, excess, mutual-information; got 'volume'.",
        ),
        (
            '[strategy]\nname = "route"\noptions.goal = "low"',
            "strategy route: goal is a standard deviation, in the sensor's units; got 'low'.",
        ),
        (
            '[strategy]\nname = "route"\noptions.stretch = "low"',
            "strategy route: an option is of the wrong kind; got {'stretch': 'low'}.",
        ),
        ('[strategy]\nname = "tree-search"\noptions.depth = 0', "strategy tree-search: depth is at least 1; got 0."),
        ('kernel = "mylab.kernels.Mine:"', "write it as 'module:Name'"),
        ('kernel = "os;system:x"', "write it as 'module:Name'"),
        ("[kernel]\nhidden = 1000000000", "1000000000 does not fit; it should be less than or equal to 10000."),
        ("[kernel]\noptions = 3", "3 does not fit; it is a section with words of your own"),
        ("[vehicle]\nspacing = 1e-300", "it should be at least 1e-12"),
        ("[sensor]\nnoise_std = 1e300", f"it should be less than or equal to {10**30}"),
        ("[sensor]\nnoise_std = nan", "it should be a finite number"),
        ("[workspace]\nlower = [0, 0]\nupper = [1e300, 1]", "it should be less than or equal to 1000000000000"),
        ("[workspace]\nlower = [5e5, 0]\nupper = [500000.0001, 1]", "too near each other"),
        (f"seed = {10**40}", "does not fit"),
        ('field = "a\\u0000.tif"', "holds a zero character"),
        (f'preset = "{"x" * 5000}"', "is not possible"),
        ("[kernel.options]\na = " + "[" * 30 + "]" * 30, "nested more than 20 times"),
    ],
)
def test_what_cannot_be_is_one_clear_sentence(toml, said, tmp_path):
    file = tmp_path / "mission.toml"
    file.write_text(toml)
    with pytest.raises(ConfigError) as caught:
        build_mission(resolve(load_settings(file)))
    assert said in str(caught.value)
    assert len(caught.value.problems) == 1
    assert len(str(caught.value)) < 600


def test_limits_are_beyond_what_people_do(tmp_path):
    file = tmp_path / "mission.toml"
    file.write_text(
        "budget.readings = 1000000000\n"  # as long as it takes
        "kernel.hidden = 2048\n"
        "sensor.noise_std = 1e18\n"  # cells in a cubic metre
        "workspace.lower = [456789.1, 5249876.2]\n"  # a tank, in UTM
        "workspace.upper = [456790.3, 5249877.4]\n"
    )
    settings = load_settings(file)
    assert settings.budget.readings == 10**9
    assert settings.sensor.noise_std == 1e18
    assert load_settings(None, {"sensor": {"noise_std": 1e-15}}).sensor.noise_std == 1e-15  # teslas


def test_a_raster_that_is_no_field_is_one_clear_sentence(tmp_path):
    np.save(tmp_path / "flat.npy", np.full((9, 9), 3.0))
    with pytest.raises(InvalidField, match="every cell is 3"):
        resolve(load_settings(None, {"field": str(tmp_path / "flat.npy")}))


def test_a_field_that_is_not_on_this_machine_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.delenv("AKRIG_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(UnknownField, match="akrig fields --fetch N17E073"):
        resolve(load_settings(None, {"field": "N17E073"}))


def test_parts_of_ones_own_are_found_in_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "mylab.py").write_text(
        """
import numpy as np
from gpytorch.kernels import RQKernel
from akrig.geometry import Box
from akrig.types import Plan
from akrig.vehicles import Teleport

def kernel(dim, alpha=2.0):
    assert dim == 2
    made = RQKernel()
    made.alpha = alpha
    return made

class Corner:
    def plan(self, belief, situation, rng):
        return Plan(np.array([situation.workspace.lower]))

class Plane:
    extent = Box((0, 0), (10, 10))
    def __call__(self, X):
        return X[:, 0] * 1.0

class Bat:
    def __init__(self, field):
        self.field = field
    def measure(self, X, rng):
        return self.field(X)

def boat(sensor, pose, noise):
    return Teleport(sensor, pose=pose, noise=noise)
"""
    )
    monkeypatch.chdir(tmp_path)
    options = {
        "field": "mylab:Plane",
        "kernel": {"name": "mylab:kernel", "options": {"alpha": 5.0}},
        "strategy": "mylab:Corner",
        "sensor": "mylab:Bat",
        "vehicle": "mylab:boat",
        "budget": 52,
    }
    mission = build_mission(resolve(load_settings(None, options))).mission
    assert mission.model.members[0].kernel.base_kernel.alpha.item() == pytest.approx(5.0)
    last = list(mission.epochs())[-1]
    assert np.array_equal(last.samples.X[0], mission.workspace.lower)
    assert last.samples.y[0] == mission.workspace.lower[0]


@pytest.mark.skipif("AKRIG_DATA" not in os.environ, reason="AKRIG_DATA is not set")
def test_the_papers_tile_is_placed_as_in_the_paper():
    settings = resolve(load_settings(None, {"preset": "paper", "field": "N17E073"}))
    assert np.allclose([settings.workspace.lower, settings.workspace.upper], [[-10, -10], [10, 10]])
    assert settings.vehicle.spacing == pytest.approx(1.0)


def test_a_run_does_not_depend_on_the_folder_it_was_started_from(tmp_path, monkeypatch):
    np.save(tmp_path / "tile.npy", np.random.default_rng(0).uniform(0, 9, (30, 30)))
    monkeypatch.chdir(tmp_path)
    settings = resolve(load_settings(None, {"field": "tile.npy"}))
    monkeypatch.chdir("/")
    build_mission(settings)


@pytest.mark.parametrize("strategy", ["active", "myopic"])
def test_a_raster_with_holes_is_mapped_around_them(strategy, tmp_path):
    values = np.random.default_rng(0).uniform(0, 9, (40, 40)).cumsum(axis=0)
    values[20:, 20:] = np.nan
    np.save(tmp_path / "quarter.npy", values)
    options = {"field": str(tmp_path / "quarter.npy"), "kernel": "rbf", "strategy": strategy, "budget": 120}
    parts = build_mission(resolve(load_settings(None, options)))
    epochs = list(parts.mission.epochs())
    assert epochs[-1].used.readings >= 120
    goals = np.concatenate([epoch.plan.waypoints for epoch in epochs[1:]])
    assert np.isfinite(parts.field(goals)).all()
    assert np.isfinite(list(parts.scoring(parts.model, parts.model.samples).values())).all()


@pytest.mark.parametrize("budget", [400, 700, 1000, {"distance": 20000.0}])
def test_a_lawnmower_covers_the_workspace_evenly(budget):
    """From the first line to the last, whatever the budget: the survey that others are compared with."""
    options = {"field": "ridges", "kernel": "rbf", "strategy": "lawnmower", "budget": budget}
    mission = build_mission(resolve(load_settings(None, options))).mission
    mission.model = _Listens()
    pilot = next(epochs := mission.epochs())
    X = np.concatenate([epoch.samples.X for epoch in epochs])
    assert abs(len(pilot.samples) - 66) < 8
    lower, upper = np.array(mission.workspace.lower), np.array(mission.workspace.upper)
    rows = np.histogram((X[:, 1] - lower[1]) / (upper - lower)[1], bins=5, range=(-0.05, 1.05))[0]
    assert rows.min() > 0.5 * rows.max(), rows


class _Listens(KnowsNothing):
    """A model that costs nothing."""

    def __init__(self):
        self.samples = Samples.none(2)

    def observe(self, samples):
        self.samples = self.samples.append(samples)

    def fit(self, steps):
        return 0.0


def test_a_function_of_the_paper_can_be_named(tmp_path):
    options = {"field": "akrig.fields:CHIRP", "pilot": "lawnmower", "strategy": "active", "kernel": "rbf", "budget": 60}
    parts = build_mission(resolve(load_settings(None, options)))
    assert parts.scoring.points.shape == (2500, 1)
    assert len(list(parts.mission.epochs())) == 11
    with pytest.raises(ConfigError, match="lawnmower needs a plane"):
        resolve(load_settings(None, {**options, "strategy": "lawnmower", "vehicle": "teleport"}))


@pytest.mark.parametrize("gap", ["workspace", "vehicle.name", "vehicle.spacing"])
def test_settings_of_a_run_that_lack_what_every_run_has_are_one_sentence(tmp_path, gap):
    content = tomllib.loads(to_toml(resolve(load_settings(None, {"field": "halves"})), about={}))
    *sections, name = gap.split(".")
    del (content[sections[0]] if sections else content)[name]
    (tmp_path / "config.toml").write_text(tomli_w.dumps(content))
    with pytest.raises(ConfigError, match=f"{gap} is missing, which akrig writes down for every run"):
        read_settings(tmp_path / "config.toml")
