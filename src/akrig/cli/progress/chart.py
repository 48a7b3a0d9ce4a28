"""A map of soundings as a person watches it being made."""

import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from akrig.charts.making import ChartRequest, ChartWatcher, make_chart
from akrig.charts.results import Chart
from akrig.workers.jobs import Workers

ROOMY = 100  # columns: with fewer, a progress bar would leave no room for numbers
SHARE = 0.1  # of a part of the work that is worth a line, where there is no terminal


def watch_chart(
    request: ChartRequest,
    out: Path,
    workers_from: Callable[[Callable[[str], None]], Callable[[int], Workers]],
    *,
    force: bool,
) -> Chart:
    """Makes the map with progress on standard error.

    Args:
        workers_from: who computes, given whom to tell.
    """
    console = Console(stderr=True, markup=False, emoji=False, highlight=False, soft_wrap=True)
    workers_for = workers_from(console.print)
    if not console.is_terminal:
        return make_chart(request, out, workers_for, force=force, watcher=_Lines(console.print).watcher)
    bar = [BarColumn()] if console.width >= ROOMY else []
    words, left = TextColumn("{task.description}"), TextColumn("left")
    columns = [words, *bar, MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(), left]
    with Progress(*columns, console=console) as progress:

        def begin(what: str, steps: int) -> None:
            for task in progress.task_ids:
                progress.stop_task(task)
            progress.add_task(what, total=steps)

        def advance() -> None:
            progress.advance(progress.task_ids[-1])

        watcher = ChartWatcher(begin, advance, console.print)
        return make_chart(request, out, workers_for, force=force, watcher=watcher)


class _Lines:
    """For a log: a line for every tenth of a part, with the time that is left of it."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell, self._what, self._steps, self._done, self._said, self._begin = tell, "", 1, 0, 0.0, 0.0
        self.watcher = ChartWatcher(self.begin, self.advance, tell)

    def begin(self, what: str, steps: int) -> None:
        self._what, self._steps, self._done, self._said, self._begin = what, steps, 0, 0.0, time.monotonic()

    def advance(self) -> None:
        self._done += 1
        share = self._done / self._steps
        if share - self._said >= SHARE or self._done == self._steps:
            self._said, gone = share, time.monotonic() - self._begin
            left = f", about {gone / share - gone:.0f} s left" if share < 1 else ""
            self._tell(f"{self._what}: {self._done} of {self._steps}, {gone:.0f} s{left}")
