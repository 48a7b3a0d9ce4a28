"""Replays take from the log what was recorded, and from the options all else."""

import numpy as np
import pytest
import tomli_w

from akrig.config.load import read_settings
from akrig.errors import ConfigError, RunFolderError
from akrig.journal.legs import read_legs
from akrig.survey.area import area_from
from akrig.survey.logs.replay import create_depths, create_replay, margin_about, replay_settings
from akrig.types import Measurement

ORIGIN = (139.6, 35.16)


@pytest.fixture
def log(rng) -> list[Measurement]:
    X = rng.uniform(-100, 100, (80, 2))
    return [Measurement(k, tuple(place), 5 + k / 9) for k, place in enumerate(X)]


def test_a_prepared_log_lies_in_the_run_folder(log, tmp_path):
    folder = create_replay(log, {"kernel": "rbf"}, origin=ORIGIN, out=tmp_path / "run", about={"akrig": "0"})
    settings = read_settings(folder.config)
    assert settings.vehicle.log is not None
    legs = read_legs(tmp_path / "run" / "readings.csv")
    assert settings.vehicle.log == str(tmp_path / "run" / "readings.csv")
    assert [reading for leg in legs for reading in leg] == log
    assert settings.budget.readings == 80
    assert settings.kernel.name == "rbf"
    assert settings.strategy.name == "myopic"


def test_the_frame_is_kept_and_depths_are_named(log, tmp_path):
    folder = create_replay(log, {}, origin=ORIGIN, out=tmp_path / "run", about={})
    settings = read_settings(folder.config)
    assert settings.frame is not None
    assert (settings.frame.longitude, settings.frame.latitude) == (139.6, 35.16)
    assert 'quantity = "depth"' in folder.config.read_text()


def test_the_map_reaches_a_little_beyond_the_readings(log, tmp_path):
    settings = read_settings(create_replay(log, {}, origin=ORIGIN, out=tmp_path / "run", about={}).config)
    X = np.array([reading.position for reading in log])
    assert settings.workspace is not None
    np.testing.assert_allclose(settings.workspace.lower, X.min(axis=0) - margin_about(X))
    assert 1 <= margin_about(X) <= 25


def test_a_preset_decides_what_the_log_does_not(log, tmp_path):
    settings = read_settings(
        create_replay(log, {"preset": "paper"}, origin=ORIGIN, out=tmp_path / "run", about={}).config
    )
    assert settings.model.normalization == "pilot"
    assert settings.frame is not None
    assert settings.strategy.name == "myopic"


@pytest.mark.parametrize("option", ["budget", "vehicle", "pilot", "field"])
def test_what_the_log_decides_cannot_be_chosen(option, log, tmp_path):
    with pytest.raises(ConfigError, match=f"{option} cannot be chosen"):
        create_replay(log, {option: "any"}, origin=ORIGIN, out=tmp_path / "run", about={})
    with pytest.raises(ConfigError, match=f"{option} cannot be chosen"):
        replay_settings(tmp_path / "log.csv", {option: "any"})


def test_a_kernel_that_does_not_exist_leaves_no_folder(log, tmp_path):
    with pytest.raises(ConfigError):
        create_replay(log, {"kernel": "nonsense"}, origin=ORIGIN, out=tmp_path / "run", about={})
    assert not (tmp_path / "run").exists()


def test_an_older_run_is_not_overwritten(log, tmp_path):
    create_replay(log, {}, origin=ORIGIN, out=tmp_path / "run", about={})
    before = (tmp_path / "run" / "readings.csv").read_bytes()
    with pytest.raises(RunFolderError, match="exists already"):
        create_replay(log[:50], {}, origin=ORIGIN, out=tmp_path / "run", about={})
    assert (tmp_path / "run" / "readings.csv").read_bytes() == before


def test_a_table_in_metres_is_on_no_particular_earth(tmp_path):
    (tmp_path / "log.csv").write_text("x,y,value\n0,0,1\n4,0,2\n4,3,3\n")
    settings = replay_settings(tmp_path / "log.csv", {})
    assert settings.frame is None
    assert settings.workspace is not None
    assert (settings.workspace.lower, settings.workspace.upper) == ([0, 0], [4, 3])


def test_replaying_a_surveys_folder_needs_no_boat(tmp_path, monkeypatch):
    area = {"name": "pond", "fence": [[13.40, 52.50], [13.41, 52.50], [13.41, 52.505]]}
    settings = {
        "field": "none",
        "vehicle": {"name": "mavlink"},
        "budget": {"distance": 1e4},
        "workspace": {"lower": [0, 0], "upper": [600, 500]},
        "survey": {"area": area},
    }
    (tmp_path / "config.toml").write_text(tomli_w.dumps(settings))
    monkeypatch.setattr("akrig.survey.logs.replay.read_legs", lambda log: [[Measurement(0, (0, 0), 5)] * 3])
    replayed = replay_settings(tmp_path, {})
    frame = area_from(**area).frame
    assert replayed.survey is None
    assert replayed.frame is not None
    assert (replayed.frame.longitude, replayed.frame.latitude) == (frame.longitude, frame.latitude)
    assert replayed.vehicle.name == "replay"
    assert replayed.budget.readings == 3


def test_a_replayed_surveys_readings_are_depths(tmp_path):
    (tmp_path / "log.csv").write_text("x,y,value\n0,0,1\n4,0,2\n4,3,3\n")
    settings = replay_settings(tmp_path / "log.csv", {"frame": {"longitude": 139.6, "latitude": 35.16}})
    assert 'quantity = "depth"' in create_depths(settings, tmp_path / "run", about={}).config.read_text()
