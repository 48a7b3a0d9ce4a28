"""`akrig view` as a person meets it."""

import socket
import subprocess
import sys
import time
import urllib.request
import webbrowser
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from akrig.cli.view import _open, _tell, page_beside
from akrig.journal.events import to_line
from akrig.live.server import Address
from tests.forked import akrig

AKRIG = [sys.executable, "-m", "akrig"]


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
        result = akrig("view", str(path), "--no-browser", cwd=tmp_path)
        assert result.returncode == 1
        assert words in result.stderr
        assert result.stderr.count("\n") == 1
        assert "Traceback" not in result.stderr


def test_a_taken_port_is_told(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = akrig("view", str(run), "--no-browser", "--port", str(taken.getsockname()[1]), cwd=run)
    assert result.returncode == 1
    assert "try another --port" in result.stderr


def test_an_address_of_another_machine_is_told(run):
    result = akrig("view", str(run), "--no-browser", "--host", "192.0.2.7", cwd=run)
    assert result.returncode == 1
    assert "192.0.2.7" in result.stderr


def test_beside_a_mission_it_comes_and_goes_with_it(run):
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with page_beside(run, port=port, browser=False):
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


KEY = "aaaa-bbbb-cccc-dddd"


def address(*, asks_own_user: bool, is_local: bool = True) -> Address:
    return Address("http://127.0.0.1:8330/", KEY, asks_own_user=asks_own_user, is_local=is_local)


def test_where_ones_own_user_is_known_the_plain_address_is_opened(monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    with ExitStack() as leaving:
        _open(address(asks_own_user=False), leaving)
    assert opened == ["http://127.0.0.1:8330/"]


def test_elsewhere_the_browser_gets_the_key_where_other_users_cannot_see_it(monkeypatch):
    """Whoever is on a computer sees the commands of all: the key is in a file that only its user may read."""
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    with ExitStack() as leaving:
        _open(address(asks_own_user=True), leaving)
        page = Path(urlsplit(opened[0]).path)
        assert KEY not in opened[0]
        assert f"http://127.0.0.1:8330/#{KEY}" in page.read_text()
        assert page.parent.stat().st_mode & 0o077 == 0
    assert not page.exists()


def test_the_terminal_says_who_needs_the_key(capsys):
    _tell(address(asks_own_user=False))
    said = capsys.readouterr().err
    assert "Other users of this computer" in said
    assert KEY in said
    _tell(address(asks_own_user=True))
    said = capsys.readouterr().err
    assert f"To steer, enter this key there: {KEY}" in said
    assert f"http://127.0.0.1:8330/#{KEY}" in said
    _tell(address(asks_own_user=True, is_local=False))
    said = capsys.readouterr().err
    assert f"To steer, enter this key there: {KEY}" in said
    assert "#" not in said  # a network's address is shared and typed, so it stays without the key


@pytest.mark.parametrize("closing", ["<&-", "</dev/null"])
def test_told_by_nobody_it_ends_at_once(run, closing):
    command = f'exec "$@" {closing}'
    words = [*AKRIG, "view", str(run), "--no-browser", "--port", "0", "--until-told"]
    result = subprocess.run(["sh", "-c", command, "sh", *words], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0
    assert "Traceback" not in result.stderr
    assert "The page is at" in result.stderr
