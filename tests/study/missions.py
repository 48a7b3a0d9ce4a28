"""A dozen missions as small as they get, for tests with processes of their own."""

import json
import time
from collections.abc import Callable
from pathlib import Path

from akrig.study.store import StudyFolder
from tests.forked import Forked

AKRIG = "akrig.cli:main"
SMALL = """
title = "Small"
kind = "mission"
seeds = "0-2"

[base]
field = "ridges"
budget = 40
pilot = { readings = 20, by = "teleport" }
scoring = { every = 10, grid = [10, 10], map_grid = [8, 8], snapshots = 0 }

[[grid]]
strategy = ["random", "active"]
kernel = ["rbf", "attentive"]
"""


def write_small_study(folder: Path) -> Path:
    file = folder / "small.toml"
    file.write_text(SMALL)
    return file


def start(program: str, *arguments: str, cwd: Path, **environment: str) -> Forked:
    """In a session of its own; what it says goes to NAME.said."""
    said = cwd / f"{program.split(':')[0].split('.')[-1]}-{time.monotonic_ns()}.said"
    return Forked(*arguments, program=program, out=said, cwd=cwd, session=True, **{"COLUMNS": "200", **environment})


def said(cwd: Path) -> str:
    """By all processes, for messages of failing tests."""
    return "\n".join(f"== {file.name}\n{file.read_text()[-3000:]}" for file in sorted(cwd.glob("*.said")))


def wait_until(condition: Callable[[], bool], cwd: Path, *, seconds: float = 400.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, said(cwd)
        time.sleep(0.02)


def notes(folder: StudyFolder) -> dict[str, list[dict]]:
    """Who began and stored each run."""
    return {
        log.stem: [json.loads(line) for line in log.read_text().splitlines()] for log in folder.claims.glob("*.log")
    }


def at_work(folder: StudyFolder) -> set[int]:
    """Processes that are computing a run now."""
    last = [lines[-1] for lines in notes(folder).values() if lines]
    return {line["pid"] for line in last if line["event"] == "begun"}
