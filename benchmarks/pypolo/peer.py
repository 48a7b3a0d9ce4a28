"""The authors' package in a process of its own, if it is installed."""

import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]  # where its environment finds `benchmarks`
PYTHON = ROOT / ".venv-peers" / "bin" / "python"


class Pypolo:
    """Answers timing requests one at a time, so that it never runs beside the contender being timed."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [str(PYTHON), "-m", "benchmarks.pypolo.worker"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def task(self, what: str, n: int, *, repeat: int) -> Callable[[], float]:
        """For `alternate`; warmed up once."""
        self._ask(what, n, 1)
        return lambda: self._ask(what, n, repeat)

    def _ask(self, what: str, n: int, repeat: int) -> float:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{what} {n} {repeat}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(
                "The pypolo worker ended; to see why run .venv-peers/bin/python -m benchmarks.pypolo.worker."
            )
        return float(answer)


def pypolo_if_installed() -> Pypolo | None:
    if PYTHON.exists():
        return Pypolo()
    print("pypolo is not installed and left out; `make bench-peers` installs it.")
    return None
