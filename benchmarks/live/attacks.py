"""A survey under attack: is the operator heard, and does the boat's computer still plan as fast?

All hostile clients of `attackers` at once, in turns against the survey's page and against a decoy: a second
page of the same survey, held to the attackers' core. Real attackers sit at other computers, here they need a processor
of this one; against the decoy they need it just as much, so that the difference is what the page under attack costs.
The operator has the key and the same address as they; each order goes over a new connection.
"""

import json
import math
import os
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from akrig.journal.folder import RunFolder
from akrig.journal.tables import read_rows

ROOT = Path(__file__).parents[2]
LAKE = ROOT / "examples" / "lake.toml"
ORDERS = 10
LONGEST = 2.0  # seconds for an answer, as promised
MOST_CHANGE = 0.05  # of the seconds per epoch, as promised
SURE = 0.95  # that the median of all pairs lies in the interval
EPOCHS_TO_SETTLE = 1  # the one under way when the attackers change is of both
ATTACKERS_CORE = max(os.sched_getaffinity(0)) if len(os.sched_getaffinity(0)) > 1 else None


class EndedEarly(RuntimeError):
    """There are not as many epochs as were asked for."""


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


@dataclass
class Arm:
    """Blocks of epochs in which one of the two pages was attacked."""

    page: subprocess.Popen
    attackers: Attackers
    blocks: list[tuple[int, int]] = field(default_factory=list)
    seconds: float = 0.0
    page_seconds: float = 0.0  # of a processor


View = Callable[..., tuple[subprocess.Popen, int, str]]


def measure_attacks(path: Path, *, minutes: float, block: int, view: View) -> None:
    """Args:
    minutes: after which no more blocks are begun.
    block: epochs until the attackers go from one page to the other.
    view: opens the page of a folder, held to a core: its process, port and key.
    """
    command = [sys.executable, "-m", "akrig", "survey", str(LAKE), "--simulate", "--no-report", "--out", str(path)]
    changes = ["--set", "budget.distance=99000"]  # metres: more than enough
    said = path.with_suffix(".log")
    with said.open("w") as log:
        survey = subprocess.Popen([*command, *changes], stdout=subprocess.DEVNULL, stderr=log)
    folder, started = RunFolder(path), [survey]
    try:
        _wait_for_epochs(folder, 1, survey)
        page, port, key = view(path, core=None)
        started.append(page)
        decoy, decoy_port, _ = view(path, core=ATTACKERS_CORE)
        started.append(decoy)
        operator = Operator(port, key)
        operator.unlock()
        arms = Arm(decoy, Attackers(decoy_port)), Arm(page, Attackers(port))
        _alternate(folder, survey, arms, minutes=minutes, block=block, operator=operator)
        _tell(folder, *arms, operator=operator)
    except EndedEarly as error:
        raise SystemExit(f"The survey ended too early: {' '.join(said.read_text().split()[-40:])}") from error
    finally:
        for process in started:
            process.send_signal(signal.SIGTERM)
        for process in started:
            with suppress(subprocess.TimeoutExpired):
                process.wait(30)


def _alternate(
    folder: RunFolder,
    survey: subprocess.Popen,
    arms: tuple[Arm, Arm],
    *,
    minutes: float,
    block: int,
    operator: Operator,
) -> None:
    """Decoy, page, decoy, page, ..., decoy."""
    until, number = time.monotonic() + 60 * minutes, 0
    while time.monotonic() < until or number < 3 or number % 2 == 0:
        arm = arms[number % 2]
        arm.attackers.come()
        try:
            _attack(folder, survey, arm, block=block, operator=operator if arm is arms[1] else None)
        finally:
            arm.attackers.go()
        begin, end = arm.blocks[-1]
        print(f"epochs {begin} to {end}, {('decoy', 'page')[number % 2]} attacked", file=sys.stderr)
        number += 1


