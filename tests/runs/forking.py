"""Runs missions, or with `survey` as argument surveys, in forked children and kills them: torch is imported once.

Reads lines `FOLDER SECONDS`; carries out the mission in FOLDER in a child, kills it with SIGKILL after SECONDS, and
answers `killed` or `ended CODE`.
"""

import os
import signal
import sys
import time
import traceback
from pathlib import Path

import torch

from akrig.journal import RunFolder
from akrig.runs import carry_out

torch.set_num_threads(1)
SURVEYS = sys.argv[1:] == ["survey"]
if SURVEYS:
    from akrig.survey.running import Lookout, carry_out_survey


def main() -> None:
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        folder, seconds = line.split()
        child = os.fork()
        if not child:
            os._exit(_carry_out(Path(folder)))
        sys.stdout.write(_wait(child, float(seconds)) + "\n")
        sys.stdout.flush()


def _carry_out(folder: Path) -> int:
    try:
        if SURVEYS:
            carry_out_survey(RunFolder.open(folder), Lookout(tell=lambda level, said: print(said, file=sys.stderr)))
        else:
            carry_out(RunFolder.open(folder), checkpoint_every=0.2)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _wait(child: int, seconds: float) -> str:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return f"ended {os.waitstatus_to_exitcode(status)}"
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "killed"


main()
