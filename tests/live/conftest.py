"""A small finished run, and pages of runs served by processes of their own, as a person starts them."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from akrig.config import load_settings
from akrig.runs import carry_out, create_run

SERVE = [sys.executable, "-c", "from akrig.cli.view import view; view()"]
SMALL = {
    "field": "halves",
    "kernel": {"name": "attentive", "num_lengthscales": 4, "hidden": 4},
    "strategy": {"name": "active", "num_candidates": 50},
    "budget": 70,
    "pilot": {"readings": 20},
    "scoring": {"grid": [14, 12], "map_grid": [26, 22], "every": 5, "snapshots": 12},
}


@dataclass(frozen=True)
class Served:
    """A page: its address, and the key if steering needs one."""

    url: str
    key: str | None
    process: subprocess.Popen

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1].strip("/"))


@pytest.fixture(scope="session")
def run(tmp_path_factory) -> Path:
    """A finished mission."""
    path = tmp_path_factory.mktemp("live") / "run"
    carry_out(create_run(load_settings(None, SMALL), path))
    return path


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[..., Served]]:
    """Serves a folder until the tests are over."""
    processes: list[subprocess.Popen] = []

    def begin(path: Path, *options: str) -> Served:
        command = [*SERVE, str(path), "--no-browser", "--port", "0", *options]
        # in a session of its own: the page gives way to everything else in its session, here all the other tests
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
        processes.append(process)
        return _told(process, wants_key="--host" in options)

    yield begin
    for process in processes:
        process.terminate()
    for process in processes:
        process.wait(20)
        assert process.stderr is not None
        process.stderr.close()


def _told(process: subprocess.Popen, *, wants_key: bool) -> Served:
    assert process.stderr is not None
    url = key = None
    until = time.monotonic() + 60
    while time.monotonic() < until and (url is None or (wants_key and key is None)):
        line = process.stderr.readline()
        assert line, "the page was not served"
        if "The page is at " in line:
            url = line.split()[-1]
        elif "enter this key" in line:
            key = line.split()[-1]
    assert url is not None
    return Served(url, key, process)


@pytest.fixture(scope="session")
def chromium():
    """Skips without a browser; continuous integration has one."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    from tests.live.browsing import CHROMIUM

    if CHROMIUM is None:
        pytest.skip("there is no chromium on this machine")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture
def browser(chromium):
    """Opens pages in fresh profiles; at the end, nothing went wrong in them and no request left the machine."""
    contexts, troubles, requests = [], [], []

    def begin(url: str, *, scheme: str = "light", width: int = 1440, height: int = 900):
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        contexts.append(context)
        context.on("request", lambda request: requests.append(request.url))
        page = context.new_page()
        page.on("console", lambda line: troubles.append(line.text) if line.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("websocket", lambda socket: requests.append(socket.url))
        page.goto(url)
        return page

    yield begin
    for context in contexts:
        context.close()
    assert troubles == []
    elsewhere = [url for url in requests if not url.split("//")[1].startswith(("127.0.0.1:", "localhost:"))]
    assert elsewhere == []