def _attack(folder: RunFolder, survey: subprocess.Popen, arm: Arm, *, block: int, operator: Operator | None) -> None:
    orders = None if operator is None else threading.Thread(target=_give_orders, args=(operator, folder))
    if orders is not None:
        orders.start()
    moment, used = time.monotonic(), cpu_seconds(arm.page.pid)
    begin = len(_timings(folder)) + EPOCHS_TO_SETTLE
    end = _wait_for_epochs(folder, begin + block, survey)
    if orders is not None:
        orders.join()
    arm.seconds += time.monotonic() - moment
    arm.page_seconds += cpu_seconds(arm.page.pid) - used
    arm.blocks.append((begin, end))


def _give_orders(operator: Operator, folder: RunFolder) -> None:
    for _ in range(ORDERS):
        operator.order(folder)
        time.sleep(0.3)


def _timings(folder: RunFolder) -> list[float]:
    """Seconds of computing for each epoch so far."""
    header, rows = read_rows(folder.timings)
    columns = [header.index(name) for name in ("plan", "fit", "look")] if header else []
    return [sum(float(row[k]) for k in columns) for row in rows]


def _wait_for_epochs(folder: RunFolder, count: int, survey: subprocess.Popen) -> int:
    while (found := len(_timings(folder))) < count:
        if survey.poll() is not None:
            raise EndedEarly
        time.sleep(0.1)
    return found


def _tell(folder: RunFolder, decoy: Arm, page: Arm, *, operator: Operator) -> None:
    """Each attacked block against the mean of its neighbours, because epochs grow longer with the readings."""
    seconds = _timings(folder)
    peace, attacked = ([statistics.median(seconds[a:b]) for a, b in arm.blocks] for arm in (decoy, page))
    changes = [now / ((peace[k] + peace[k + 1]) / 2) - 1 for k, now in enumerate(attacked)]
    low, high = median_interval(changes)
    print(f"A survey of {len(seconds)} epochs under all attacks at once; load {os.getloadavg()[0]:.1f}")
    print(f"  {'':<35} {'decoy':>8} {'page':>8}")
    _tell_row("blocks", len(decoy.blocks), len(page.blocks), form="d")
    _tell_row("seconds per epoch, median", statistics.median(peace), statistics.median(attacked))
    shares = [100 * arm.attackers.seconds / arm.seconds for arm in (decoy, page)]
    _tell_row("% of a core, attackers", *shares, form=".0f")
    _tell_row(
        "% of a core, attacked page", *(100 * arm.page_seconds / arm.seconds for arm in (decoy, page)), form=".0f"
    )
    print(f"  change, median of {len(changes):2d} pairs           {100 * statistics.median(changes):+8.1f} % "
          f"({100 * low:+.1f} to {100 * high:+.1f} % with {100 * SURE:.0f} % confidence)")  # fmt: skip
    print(f"  orders given, refused               {len(operator.answered):8d} {len(operator.refused):8d}")
    _tell_seconds("answered by the page", operator.answered)
    _tell_seconds("carried out by the boat", operator.carried_out)
    heard = not operator.refused and max(operator.answered) < LONGEST
    print(f"  every order answered within {LONGEST:.0f} s: {_yes(heard)}; epochs as fast as before, within "
          f"{100 * MOST_CHANGE:.0f} %: {_decided(low, high)}")  # fmt: skip


def median_interval(values: list[float]) -> tuple[float, float]:
    """Between two of the values in order, by the binomial distribution: it does not matter how they are spread."""
    ordered, n = sorted(values), len(values)
    beyond, k = 0.0, 0
    while k < n // 2 and beyond + math.comb(n, k) / 2**n <= (1 - SURE) / 2:
        beyond += math.comb(n, k) / 2**n
        k += 1
    return (-math.inf, math.inf) if k == 0 else (ordered[k - 1], ordered[n - k])


def _decided(low: float, high: float) -> str:
    if high < MOST_CHANGE:
        return "yes"
    return "NO" if low > MOST_CHANGE else "cannot be told from so few pairs"


def _tell_row(what: str, *values: float, form: str = ".3f") -> None:
    print(f"  {what:<35} " + " ".join(f"{format(value, form):>8}" for value in values))


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "NO"


def _tell_seconds(what: str, seconds: list[float]) -> None:
    if seconds:
        print(f"  {what:<35} {statistics.median(seconds):8.3f} s in the middle, {max(seconds):.3f} s at most")
