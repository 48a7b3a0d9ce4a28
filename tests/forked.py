"""`akrig` in processes of their own, forked from one that has imported everything: a tenth of a second instead of four.

As a script it is that process: it reads requests as lines of JSON and answers each with one line.
"""

import atexit
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

ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
SECONDS = 300


def akrig(*arguments: str, cwd: Path, room: int | None = None, **environment: str) -> subprocess.CompletedProcess:
    """What the terminal would show; see `Forked`."""
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        code = Forked(*arguments, cwd=cwd, out=out, err=err, room=room, **environment).wait(SECONDS)
        return subprocess.CompletedProcess(arguments, code, out.read_text(), err.read_text())


class Forked:
    """A command that runs by itself, with what of `Popen` is needed.

    Args:
        arguments: of `akrig`.
        out: file that gets what it says.
        err: the same for its warnings and errors; `out`, if not given.
        room: bytes that any file may grow to, as on a full disk.
        environment: variables on top of the tests' own.
    """

    def __init__(
        self, *arguments: str, out: Path, err: Path | None = None, cwd: Path | None = None, room: int | None = None,
        **environment: str,
    ) -> None:  # fmt: skip
        self.returncode: int | None = None
        self.pid = _ask(
            arguments=arguments,
            cwd=str(cwd or Path.cwd()),
            out=str(out),
            err=str(err or out),
            room=room,
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


def start_forking(script: Path, *arguments: str) -> subprocess.Popen:
    """A process that forks, to be asked line by line: without threads, which a fork would lose."""
    environment = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
    command = [sys.executable, str(script), *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


@cache
def _server() -> subprocess.Popen:
    server = start_forking(Path(__file__))
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
    import akrig.boat
    import akrig.plots.report
    import akrig.runs
    import akrig.survey.exports
    import akrig.survey.recording_next
    import akrig.survey.running
    import akrig.survey.simulation  # noqa: F401 - what commands import when they run

    _say("ready")
    for line in sys.stdin:
        request = json.loads(line)
        answer = _wait(**request) if "pid" in request else _start(request)
        _say(json.dumps(answer))


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
    for place, stream in ((request["out"], 1), (request["err"], 2)):
        os.dup2(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(request["cwd"])
    os.environ.update(request["environment"])
    if request["room"] is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["room"], request["room"]))
    sys.argv, code = ["akrig", *request["arguments"]], 0
    try:
        from akrig.cli import main

        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _serve()
