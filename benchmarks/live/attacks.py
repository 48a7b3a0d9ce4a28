"""All hostile clients of `attackers` at once: is the operator heard, and does the mission still plan as fast?

Orders are given to a survey with a simulated boat; the operator has the key and the same address as the attackers, and
each order goes over a new connection. Epochs are those of a longer mission, in whose blocks the attackers turn from its
page to a decoy and back: a second page of the same mission, held to the attackers' core. Real attackers sit at other
computers, here they need a processor of this one; against the decoy they need it just as much, so that the difference
is what the page under attack costs.
"""

import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from akrig.config import load_settings
from akrig.journal.folder import RunFolder
from akrig.runs import MissionWatcher, create_run, run_mission
from benchmarks.live.blocks import Blocks

ROOT = Path(__file__).parents[2]
LAKE = ROOT / "examples" / "lake.toml"
LONGEST = 2.0  # seconds for an answer, as promised
MOST_CHANGE = 0.05  # of the seconds per epoch, as promised
ATTACKERS_CORE = max(os.sched_getaffinity(0)) if len(os.sched_getaffinity(0)) > 1 else None


@dataclass
class Operator:
    """Gives an order that changes nothing, "resume", and waits for the page's answer, then for the boat's."""

    port: int
    key: str
    answered: list[float] = field(default_factory=list)
    carried_out: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    cookie: str = ""

    def unlock(self) -> None:
        head, _ = self._post("/unlock", {"key": self.key})
        self.cookie = head.partition("set-cookie: ")[2].partition(";")[0]

    def order(self, folder: RunFolder) -> None:
        begin = time.perf_counter()
        head, body = self._post("/order", {"word": "resume"})
        self.answered.append(time.perf_counter() - begin)
        status = head.split()[1]
        if status != "200":
            self.refused.append(status)
            return
        answer = folder.orders / f"{json.loads(body)['id']}.answer.json"
        while not answer.exists() and time.perf_counter() - begin < 60:
            time.sleep(0.01)
        self.carried_out.append(time.perf_counter() - begin)

    def _post(self, path: str, content: dict) -> tuple[str, str]:
        body, host = json.dumps(content), f"127.0.0.1:{self.port}"
        lines = [f"POST {path} HTTP/1.1", f"Host: {host}", f"Origin: http://{host}", f"Cookie: {self.cookie}"]
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}", "Connection: close", "", body]
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            connection.sendall("\r\n".join(lines).encode())
            said = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
        head, _, rest = said.partition("\r\n\r\n")
        return head.replace("Set-Cookie", "set-cookie"), rest


def held_to(core: int | None) -> Callable[[], None] | None:
    """What a new process does first."""
    return None if core is None else lambda: os.sched_setaffinity(0, {core})


class Attackers:
    """All of them, against one page, while they are let in."""

    def __init__(self, port: int) -> None:
        self._command = [sys.executable, "-m", "benchmarks.live.attackers", str(port), "all"]
        self._process: subprocess.Popen | None = None
        self.seconds = 0.0  # of a processor

    def come(self) -> None:
        """Returns when they are at it."""
        self._process = subprocess.Popen(
            self._command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=held_to(ATTACKERS_CORE),
        )
        assert self._process.stdout is not None
        self._process.stdout.readline()

    def go(self) -> None:
        if self._process is not None:
            self.seconds += cpu_seconds(self._process.pid)
            self._process.kill()
            self._process.communicate()
            self._process = None


def cpu_seconds(pid: int) -> float:
    """That a process has used so far, the kernel's work for it included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


View = Callable[..., tuple[subprocess.Popen, int, str]]


def measure_orders(path: Path, *, orders: int, view: View) -> None:
    """Args:
    view: opens the page of a folder, held to a core: its process, port and key.
    """
    command = [sys.executable, "-m", "akrig", "survey", str(LAKE), "--simulate", "--no-report", "--out", str(path)]
    said = path.with_suffix(".log")
    with said.open("w") as log:
        started = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log)]
    folder = RunFolder(path)
    try:
        while not folder.timings.exists():
            if started[0].poll() is not None:
                raise SystemExit(f"The survey ended too early: {' '.join(said.read_text().split()[-40:])}")
            time.sleep(0.1)
        page, port, key = view(path, core=None)
        started.append(page)
        operator, attackers = Operator(port, key), Attackers(port)
        operator.unlock()
        attackers.come()
        try:
            for _ in range(orders):
                operator.order(folder)
                time.sleep(0.3)
        finally:
            attackers.go()
    finally:
        _ended(started)
    print(f"A survey under all attacks at once; load {os.getloadavg()[0]:.1f}")
    print(f"  orders given, refused               {len(operator.answered):8d} {len(operator.refused):8d}")
    _tell_seconds("answered by the page", operator.answered)
    _tell_seconds("carried out by the boat", operator.carried_out)
    heard = not operator.refused and max(operator.answered) < LONGEST
    print(f"  every order answered within {LONGEST:.0f} s: {'yes' if heard else 'NO'}")


def measure_epochs(path: Path, *, readings: int, block: int, view: View) -> None:
    """Args:
    block: epochs until the attackers turn from one page to the other.
    """
    settings = {"field": "ridges", "strategy": "active", "budget": readings, "scoring": {"every": 10}, "seed": 1}
    folder = create_run(load_settings(None, settings), path)
    pages = [view(path, core=ATTACKERS_CORE), view(path, core=None)]
    crowds = [Attackers(port) for _, port, _ in pages]
    used: list[list[float]] = [[], []]
    blocks = Blocks(block)

    def turn(number: int) -> None:
        """From the decoy to the page, or back."""
        crowds[1 - number % 2].go()
        crowds[number % 2].come()
        for moments, (page, _, _) in zip(used, pages, strict=True):
            moments.append(cpu_seconds(page.pid))

    turn(0)
    blocks.begin(turn)
    try:
        run_mission(folder, MissionWatcher(hear=blocks.hear))
    finally:
        for crowd in crowds:
            crowd.go()
        _ended([page for page, _, _ in pages])
    print(f"{len(blocks.seconds)} epochs, {block} with a decoy attacked, {block} with the page, and so on; load "
          f"{os.getloadavg()[0]:.1f}")  # fmt: skip
    for what, k in (("decoy", 0), ("page", 1)):
        attacked = sum(after - before for before, after in zip(used[k][k::2], used[k][k + 1 :: 2], strict=False))
        seconds = sum(sum(each) for each in blocks.parts[k : len(used[k]) - 1 : 2])
        print(f"  the attacked {what + ' used':<22} {100 * attacked / seconds:8.0f} % of a core")
    low, high = blocks.tell("decoy attacked", "page attacked")
    decided = "yes" if high < MOST_CHANGE else "NO" if low > MOST_CHANGE else "cannot be told from so few pairs"
    print(f"  epochs as fast as before, within {100 * MOST_CHANGE:.0f} %: {decided}")


def _ended(processes: list[subprocess.Popen]) -> None:
    for process in processes:
        process.send_signal(signal.SIGTERM)
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(30)


def _tell_seconds(what: str, seconds: list[float]) -> None:
    if seconds:
        print(f"  {what:<35} {statistics.median(seconds):8.3f} s in the middle, {max(seconds):.3f} s at most")
