"""Workers that carry out cases side by side; one that dies is replaced, and its last case is a fault."""

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.forked import Forked

WORKER, MATERIAL = "tests.fuzz.worker:main", "tests.fuzz.material:main"
PATIENCE = 600.0  # seconds without a line


@contextmanager
def material() -> Iterator[Path]:
    """Good files of every kind, in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix="akrig-material-") as folder:
        place, said = Path(folder) / "material", Path(folder) / "said"
        place.mkdir()
        assert Forked(str(place), program=MATERIAL, out=said).wait() == 0, said.read_text()
        yield place


def faults_of(
    seeds: range, *, good: Path, workers: int, tell: Callable[[int, list[str]], None] = lambda done, faults: None
) -> list[str]:
    """What akrig did in these cases that it should not do, in words.

    Args:
        tell: how many are done and what was found, now and then.
    """
    with tempfile.TemporaryDirectory(prefix="akrig-fuzz-") as folder:
        crew = [_Worker(seeds[k::workers], good, Path(folder) / f"{k}") for k in range(workers)]
        told = 0.0
        while any([worker.goes_on() for worker in crew]):  # noqa: C419 - all of them
            time.sleep(0.2)
            if time.monotonic() - told > 10:
                told = time.monotonic()
                tell(sum(worker.done for worker in crew), [fault for worker in crew for fault in worker.faults])
        return [fault for worker in crew for fault in worker.faults]


class _Worker:
    """A process for these seeds, and another from where it died."""

    def __init__(self, seeds: range, good: Path, said: Path) -> None:
        self._seeds, self._good, self._said = seeds, good, said
        self.faults: list[str] = []
        self.done = 0
        self._begin()

    def _begin(self) -> None:
        left = self._seeds[self.done :]
        self._read, self._heard = 0, time.monotonic()
        self._at: int | None = None
        self._said.unlink(missing_ok=True)
        words = [str(self._good), str(left.start), str(left.stop), str(left.step)]
        self._process = (
            Forked(*words, program=WORKER, out=self._said, err=self._said.with_suffix(".err")) if left else None
        )

    def goes_on(self) -> bool:
        if self._process is None:
            return False
        ended = self._process.poll() is not None
        self._take_in()
        if not ended and time.monotonic() - self._heard > PATIENCE:
            self._process.kill()
            ended = self._process.wait() is not None
        if not ended:
            return True
        if self.done < len(self._seeds):
            tail = self._said.with_suffix(".err").read_text(errors="replace")[-600:]
            self.faults.append(f"seed {self._at}: the process ended ({self._process.returncode}): {tail}")
            self.done += 1
            self._begin()
            return True
        self._process = None
        return False

    def _take_in(self) -> None:
        if not self._said.exists():
            return
        with self._said.open("rb") as file:
            file.seek(self._read)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            told = json.loads(line)
            self._heard = time.monotonic()
            self._at = told.get("begin", self._at)
            if "end" in told:
                self.done += 1
                self.faults += told["faults"]
