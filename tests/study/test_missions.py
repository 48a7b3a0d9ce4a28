"""Runs of the kind "mission": a run folder like any other, and a dataset for tables."""

import numpy as np
import pytest

from akrig.config import load_settings
from akrig.journal.record import read_record
from akrig.plots.report import write_report
from akrig.runs import create_run, run_mission
from akrig.study import missions

SETTINGS = {
    "field": "ridges",
    "kernel": "rbf",
    "strategy": "active",
    "budget": 40,
    "pilot": {"readings": 20, "by": "teleport"},
    "scoring": {"every": 10, "grid": [10, 10], "map_grid": [12, 8], "snapshots": 0},
    "seed": 1,
}


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    path = tmp_path_factory.mktemp("scratch")
    return missions.compute_mission(SETTINGS, path), path


def test_it_is_the_mission_that_akrig_run_carries_out(computed, tmp_path):
    data, path = computed
    folder = create_run(load_settings(None, SETTINGS), tmp_path / "run")
    run_mission(folder)
    for name in ("journal.jsonl", "scores.csv"):
        assert (path / name).read_text() == (folder.path / name).read_text()
    record = read_record(folder.path)
    assert record.map is not None
    for name in ("rmse", "msll", "coverage95", "loss"):
        np.testing.assert_array_equal(data[name], record.scores[name])
    for name in ("mean", "std", "truth"):
        np.testing.assert_array_equal(data[name], record.map[name].astype(np.float32))


def test_the_dataset_has_curves_readings_and_map(computed):
    data, _ = computed
    assert data["samples"].values.tolist() == [20, 30, 40]
    assert data["reading_x"].shape == (40, 2)
    assert data["reading_y"].dims == ("reading",)
    assert (data["mean"].dims, data["mean"].shape, data["mean"].dtype) == (("y", "x"), (8, 12), np.float32)
    assert data["y"][0] < data["y"][-1]  # row 0 is the south
    parts = {"seconds_plan", "seconds_follow", "seconds_fit", "seconds_look", "distance"}
    assert parts <= data.attrs.keys()
    assert all(data.attrs[part] > 0 for part in parts)


@pytest.mark.usefixtures("sketched")
def test_its_folder_is_a_run_folder_without_what_nobody_needs(computed):
    _, path = computed
    assert {file.name for file in path.iterdir()} == {
        ".lock",
        "config.toml",
        "journal.jsonl",
        "map.nc",
        "scores.csv",
        "timings.csv",
    }
    write_report([read_record(path)], path.parent / "report.html")
