"""From settings to a model."""

import numpy as np
import pytest

from akrig.config import build_mission, load_settings, resolve
from akrig.errors import ConfigError
from akrig.gp import CombinedRegression, GPRegression
from akrig.runs import MissionWatcher, create_run, run_mission


def mission_of(**options):
    given = {"field": "halves", "budget": 60, "pilot": {"readings": 20}, "strategy": "random", **options}
    return build_mission(resolve(load_settings(None, given)))


def test_combined_makes_networks_of_the_settings_kernel():
    parts = mission_of(model={"name": "combined", "options": {"paces": [2.0, 1.0, 0.5]}}, kernel={"family": "matern52"})
    model = parts.mission.model
    assert isinstance(model, CombinedRegression)
    first, second, _ = (member.kernel.base_kernel.attention.layers[0].weight for member in model.members)
    assert not np.array_equal(first.detach(), second.detach())
    assert all(type(base).__name__ == "MaternKernel" for base in model.members[0].kernel.base_kernel.base_kernels)


def test_the_simulated_sensors_noise_is_known_to_the_combined_model_only():
    combined = mission_of(model="combined", sensor={"noise_std": 0.7}).mission
    list(combined.epochs())
    assert combined.model.noise_variance >= 0.49
    assert isinstance(mission_of(model="exact").mission.model, GPRegression)


def test_the_default_is_a_fast_and_a_slow_network_and_the_papers_model_is_one():
    model = mission_of().mission.model
    assert isinstance(model, CombinedRegression)
    assert len(model.members) == 2
    paper = mission_of(preset="paper").mission.model
    assert isinstance(paper, GPRegression)
    assert paper.likelihood.noise.item() == 1.0
    assert type(paper.kernel.base_kernel.base_kernels[0]).__name__ == "RBFKernel"


def test_of_a_kernel_without_a_network_there_is_one_member():
    model = mission_of(kernel="rbf").mission.model
    assert isinstance(model, CombinedRegression)
    assert len(model.members) == 1


def test_lengthscales_can_be_a_geometric_series():
    kernel = {"spacing": "geometric", "shortest": 0.02, "longest": 2.0, "num_lengthscales": 3}
    bases = mission_of(kernel=kernel, model="exact").mission.model.kernel.base_kernel.base_kernels
    np.testing.assert_allclose([base.lengthscale.item() for base in bases], [0.02, 0.2, 2.0])


def test_an_option_that_is_unknown_is_named():
    with pytest.raises(ConfigError, match="pace"):
        mission_of(model={"name": "combined", "options": {"pace": [1.0]}})


def test_a_mission_with_the_combined_model_that_is_stopped_goes_on_bit_for_bit(tmp_path):
    settings = load_settings(
        None,
        {"field": "halves", "budget": 70, "pilot": {"readings": 20}, "strategy": "active", "model": "combined"},
    )
    whole, stopped = (create_run(settings, tmp_path / name) for name in ("whole", "stopped"))
    run_mission(whole)
    heard = []
    watcher = MissionWatcher(hear=heard.append, wants_to_stop=lambda: len(heard) >= 20)
    run_mission(stopped, watcher, checkpoint_every=0.0)
    run_mission(stopped)
    assert stopped.journal.read_bytes() == whole.journal.read_bytes()
