"""`akrig` in a process of its own, forked from one that has imported everything: a tenth of a second instead of four.

As a script it is that process: it reads requests as lines of JSON and answers each with the exit code.
"""

import atexit
import json
import os
import subprocess
import sys
import tempfile
import traceback
from functools import cache
from pathlib import Path

ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
SECONDS = 300


def akrig(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess:
    """What the terminal would show."""
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        request = {"arguments": arguments, "cwd": str(cwd), "out": str(out), "err": str(err)}
        server = _server()
        server.stdin.write(json.dumps({**request, "environment": {"COLUMNS": "120", **environment}}) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        return subprocess.CompletedProcess(arguments, code, out.read_text(), err.read_text())


@cache
def _server() -> subprocess.Popen:
    environment = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}  # no threads before a fork
    command = [sys.executable, str(Path(__file__))]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    atexit.register(_end, server)
    assert server.stdout.readline() == "ready\n"
    return server


def _end(server: subprocess.Popen) -> None:
    server.stdin.close()
    server.wait(timeout=30)
    server.stdout.close()


def _serve() -> None:
    import torch

    torch.set_num_threads(1)
    import akrig.plots.report
    import akrig.runs
    import akrig.survey.recording_next  # noqa: F401 - what commands import when they run

    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            _carry_out(json.loads(line))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.write(f"{code}\n")
        sys.stdout.flush()


def _carry_out(request: dict) -> None:
    for place, stream in ((request["out"], 1), (request["err"], 2)):
        os.dup2(os.open(place, os.O_WRONLY | os.O_CREAT), stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(request["cwd"])
    os.environ.update(request["environment"])
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
