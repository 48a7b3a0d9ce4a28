"""Carries out missions in processes that can be killed, without importing torch for each."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from akrig.journal import RunFolder
from tests.forked import start_forking


class Killer:
    def __init__(self, *arguments: str) -> None:
        self.process = start_forking(Path(__file__).with_name("forking.py"), *arguments)
        assert self._line() == "ready"

    def __call__(self, folder: RunFolder, seconds: float) -> str:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{folder.path} {seconds}\n")
        self.process.stdin.flush()
        return self._line()

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


@contextmanager
def killer_of(*arguments: str) -> Iterator[Killer]:
    server = Killer(*arguments)
    try:
        yield server
    finally:
        server.process.stdin.close()
        server.process.wait(timeout=60)
        server.process.stdout.close()
