"""A study as a person watches it: progress with time left, or a line per run where there is no terminal."""

from collections.abc import Callable, Collection, Mapping

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from akrig.study.definition import Study
from akrig.study.engine import StudyOutcome, StudyProgress, StudyWatcher, run_study
from akrig.study.store import StudyFolder
from akrig.words import plural
from akrig.workers.jobs import Workers

WorkersFor = Callable[[int], Workers]
ROOMY = 100  # columns: with fewer, a progress bar would leave no room for numbers


def watch_study(
    study: Study,
    folder: StudyFolder,
    only: Mapping[str, Collection[str]] | None,
    workers_from: Callable[[Callable[[str], None]], WorkersFor],
) -> StudyOutcome:
    """Carries out a study with progress on standard error.

    Args:
        workers_from: who computes, given whom to tell.
    """
    console = Console(stderr=True, markup=False, emoji=False, highlight=False, soft_wrap=True)
    workers_for = workers_from(console.print)
    if console.is_terminal:
        return _with_bar(study, folder, only, workers_for, console)
    watcher = StudyWatcher(_begin(console, study), lambda news: console.print(_line(news)), console.print)
    return run_study(study, folder, workers_for, only=only, watcher=watcher)


def _with_bar(
    study: Study,
    folder: StudyFolder,
    only: Mapping[str, Collection[str]] | None,
    workers_for: WorkersFor,
    console: Console,
) -> StudyOutcome:
    bar = [BarColumn()] if console.width >= ROOMY else []
    words = TextColumn("{task.description}"), TextColumn("{task.fields[news]}")
    with Progress(words[0], *bar, MofNCompleteColumn(), words[1], TimeElapsedColumn(), console=console) as progress:
        task = progress.add_task(study.name, total=None, news="starting")
        say = _begin(console, study)

        def begin(done: int, total: int, workers: int) -> None:
            say(done, total, workers)
            progress.update(task, completed=done, total=total, news="")

        def hear(news: StudyProgress) -> None:
            failed = f"{news.failed} failed, " if news.failed else ""
            progress.update(task, completed=news.done + news.failed, news=f"{failed}{_left(news)}")

        return run_study(study, folder, workers_for, only=only, watcher=StudyWatcher(begin, hear, console.print))


def _begin(console: Console, study: Study) -> Callable[[int, int, int], None]:
    def begin(done: int, total: int, workers: int) -> None:
        if done == total:
            console.print(f"{study.name}: {'the run is' if total == 1 else f'all {total} runs are'} there.")
            return
        there = f", {done} of them there already" if done else ""
        crew = plural(workers, "worker") if workers else "waiting for workers"
        console.print(f"{study.name}: {plural(total, 'run')}{there}; {crew}.")

    return begin


def _line(news: StudyProgress) -> str:
    what = {
        "computed": f"{news.outcome.seconds:.1f} s",
        "present": "computed elsewhere",
        "failed": f"failed: {news.outcome.reason}",
    }[news.outcome.state]
    over = news.done + news.failed
    return f"[{over}/{news.total}] {news.specification.title}: {what}; {_left(news)}"


def _left(news: StudyProgress) -> str:
    seconds = news.seconds_left
    if seconds is None:
        return "time left unknown"
    if seconds >= 5400:
        return f"{seconds / 3600:.1f} h left"
    return f"{seconds / 60:.0f} min left" if seconds >= 90 else f"{seconds:.0f} s left"
