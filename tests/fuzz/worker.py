"""Carries out cases one after another in this process, and says what akrig did that it should not do.

As a program it writes a line of JSON before and after each case, so that whoever reads them knows which one killed it.
"""

import faulthandler
import hashlib
import json
import os
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner, Result

from tests.fuzz.cases import Case, make_case

CPU_SECONDS, SECONDS = 10, 120  # of computing; and of waiting, which nothing here should do
ROOM = 6_000_000_000  # bytes of memory beyond what is there at the beginning
LONGEST = 6000  # letters of a message
DRAWN = 100  # of so many pages, one has pictures
MAY_CHANGE = (".lock",)


class TooLong(BaseException):
    """Not an Exception: nobody shall catch it."""


def run_mission(seed: int, material: Path) -> list[str]:
    """What is wrong, in words."""
    with tempfile.TemporaryDirectory(prefix="akrig-fuzz-", dir=_in_memory()) as folder:
        here = Path(folder)
        case = make_case(seed, material, here)
        before, inside = held(here), os.getcwd()
        os.chdir(here)
        try:
            with _short_of_work(draws=seed % DRAWN == 0), _limited():
                result = CliRunner().invoke(_main(), case.command, catch_exceptions=True)
            faults = list(_faults(case, result))
        except TooLong as error:
            faults = [f"it took too long, at {_place(error)}"]
        finally:
            os.chdir(inside)
        if not faults:
            faults += _changed(case, before, held(here), failed=result.exit_code != 0)
        return [f"seed {seed}: akrig {' '.join(case.command)}, {case.damaged}: {fault}" for fault in faults]


@cache
def _in_memory() -> Path | None:
    """Where folders are made and deleted without waiting for a disk, if there is such a place."""
    place = Path("/dev/shm")
    return place if os.access(place, os.W_OK) else None


def _main() -> Any:
    from akrig.cli import main

    return main


def _faults(case: Case, result: Result) -> Iterator[str]:
    error = result.exception
    if error is not None and not isinstance(error, SystemExit):
        if isinstance(error, TooLong):
            raise error
        yield f"{type(error).__name__}: {str(error)[:200]} at {_place(error)}"
        return
    said = result.stderr.strip()
    if "Traceback" in said or "Warning:" in said:
        yield f"it said {said[-400:]}"
    if result.exit_code == 0:
        if case.must_fail:
            yield "it did not fail"
        return
    if not said or not said.endswith((".", "?", "!", ")", "'", '"')):
        yield f"it did not end with a sentence: {said[-200:]!r}"
    if len(said) > LONGEST:
        yield f"it said {len(said)} letters"


def _place(error: BaseException) -> str:
    ours = [frame for frame in traceback.extract_tb(error.__traceback__) if "akrig" in frame.filename]
    last = (ours or traceback.extract_tb(error.__traceback__))[-1]
    return f"{last.filename.rpartition('akrig/')[2]}:{last.lineno}"


def held(folder: Path) -> dict[str, str]:
    """What lies there, without looking into what is no file."""
    found = {}
    for path in folder.rglob("*"):
        name, kind = str(path.relative_to(folder)), path.lstat()
        if path.name in MAY_CHANGE:
            continue
        if path.is_symlink() or not path.is_file() or kind.st_size > 100_000_000:
            found[name] = f"{kind.st_mode} {kind.st_size if not path.is_dir() else ''}"
        else:
            found[name] = hashlib.sha1(path.read_bytes()).hexdigest()
    return found


def _changes(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def _changed(case: Case, before: dict[str, str], after: dict[str, str], *, failed: bool) -> list[str]:
    """What was there stays as it is; who fails leaves nothing new, either."""
    changed = {name for name in _changes(before, after) if failed or name in before}
    if not changed or _may_change(case, before, changed):
        return []
    return [f"it {'failed and ' if failed else ''}changed {sorted(changed)}"]


def _may_change(case: Case, before: dict[str, str], changed: set[str]) -> bool:
    """A mission that goes on writes down that it failed; a study computes a damaged run anew; an order lies there."""
    if case.command[0] == "study" and "results" in case.command:
        return True
    if case.command[0] == "tell":
        return all(name not in before and "orders" in Path(name).parts for name in changed)
    return case.command[0] == "resume" and changed <= {f"{case.command[1]}/{name}" for name in (
        "journal.jsonl", "scores.csv", "timings.csv", "map.nc", "checkpoint", "snapshots",
    )} | {name for name in changed if "/checkpoint/" in name or "/snapshots/" in name}  # fmt: skip


# -- what would take long ------------------------------------------------------------------------------------------


@contextmanager
def _short_of_work(*, draws: bool) -> Iterator[None]:
    """What is read is read; what comes after it, missions and pictures and servers and boats, is left out."""

    def nothing(*_: Any, **__: Any) -> Any:
        return None

    def nobody(*_: Any, **__: Any) -> Any:
        raise SystemExit(0)

    def no_network(*_: Any, **__: Any) -> Any:
        raise OSError("There is no network.")

    replaced = {
        "akrig.cli.run._run_and_draw": _resumed,
        "akrig.cli.run._look_ahead": nothing,
        "akrig.cli.survey.go_on": nothing,
        "akrig.live.server.Server.serve": lambda server, **_: server._socket.close(),
        "akrig.survey.boat.serve": nobody,
        "akrig.workers.cluster.local_workers": lambda *_: nobody,
        "urllib.request.urlopen": no_network,
    }
    if not draws:
        replaced |= {
            "akrig.plots.report.FIGURES": _remembered_maps(),
        }
    with ExitStack() as stack:
        for name, other in replaced.items():
            stack.enter_context(patch(name, other))
        yield


@cache
def _remembered_maps() -> Any:
    from tests.fuzz.pictures import remembered_maps  # matplotlib is loaded when it is needed

    return remembered_maps()


def _resumed(folder: Any, *, report: bool) -> None:
    """A mission that was complete reads all it has; one that was stopped, by good settings, goes on for an epoch."""
    from akrig.journal.events import read_journal
    from akrig.runs import MissionWatcher, run_mission

    stopped = folder.path.name == "part"
    if stopped or any(event["event"] == "end" for event in read_journal(folder.journal).events):
        run_mission(folder, MissionWatcher(wants_to_stop=lambda: stopped))


@contextmanager
def _limited() -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise TooLong

    before = {number: signal.signal(number, stop) for number in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def main() -> None:
    """As a program: material, first seed, last seed, step."""
    material, first, last, step = Path(sys.argv[1]), *map(int, sys.argv[2:5])
    faulthandler.enable()
    os.environ |= {"AKRIG_DATA": "data", "XDG_CACHE_HOME": "/dev/null"}  # the case has its own, and no other
    with suppress(OSError, ValueError), open("/proc/self/statm") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + ROOM, taken + ROOM))
    for seed in range(first, last, step):
        print(json.dumps({"begin": seed}), flush=True)
        print(json.dumps({"end": seed, "faults": run_mission(seed, material)}), flush=True)


if __name__ == "__main__":
    main()
