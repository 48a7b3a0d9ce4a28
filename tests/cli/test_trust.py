"""Code that settings name: never run by looking, and by running only what fits, said, and made or trusted here."""

import os
import pty
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import tomli_w

from akrig.config import load_settings
from akrig.runs import create_run, run_mission
from tests.forked import akrig

SMALL = {
    "field": "halves",
    "kernel": "rbf",
    "strategy": {"name": "random", "num_candidates": 20},
    "budget": 24,
    "pilot": {"readings": 20},
    "scoring": {"grid": [8, 8], "map_grid": [9, 9], "snapshots": 2},
}
EVIL = """
from pathlib import Path
Path("ran").write_text("x")
from gpytorch.kernels import RBFKernel as Kernel
from akrig.strategies import Uniform as Strategy
"""
PARTS = ("field", "kernel", "model", "strategy", "pilot", "sensor", "vehicle", "metric")


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("own") / "run"
    run_mission(create_run(load_settings(None, SMALL), path))
    return path


@pytest.fixture
def strangers(finished, tmp_path) -> Callable[..., Path]:
    """A copy of a run whose settings name `evil`, which lies beside it."""

    def make(**names: str) -> Path:
        run = tmp_path / "run"
        shutil.copytree(finished, run)
        (tmp_path / "evil.py").write_text(EVIL)
        content = tomllib.loads((run / "config.toml").read_text())
        for part, name in names.items():
            if part == "metric":
                content["scoring"]["metrics"] = [{"name": name}]
            else:
                content[part]["name"] = name
        (run / "config.toml").write_text(tomli_w.dumps(content))
        return run

    return make


@pytest.mark.parametrize(
    "command",
    [
        ["report", "run"],
        ["report", "run", "run", "--out", "both.html"],
        ["plot", "run"],
        ["tell", "run", "hold", "--wait", "0.1"],
        ["fields"],
    ],
)
def test_looking_at_a_folder_runs_no_code_that_it_names(command, strangers, tmp_path):
    strangers(**dict.fromkeys(PARTS, "evil:Strategy"))
    result = akrig(*command, cwd=tmp_path, sketched=True)
    assert (result.returncode == 0) == (command[0] != "tell"), result.stderr  # no boat is there to be told
    assert "Traceback" not in result.stderr
    assert "evil" not in result.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("part", ["kernel", "model", "strategy"])
def test_a_replay_asks_who_reads_it_to_name_the_code(part, strangers, tmp_path):
    strangers(**{part: "evil:Strategy"})
    result = akrig("replay", "run", "--out", "again", "--no-report", cwd=tmp_path)
    assert result.returncode == 1
    assert f"--{part}" in result.stderr
    assert "evil:Strategy" in result.stderr
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "again").exists()


