"""`akrig view` as a person meets it."""

import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from akrig.cli.view import viewed
from akrig.journal.events import to_line

AKRIG = [sys.executable, "-m", "akrig"]


def akrig(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([*AKRIG, *arguments], capture_output=True, text=True, timeout=120)


@pytest.fixture
def run(tmp_path) -> Path:
    """A run that has only just begun."""
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "config.toml").write_text(
        'seed = 0\nfield = {name = "halves"}\nkernel = {name = "rbf"}\nstrategy = {name = "random"}\n'
        "budget = {readings = 9}\nworkspace = {lower = [0, 0], upper = [9, 9]}\nscoring = {map_grid = [5, 5]}\n"
    )
    (folder / "journal.jsonl").write_text(to_line({"event": "mission", "format": 1, "akrig": "0"}))
    return folder


def test_folders_that_are_no_runs_are_one_sentence_each(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    for path, words in ((tmp_path / "empty", "no config.toml"), (tmp_path / "file", "not a folder"),
                        (tmp_path / "none", "not a folder")):  # fmt: skip
        result = akrig("view", str(path), "--no-browser")
        assert result.returncode == 1
        assert words in result.stderr
        assert result.stderr.count("\n") == 1
        assert "Traceback" not in result.stderr


def test_a_taken_port_is_told(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = akrig("view", str(run), "--no-browser", "--port", str(taken.getsockname()[1]))
    assert result.returncode == 1
    assert "try another --port" in result.stderr


def test_an_address_of_another_machine_is_told(run):
    result = akrig("view", str(run), "--no-browser", "--host", "192.0.2.7")
    assert result.returncode == 1
    assert "192.0.2.7" in result.stderr


def test_beside_a_mission_it_comes_and_goes_with_it(run):
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with viewed(run, port=port, browser=False):
        until = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
                    assert b"akrig" in answer.read()
                break
            except OSError:
                assert time.monotonic() < until
                time.sleep(0.2)
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10)
