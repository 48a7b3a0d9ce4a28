"""A small finished run, and pages of runs served by processes of their own, as a person starts them."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import pytest

from akrig.config import load_settings
from akrig.runs import create_run, run_mission

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
    """A page: its address, the key, and all that its process says on the terminal, so far."""

    url: str
    key: str
    process: subprocess.Popen
    said: list[str]

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1].strip("/"))


@pytest.fixture(scope="session")
def run(tmp_path_factory) -> Path:
    """A finished mission."""
    path = tmp_path_factory.mktemp("live") / "run"
    run_mission(create_run(load_settings(None, SMALL), path))
    return path


@pytest.fixture(scope="module")
def serve() -> Iterator[Callable[..., Served]]:
    """Serves a folder until a module's tests are over; nothing goes wrong on its terminal meanwhile."""
    pages: list[Served] = []

    def begin(path: Path, *options: str) -> Served:
        command = [*SERVE, str(path), "--no-browser", "--port", "0", *options]
        # In a session of its own and not of low priority: the page must answer though all cores are busy.
        environment = {**os.environ, "AKRIG_PAGE_NICE": "0"}
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True, env=environment)
        pages.append(_told(process))
        return pages[-1]

    yield begin
    for page in pages:
        page.process.terminate()
    for page in pages:
        page.process.wait(60)
    assert [line for page in pages for line in page.said] == []


def _told(process: subprocess.Popen) -> Served:
    """Address and key; what comes after that is kept."""
    assert process.stderr is not None
    url = key = None
    while url is None or key is None:
        line = process.stderr.readline()
        assert line, "the page was not served"
        if "The page is at " in line:
            url = line.split()[-1]
        elif "this key" in line:
            key = line.split()[-1]
    page = Served(url, key, process, [])
    threading.Thread(target=_keep, args=(process.stderr, page.said), daemon=True).start()
    return page


def _keep(lines: TextIO, said: list[str]) -> None:
    with lines:
        said.extend(line for line in lines if not line.startswith(("To let others watch", "or open ")))


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