def test_a_replay_does_without_a_field_of_somebodys_own(strangers, tmp_path):
    strangers(**dict.fromkeys(("field", "pilot", "sensor", "vehicle", "metric"), "evil:Strategy"))
    result = akrig("replay", "run", "--kernel", "rbf", "--out", "again", "--no-report", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "evil:Strategy" in result.stderr  # the truth is not known, and why
    assert not (tmp_path / "ran").exists()


def test_a_replay_runs_what_its_user_names(strangers, tmp_path):
    strangers()
    result = akrig("replay", "run", "--kernel", "evil:Kernel", "--out", "again", "--no-report", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "ran").exists()


def test_going_on_with_a_strangers_folder_wants_trust(strangers, tmp_path):
    (strangers(kernel="evil:Kernel") / "map.nc").unlink()  # so that there is something to do
    refused = akrig("resume", "run", "--no-report", cwd=tmp_path)
    assert refused.returncode == 1
    assert "kernel evil:Kernel" in refused.stderr
    assert "--trust" in refused.stderr
    assert not (tmp_path / "ran").exists()
    trusted = akrig("resume", "run", "--no-report", "--trust", cwd=tmp_path)
    assert trusted.returncode == 0, trusted.stderr
    assert (tmp_path / "ran").exists()
    again = akrig("resume", "run", "--no-report", cwd=tmp_path)  # who was trusted once is known
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize("part", PARTS)
def test_trust_is_wanted_whatever_part_it_is(part, strangers, tmp_path):
    (strangers(**{part: "evil:Strategy"}) / "map.nc").unlink()
    result = akrig("resume", "run", "--no-report", cwd=tmp_path)
    assert result.returncode == 1
    assert "evil:Strategy" in result.stderr
    assert "--trust" in result.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("answer", ["n", "y"])
def test_at_a_terminal_a_person_is_asked(answer, strangers, tmp_path):
    (strangers(kernel="evil:Kernel") / "map.nc").unlink()
    person, terminal = pty.openpty()
    os.write(person, f"{answer}\n".encode())
    command = [sys.executable, "-m", "akrig", "resume", "run", "--no-report"]
    result = subprocess.run(command, stdin=terminal, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    for end in (person, terminal):
        os.close(end)
    assert "run was not made on this computer by you, and names code: kernel evil:Kernel." in result.stderr
    assert "Run it, with all your rights? [y/N]" in result.stderr
    assert (result.returncode == 0, (tmp_path / "ran").exists()) == (answer == "y", answer == "y")


def test_a_folder_with_akrigs_own_parts_needs_no_trust(strangers, tmp_path):
    strangers()
    result = akrig("resume", "run", "--no-report", cwd=tmp_path)
    assert result.returncode == 0, result.stderr


def test_going_on_with_a_run_of_ones_own_asks_nothing(tmp_path):
    (tmp_path / "mylab.py").write_text("from gpytorch.kernels import RBFKernel as Mine\n")
    (tmp_path / "mission.toml").write_text(tomli_w.dumps({**SMALL, "kernel": "mylab:Mine"}))
    made = akrig("run", "mission.toml", "--out", "run", "--no-report", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    said = [line for line in made.stderr.splitlines() if "mylab:Mine" in line]
    assert said == ["mission.toml names code that is not akrig's, which runs with all your rights: kernel mylab:Mine."]
    again = akrig("resume", "run", "--no-report", cwd=tmp_path)
    assert again.returncode == 0, again.stderr


def test_a_signature_is_of_this_user_this_code_and_this_place(tmp_path):
    (tmp_path / "mylab.py").write_text("from gpytorch.kernels import RBFKernel as Mine, RQKernel as Other\n")
    options = ["--field", "halves", "--strategy", "random", "--budget", "52", "--no-report"]
    assert akrig("run", *options, "--kernel", "mylab:Mine", "--out", "run", cwd=tmp_path).returncode == 0
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mylab.py").write_text(EVIL + "Mine = Kernel\n")
    config = tmp_path / "run" / "config.toml"
    cases = {
        "another user": ("resume", "run", tmp_path, {"XDG_STATE_HOME": str(tmp_path / "other")}),
        "another module of that name": ("resume", "../run", elsewhere, {}),
    }
    for case, (*command, cwd, environment) in cases.items():
        result = akrig(*command, "--no-report", cwd=cwd, **environment)
        assert result.returncode == 1, case
        assert "--trust" in result.stderr, case
    config.write_text(config.read_text().replace("mylab:Mine", "mylab:Other"))
    assert "--trust" in akrig("resume", "run", "--no-report", cwd=tmp_path).stderr
    assert not (elsewhere / "ran").exists()


@pytest.mark.parametrize(
    ("part", "name", "options"),
    [
        ("kernel", "os:system", {"command": "touch ran"}),
        ("kernel", "os:popen", {"cmd": "touch ran"}),
        ("kernel", "subprocess:getoutput", {"cmd": "touch ran"}),
        ("kernel", "subprocess:Popen", {"args": ["touch", "ran"]}),
        ("strategy", "subprocess:run", {"args": ["touch", "ran"]}),
        ("field", "pathlib:Path", {}),
        ("sensor", "runpy:run_path", {"path_name": "evil.py"}),
        ("pilot", "shutil:rmtree", {"path": "there"}),
        ("vehicle", "shutil:rmtree", {"path": "there"}),
    ],
)
def test_what_is_no_such_part_is_never_called(part, name, options, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "evil.py").write_text(EVIL)
    settings = {**SMALL, part: {"name": name, "options": options}}
    (tmp_path / "mission.toml").write_text(tomli_w.dumps(settings))
    result = akrig("run", "mission.toml", "--out", "run", cwd=tmp_path)
    assert result.returncode == 1
    told, refused = (line for line in result.stderr.splitlines() if name in line)
    assert told.startswith("mission.toml names code that is not akrig's")
    assert refused.startswith(f"{part}: {name!r} is no {part}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["evil.py", "mission.toml", "there"]


def test_a_survey_names_its_code_before_it_begins(tmp_path):
    square = [[9.3, 47.5], [9.302, 47.5], [9.302, 47.502], [9.3, 47.502]]
    mission = {
        "area": {"fence": square, "home": [9.301, 47.501]},
        "budget": {"distance": 5000.0},
        "strategy": {"name": "os:system", "options": {"command": "touch ran"}},
    }
    (tmp_path / "lake.toml").write_text(tomli_w.dumps(mission))
    result = akrig("survey", "lake.toml", "--simulate", "--out", "lake", cwd=tmp_path)
    assert result.returncode == 1
    assert "lake.toml names code that is not akrig's" in result.stderr
    assert "strategy: 'os:system' is no strategy" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lake.toml"]


def test_a_study_names_its_code_before_it_begins(tmp_path):
    study = {
        "base": {**SMALL, "kernel": {"name": "os:system", "options": {"command": "touch ran"}}},
        "report": "os:system",
    }
    (tmp_path / "mine.toml").write_text(tomli_w.dumps(study))
    result = akrig("study", "mine.toml", "--workers", "1", cwd=tmp_path)
    assert result.returncode == 1
    assert "mine.toml names code that is not akrig's" in result.stderr
    assert "kernel os:system, report os:system" in result.stderr
    assert "'os:system' is no kernel" in result.stderr
    assert "'os:system' is no report" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.toml"]
