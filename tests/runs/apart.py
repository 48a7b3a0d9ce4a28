"""Missions and surveys in processes of their own, which can be killed with SIGKILL."""

import subprocess
import sys
from pathlib import Path

from akrig.errors import AkrigError
from akrig.journal import RunFolder
from akrig.runs import run_mission
from tests.forked import Forked


def apart(folder: RunFolder, kind: str = "mission", *, room: int | None = None) -> Forked:
    """A process that carries it out; what it says goes to the file of `said_by`.

    Args:
        room: bytes that any file may grow to, as on a full disk.
    """
    program = f"tests.runs.apart:carry_out_{kind}"
    return Forked(str(folder.path), program=program, out=_said(folder), room=room)


def said_by(folder: RunFolder) -> str:
    return _said(folder).read_text()


def _said(folder: RunFolder) -> Path:
    return folder.path.with_name(f"{folder.path.name}.said")


def killed_after(seconds: float, folder: RunFolder, kind: str = "mission") -> str:
    """`killed`, or `ended` and its code if it was done before."""
    process = apart(folder, kind)
    try:
        return f"ended {process.wait(seconds)}"
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return "killed"


# -- in that process ----------------------------------------------------------------------------------------------


def carry_out_mission() -> None:
    try:
        run_mission(RunFolder.open(Path(sys.argv[1])), checkpoint_every=0.2)
    except AkrigError as error:
        sys.exit(str(error))


def carry_out_survey() -> None:
    from akrig.survey.survey import SurveyWatcher, run_survey

    def tell(level: str, said: str) -> None:
        sys.stderr.write(f"{said}\n")

    run_survey(RunFolder.open(Path(sys.argv[1])), SurveyWatcher(tell=tell))
