"""One run, from claim to stored result: what a worker does."""

import errno
import shutil
import time
import traceback
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Literal

from akrig import __version__
from akrig.errors import AkrigError
from akrig.study.parts import KINDS
from akrig.study.specification import Specification
from akrig.study.store import StudyFolder, write_done
from akrig.threads import one_thread_each

NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
LITTLE = 1 << 20  # bytes left on a disk that is called full when writing fails without a reason, as in netCDF

State = Literal["computed", "present", "busy", "failed", "no room"]


@dataclass(frozen=True)
class RunOutcome:
    """What became of one run.

    Args:
        state: "present" was stored by somebody else, "busy" is being computed by somebody else.
        reason: of a failure, one line.
        traceback: of a failure.
    """

    name: str
    state: State
    seconds: float = 0.0
    reason: str = ""
    traceback: str = ""


def run_specification(folder: Path, kind: str, settings: dict, labels: dict[str, str]) -> RunOutcome:
    """Takes the claim, computes in scratch, stores. Never raises what a run raises."""
    specification, store = Specification(kind, settings, labels), StudyFolder(folder)
    name = specification.name
    if not store.definition.exists():
        reason = (
            f"{folder} is not there on this worker's machine; all workers need the study's folder at the same path."
        )
        return RunOutcome(name, "failed", reason=reason, traceback=reason)
    if store.is_stored(name):
        return RunOutcome(name, "present")
    try:
        with store.claim(name) as ours:
            if not ours:
                return RunOutcome(name, "busy")
            if store.is_stored(name):  # by whoever held the claim a moment ago
                return RunOutcome(name, "present")
            return _compute(store, specification)
    except Exception as error:
        return _failed(store, specification, error)


def _compute(store: StudyFolder, specification: Specification) -> RunOutcome:
    compute = resolve_name(KINDS[specification.kind].compute)
    begin = time.perf_counter()
    scratch = store.new_scratch(specification.name)
    store.note(specification.name, "begun")
    try:
        with one_thread_each():
            data = compute(specification.settings, scratch)
        with _without_scheduler():
            data.to_netcdf(scratch / "result.nc", engine="netcdf4")
        seconds = time.perf_counter() - begin
        write_done(scratch, specification, seconds=seconds, version=__version__)
        ours = store.finish(specification, scratch)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    store.note(specification.name, "stored")
    return RunOutcome(specification.name, "computed" if ours else "present", seconds)


def _failed(store: StudyFolder, specification: Specification, error: Exception) -> RunOutcome:
    text = str(error) if isinstance(error, AkrigError) else f"{type(error).__name__}: {error}"
    reason, story = " ".join(text.split()), "".join(traceback.format_exception(error))
    if _is_full(error, store.path):
        return RunOutcome(specification.name, "no room", reason=reason, traceback=story)
    with suppress(OSError):
        store.keep_failure(specification, story)
    return RunOutcome(specification.name, "failed", reason=reason, traceback=story)


def _is_full(error: BaseException | None, folder: Path) -> bool:
    while error is not None:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            return True
        error = error.__cause__ or error.__context__
    with suppress(OSError):
        return shutil.disk_usage(folder).free < LITTLE
    return False


def _without_scheduler() -> AbstractContextManager[object]:
    """On a worker, xarray would ask the scheduler for leave to write; whose connection may be lost."""
    try:
        import dask.config
    except ImportError:
        return nullcontext()
    return dask.config.set(scheduler="synchronous")
