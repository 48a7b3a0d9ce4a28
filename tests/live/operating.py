"""An operator at the page of a survey, a boat that answers, and hostile clients beside them."""

import http.client
import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from akrig.journal.events import to_line
from akrig.journal.folder import RunFolder
from akrig.survey.folders import create_survey
from akrig.survey.mailbox import FolderMailbox
from akrig.survey.settings import load_survey

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0  # seconds; how fast it really is, `python -m benchmarks.live --only attacks` tells
RELOADS = 5  # of a person whose page did not come
TRIES, PAUSE = 4, 0.3  # of the page, whose line broke, and seconds between them


@contextmanager
def running_survey(path: Path) -> Iterator[RunFolder]:
    """A survey's folder, in use, with a boat that accepts every order."""
    folder = create_survey(load_survey(ROOT / "examples" / "lake.toml", {}, simulate=True), path)
    folder.journal.write_text(to_line({"event": "mission", "format": 1, "akrig": "0"}))
    over = threading.Event()

    def answer() -> None:
        mailbox = FolderMailbox(folder, note=lambda order, answer: None)
        while not over.wait(0.02):
            for order in mailbox.waiting():
                mailbox.answer(order, accepted=True, text="done")

    with folder.locked():
        boat = threading.Thread(target=answer)
        boat.start()
        try:
            yield folder
        finally:
            over.set()
            boat.join()


@contextmanager
def attacked(port: int, *names: str) -> Iterator[subprocess.Popen]:
    """Hostile clients, all of them at it already."""
    command = [sys.executable, "-m", "benchmarks.live.attackers", str(port), *names]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "under way\n"
            yield process
            assert process.poll() is None
        finally:
            process.kill()


def free_port() -> int:
    """Not one that the system gives to clients: those who try to reach it while nobody listens could get it."""
    begin = 20_000 + 10 * (os.getpid() % 1000)
    for port in range(begin, begin + 10):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise OSError(f"None of the ports from {begin} to {begin + 9} is free.")


class Operator:
    """Asks the page at loopback, each time on a new connection.

    Args:
        address: of this computer that it comes from, all of 127.0.0.0/8 are.
    """

    def __init__(self, port: int, *, address: str = "127.0.0.1") -> None:
        self.port, self.address, self.cookie = port, address, ""

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, path: str, method: str = "GET", *, content: Any = None, **headers: str) -> tuple[int, dict, bytes]:
        body = b"" if content is None else json.dumps(content).encode()
        given = {"Host": f"127.0.0.1:{self.port}", "Origin": self.origin, "Content-Type": "application/json", **headers}
        if self.cookie:
            given["Cookie"] = self.cookie
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items())]
        head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "Connection: close", "", ""])
        with self.connect() as connection:
            connection.sendall(head.encode() + body)  # at once, as browsers do
            with http.client.HTTPResponse(connection, method=method) as answer:
                answer.begin()
                headers = {name.lower(): value for name, value in answer.getheaders()}
                return answer.status, headers, answer.read()

    def open(self, path: str) -> dict:
        """The headers of a part of the page. Without the key, it is one of the crowd at its address, where its line may
        be dropped before it has said a word: a person would load the page again.
        """
        status = None
        for _ in range(RELOADS):
            with suppress(ConnectionError):
                status, headers, _ = self.ask(path)
                if status == 200:
                    return headers
        raise AssertionError(f"{path} could not be opened; the last answer was {status}.")

    def send(self, path: str, content: dict) -> tuple[int, dict, bytes]:
        """As the page sends it, once more if the line broke."""
        for _ in range(TRIES - 1):
            with suppress(ConnectionError):
                return self.ask(path, "POST", content=content)
            time.sleep(PAUSE)
        return self.ask(path, "POST", content=content)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE, source_address=(self.address, 0))

    def unlock(self, key: str) -> int:
        status, headers, _ = self.send("/unlock", {"key": key})
        self.cookie = headers.get("set-cookie", "").split(";")[0]
        return status

    def order(self, word: str = "hold") -> int:
        return self.send("/order", {"word": word})[0]

    def is_obeyed(self, folder: RunFolder) -> bool:
        """Gives an order, and waits until the boat has answered; `False` if it is refused."""
        status, _, body = self.send("/order", {"word": "hold", "nonce": secrets.token_hex(8)})
        while status == 200 and not (folder.orders / f"{json.loads(body)['id']}.answer.json").exists():
            time.sleep(0.02)
        return status == 200

    def listen(self) -> ClientConnection:
        """The news, as the page gets them."""
        return connect(
            f"ws://127.0.0.1:{self.port}/feed",
            sock=self.connect(),
            origin=Origin(self.origin),
            additional_headers={"Cookie": self.cookie} if self.cookie else {},
            max_size=None,
            open_timeout=PATIENCE,
        )
