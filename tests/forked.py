"""Programs in processes of their own, forked from one that has imported everything: a tenth of a second, not ten.

As a script it is that process: it reads requests as lines of JSON and answers each with one line.
"""

import atexit
import importlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import traceback
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
SECONDS = 300
# What commands, and what they import, import while they run.
PRELOADED = (
    "akrig.charts.making",
    "akrig.plots.chart",
    "akrig.survey.boat",
    "akrig.cli.progress.mission",
    "akrig.plots.report",
    "akrig.runs",
    "akrig.study.engine",
    "akrig.survey.exports",
    "akrig.survey.logs.next_plan",
    "akrig.survey.survey",
    "akrig.survey.simulation",
    "dask.array",
    "distributed.cli.dask_scheduler",
    "distributed.cli.dask_worker",
    "netCDF4",
    "torch.fx.experimental.symbolic_shapes",
)


def akrig(
    *arguments: str, cwd: Path, room: int | None = None, sketched: bool = False, **environment: str
) -> subprocess.CompletedProcess:
    """What the terminal would show; see `Forked`."""
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        process = Forked(*arguments, cwd=cwd, out=out, err=err, room=room, sketched=sketched, **environment)
        code = process.wait(SECONDS)
        return subprocess.CompletedProcess(arguments, code, out.read_text(), err.read_text())


class Forked:
    """A program that runs by itself, with what of `Popen` is needed.

    Args:
        arguments: of the program.
        program: module and function, `akrig` if not given.
        out: file that gets what it says.
        err: the same for its warnings and errors; `out`, if not given.
        room: bytes that any file may grow to, as on a full disk.
        sketched: whether its figures are white sheets, for tests that do not look at them.
        session: whether it leads a session, and with it a group of processes, of its own.
        environment: variables on top of the tests' own.
    """

    def __init__(
        self, *arguments: str, program: str = "akrig.cli:main", out: Path, err: Path | None = None,
        cwd: Path | None = None, room: int | None = None, sketched: bool = False, session: bool = False,
        **environment: str,
    ) -> None:  # fmt: skip
        self.returncode: int | None = None
        self.pid = _ask(
            program=program,
            arguments=arguments,
            cwd=str(cwd or Path.cwd()),
            out=str(out),
            err=str(err or out),
            room=room,
            sketched=sketched,
            session=session,
            environment={"COLUMNS": "120", **environment},
        )

    def wait(self, timeout: float = SECONDS) -> int:
        if self.returncode is None:
            self.returncode = _ask(pid=self.pid, seconds=timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("akrig", timeout)
        return self.returncode

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = _ask(pid=self.pid, seconds=0.0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.returncode is None:  # else the number may be another's by now
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(9)


def _ask(**request):
    server = _server()
    server.stdin.write(json.dumps(request) + "\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())


@cache
def _server() -> subprocess.Popen:
    command = [sys.executable, "-m", "tests.forked"]
    environment = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}  # threads would be lost in a fork
    server = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    atexit.register(_end, server)
    assert server.stdout.readline() == "ready\n"
    return server


def _end(server: subprocess.Popen) -> None:
    server.stdin.close()
    server.wait(timeout=30)
    server.stdout.close()


# -- the process that forks ----------------------------------------------------------------------------------------


def _serve() -> None:
    import torch

    torch.set_num_threads(1)
    for name in PRELOADED:
        importlib.import_module(name)
    _prepare_numba()
    threads = Path("/proc/self/task")
    if threads.exists() and len(list(threads.iterdir())) > 1:
        raise RuntimeError("Something that was imported has started a thread, which a fork would lose.")
    _say("ready")
    for line in sys.stdin:
        request = json.loads(line)
        answer = _wait(**request) if "pid" in request else _start(request)
        _say(json.dumps(answer))


def _prepare_numba() -> None:
    """What numba does when the first loop is called, which takes as long as a small mission."""
    from numba.core.registry import cpu_target

    cpu_target.target_context.refresh()
    cpu_target.typing_context.refresh()


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _start(request: dict) -> int:
    child = os.fork()
    if not child:
        _carry_out(request)
    return child


def _wait(pid: int, seconds: float) -> int | None:
    end = time.monotonic() + seconds
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() >= end:
            return None
        time.sleep(0.005)


def _carry_out(request: dict) -> None:
    module, function = request["program"].split(":")
    for place, stream in ((request["out"], 1), (request["err"], 2)):
        os.dup2(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(request["cwd"])
    os.environ.update(request["environment"])
    if request["session"]:
        os.setsid()
    if request["room"] is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["room"], request["room"]))
    if request["sketched"]:
        _sketch()
    sys.argv, code = [module.partition(".")[0], *request["arguments"]], 0
    try:
        getattr(importlib.import_module(module), function)()
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _sketch() -> None:
    from matplotlib.figure import Figure

    from tests.sketches import save_sheet

    Figure.savefig = save_sheet


if __name__ == "__main__":
    _serve()
