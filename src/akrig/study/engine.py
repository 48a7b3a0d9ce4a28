"""A study is carried out: specifications minus results, given to workers, until nothing is missing."""

import os
import platform
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import fmean

from akrig.errors import StudyError
from akrig.study.checks import open_folder
from akrig.study.computer import processor
from akrig.study.definition import Study
from akrig.study.specification import Specification
from akrig.study.store import StudyFolder
from akrig.study.worker import RunOutcome, run_specification
from akrig.workers.jobs import FailedJob, Job, Workers

SECONDS_BETWEEN_LOOKS = 1.0  # at runs that somebody else computes


@dataclass(frozen=True)
class StudyProgress:
    """What a watcher hears when a run is over.

    Args:
        done: of `total`, stored by whomever.
        seconds_left: about; `None` if nothing is known yet.
    """

    specification: Specification
    outcome: RunOutcome
    done: int
    failed: int
    total: int
    seconds_left: float | None


@dataclass(frozen=True)
class StudyWatcher:
    """Who looks on while a study runs.

    Args:
        begin: called once with the number of runs stored already, of all runs, and of workers.
        hear: after every run.
        tell: what a person should know, one sentence.
    """

    begin: Callable[[int, int, int], None] = lambda done, total, workers: None
    hear: Callable[[StudyProgress], None] = lambda news: None
    tell: Callable[[str], None] = lambda sentence: None


@dataclass
class StudyOutcome:
    """How a call ended.

    Attributes:
        failures: run and what happened to it.
    """

    total: int
    done: int = 0
    computed: int = 0
    failures: dict[str, tuple[Specification, RunOutcome]] = field(default_factory=dict)


def run_study(
    study: Study,
    folder: StudyFolder,
    workers_for: Callable[[int], Workers],
    *,
    only: Mapping[str, Collection[str]] | None = None,
    watcher: StudyWatcher | None = None,
) -> StudyOutcome:
    """Computes what is missing, and returns when nothing more can be; check the settings before.

    Args:
        workers_for: who computes, given the number of missing runs; entered when needed, and left whatever happens.
        only: axis -> labels to keep.
    """
    watcher = watcher or StudyWatcher()
    wanted = list({specification.name: specification for specification in study.specifications(only)}.values())
    whole = open_folder(study, folder, watcher.tell)
    order = {seed: place for place, seed in enumerate(study.seeds)}
    # A seed at a time: whoever stops early has whole tables, of fewer seeds.
    missing = sorted((s for s in wanted if s.name not in whole), key=lambda s: order[s.settings["seed"]])
    summary = StudyOutcome(total=len(wanted), done=len(wanted) - len(missing))
    if not missing:
        watcher.begin(summary.done, summary.total, 0)
        return summary
    time_left = TimeLeft(missing)
    families = {specification.family for specification in missing}
    for done in whole.values():
        if done.family in families:
            time_left.learn(done.family, done.seconds)
    began, clock, size = datetime.now(UTC), time.monotonic(), 0

    def record() -> None:
        with suppress(OSError):  # a full disk has a sentence of its own
            folder.record_call(_call(began, time.monotonic() - clock, size, summary))

    try:
        with workers_for(len(missing)) as workers:
            size = workers.size
            watcher.begin(summary.done, summary.total, size)
            for specification, outcome in _outcomes(workers, folder, missing):
                size = max(size, workers.size)
                _count(summary, folder, specification, outcome)
                time_left.leave_out(specification.name)
                if outcome.state == "computed":
                    time_left.learn(specification.family, outcome.seconds)
                left = time_left.seconds_left(workers.size)
                news = StudyProgress(specification, outcome, summary.done, len(summary.failures), summary.total, left)
                watcher.hear(news)
                record()
    finally:
        with suppress(OSError):
            folder.sweep_all()
        record()
    return summary


def _outcomes(
    workers: Workers, folder: StudyFolder, missing: list[Specification]
) -> Iterator[tuple[Specification, RunOutcome]]:
    """Every run once, when it is over; those that somebody else computes, last."""
    by_name = {specification.name: specification for specification in missing}
    while by_name:
        busy = []
        for job, result in workers.results([_job(folder, specification) for specification in by_name.values()]):
            outcome = _outcome(job.name, result)
            if outcome.state == "no room":
                raise StudyError(
                    f"The disk of {folder.path} is full: what is stored is safe, nothing half-written is left. Make "
                    "room, then call the same study again to go on."
                )
            if outcome.state == "busy":
                busy.append(outcome.name)
            else:
                yield by_name[outcome.name], outcome
        by_name = {name: by_name[name] for name in busy}
        if by_name:
            _wait_for_any(folder, list(by_name), workers)


def _job(folder: StudyFolder, specification: Specification) -> Job:
    run = (specification.kind, specification.settings, specification.labels)
    return Job(specification.name, run_specification, (folder.path.absolute(), *run))


def _outcome(name: str, result: RunOutcome | FailedJob) -> RunOutcome:
    if isinstance(result, RunOutcome):
        return result
    return RunOutcome(name, "failed", reason=result.reason, traceback=result.traceback)


def _wait_for_any(folder: StudyFolder, names: list[str], workers: Workers) -> None:
    """Until one of these runs, claimed by others, is stored or free again."""
    while True:
        for name in names:
            if folder.is_stored(name):
                return
            with folder.claim(name) as ours:
                if ours:
                    return
        workers.wait(SECONDS_BETWEEN_LOOKS)


def _count(summary: StudyOutcome, folder: StudyFolder, specification: Specification, outcome: RunOutcome) -> None:
    if outcome.state == "failed":
        with suppress(OSError):
            folder.keep_failure(specification, outcome.traceback)
        summary.failures[specification.name] = (specification, outcome)
        return
    summary.done += 1
    summary.computed += outcome.state == "computed"


def _call(began: datetime, seconds: float, workers: int, summary: StudyOutcome) -> dict:
    from akrig.runs.run import versions

    return {
        "began": began.isoformat(timespec="seconds"),
        "host": platform.node(),
        "pid": os.getpid(),
        "seconds": round(seconds, 1),
        "workers": workers,
        "computed": summary.computed,
        "failed": len(summary.failures),
        "versions": {"python": platform.python_version(), **versions()},
        "cpu": processor(),
    }


class TimeLeft:
    """Learns from finished runs: those of a family take about equally long, whatever their seed."""

    def __init__(self, missing: Iterable[Specification]) -> None:
        self._missing = {specification.name: specification.family for specification in missing}
        self._seconds: dict[str, list[float]] = defaultdict(list)

    def learn(self, family: str, seconds: float) -> None:
        self._seconds[family].append(seconds)

    def leave_out(self, name: str) -> None:
        """A run that is over, or not ours any more."""
        self._missing.pop(name, None)

    def seconds_left(self, num_workers: int) -> float | None:
        """`None` as long as nothing is known."""
        if not self._seconds:
            return None
        means = {family: fmean(seconds) for family, seconds in self._seconds.items()}
        usual = fmean(means.values())
        return sum(means.get(family, usual) for family in self._missing.values()) / max(num_workers, 1)
