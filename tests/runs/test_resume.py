"""A mission killed at any instant resumes, and ends exactly as one that was never killed."""

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from akrig.config import load_settings
from akrig.journal import RunFolder, read_journal
from akrig.runs import MissionWatcher, create_run, run_mission
from tests.forked import akrig
from tests.runs.apart import killed_after

KILLS = 10
SMALL = {
    "field": "ridges",
    "seed": 3,
    "budget": 70,
    "scoring": {"grid": [15, 15], "map_grid": [20, 20], "snapshots": 8},
}
PAIRS = {
    "random": {"strategy": "random", "kernel": "attentive"},
    "active": {"strategy": "active", "kernel": "deep"},
    "myopic": {"strategy": "myopic", "kernel": "attentive", "preset": "paper"},
    "lawnmower": {
        "strategy": "lawnmower",
        "kernel": "gibbs",
        "budget": 76,
        "sensor": {"dropout_rate": 0.1, "outlier_rate": 0.1, "outlier_std": 5.0},
    },
}


def new_run(path: Path, **options) -> RunFolder:
    return create_run(load_settings(None, {**SMALL, **options}), path)


def contents(folder: RunFolder) -> dict[str, bytes]:
    """Everything that must not depend on having been killed: all but wall-clock times and checkpoints."""
    files = [folder.config, folder.journal, folder.scores, folder.map, *sorted(folder.snapshots.iterdir())]
    return {file.name: file.read_bytes() for file in files}


@pytest.mark.parametrize("pair", PAIRS)
def test_a_mission_killed_at_random_instants_ends_the_same(pair, tmp_path):
    warm = new_run(tmp_path / "warm", **{**PAIRS[pair], "budget": 66})
    assert killed_after(120, warm) == "ended 0"  # on a new machine this compiles, which is not the time of a mission
    whole = new_run(tmp_path / "whole", **PAIRS[pair])
    begin = time.monotonic()
    assert killed_after(120, whole) == "ended 0"
    duration = time.monotonic() - begin
    instants = random.Random(pair)
    folder, kills, seen = new_run(tmp_path / "killed", **PAIRS[pair]), 0, 0
    while kills < KILLS:
        if killed_after(instants.uniform(0.02, 0.5 * duration), folder) == "killed":
            kills += 1
        elif read_journal(folder.journal).events[-1]["event"] == "end":
            assert contents(folder) == contents(whole)  # it got through; again, from the beginning
            shutil.rmtree(folder.path)
            folder, seen = new_run(tmp_path / "killed", **PAIRS[pair]), 0
            continue
        else:
            pytest.fail("the mission failed")
        events = read_journal(folder.journal).events
        assert len(events) >= seen  # what was on disk stays
        seen = len(events)
    assert killed_after(120, folder) == "ended 0"
    assert contents(folder) == contents(whole)


ROUTE = {"name": "route", "options": {"num_cells": 60, "effort": 20}}


LOCAL = {"strategy": "myopic", "model": {"name": "combined", "local_from": 35}}


@pytest.mark.parametrize("chosen", [{"strategy": "myopic"}, {"strategy": ROUTE, "pilot": {"name": "none"}}, LOCAL])
def test_a_journal_cut_off_anywhere_ends_the_same(chosen, tmp_path):
    """As if the power had failed: any prefix of the journal, with or without its checkpoints."""
    whole = new_run(tmp_path / "whole", kernel="rbf", **chosen)
    run_mission(whole, checkpoint_every=0.0)
    expected = contents(whole)
    assert (b'"foresight"' in expected["journal.jsonl"]) == (chosen["strategy"] == ROUTE)
    cuts = random.Random(0)
    size = len(expected["journal.jsonl"])
    for number, cut in enumerate([0, 5, size - 1, *(cuts.randrange(size) for _ in range(6))]):
        folder = RunFolder(tmp_path / f"cut{number}")
        shutil.copytree(whole.path, folder.path)
        folder.journal.write_bytes(expected["journal.jsonl"][:cut])
        folder.map.unlink()
        if number % 2:
            shutil.rmtree(folder.checkpoints)
        told = []
        run_mission(folder, _telling(told))
        assert contents(folder) == expected, cut
        torn = cut and not expected["journal.jsonl"][:cut].endswith(b"\n")
        assert any("cut off" in sentence for sentence in told) == bool(torn)


@pytest.mark.parametrize("family", ["matern52", "rq"])
def test_other_families_of_base_kernels_resume_bit_for_bit(family, tmp_path):
    options = {"strategy": "active", "kernel": {"name": "attentive", "family": family, "num_lengthscales": 4}}
    whole, stopped = (new_run(tmp_path / name, **options, budget=64) for name in ("whole", "stopped"))
    run_mission(whole)
    heard = []
    run_mission(
        stopped, MissionWatcher(hear=heard.append, wants_to_stop=lambda: len(heard) >= 12), checkpoint_every=0.0
    )
    run_mission(stopped)
    assert contents(stopped) == contents(whole)


def test_a_checkpoint_that_cannot_be_read_is_rebuilt_from_the_journal(tmp_path):
    whole = new_run(tmp_path / "whole", strategy="active", kernel="rbf")
    run_mission(whole, checkpoint_every=0.0)
    expected = contents(whole)
    for _, path in whole.list_checkpoints():
        path.write_bytes(b"rubbish")
    whole.journal.write_bytes(b"".join(expected["journal.jsonl"].splitlines(keepends=True)[:-4]))
    told = []
    run_mission(whole, _telling(told))
    assert any("rebuilt from the journal" in sentence for sentence in told)
    assert contents(whole) == expected


def test_resuming_a_finished_mission_changes_nothing(tmp_path):
    folder = new_run(tmp_path / "run", strategy="random", kernel="rbf", budget=55)
    assert run_mission(folder) == "budget"
    before = contents(folder)
    assert run_mission(folder) == "budget"
    assert contents(folder) == before


def test_readings_that_come_out_differently_are_noticed(tmp_path):
    """Another version of a library may round differently; the mission goes on, and says so."""
    folder = new_run(tmp_path / "run", strategy="random", kernel="rbf", budget=60)
    run_mission(folder)
    lines = folder.journal.read_text().splitlines(keepends=True)
    from akrig.journal.events import from_line, to_line

    event = from_line(lines[51 + 1].encode())
    assert event["event"] == "epoch"
    lines[52] = to_line({**event, "loss": event["loss"] + 1e-12})
    folder.journal.write_text("".join(lines))
    shutil.rmtree(folder.checkpoints)
    told = []
    run_mission(folder, _telling(told))
    assert any("not bit for bit" in sentence for sentence in told)


@pytest.mark.parametrize("wait_for", ["start", "middle"])
def test_the_command_line_killed_and_resumed_ends_the_same(wait_for, tmp_path):
    """The whole process, loading included."""
    whole = new_run(tmp_path / "whole", strategy="myopic")
    run_mission(whole)
    folder = new_run(tmp_path / "killed", strategy="myopic")
    command = [sys.executable, "-m", "akrig", "resume", str(folder.path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while wait_for == "middle" and len(read_journal(folder.journal).events) < 65:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    result = akrig("resume", str(folder.path), "--no-report", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert contents(folder) == contents(whole)


def _telling(sentences: list[str]) -> MissionWatcher:
    return MissionWatcher(tell=sentences.append)
