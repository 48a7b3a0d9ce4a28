"""A mission as a person watches it: progress while it runs, a table when it is over, Ctrl-C to stop."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from akrig.journal.folder import RunFolder
from akrig.journal.record import Record, read_record
from akrig.runs import News, Watcher, carry_out

MEANINGS = {
    "rmse": "root mean squared error",
    "mae": "mean absolute error",
    "smse": "squared error as a share of the field's variance",
    "msll": "log loss against a plain Gaussian; lower is better",
    "nlpd": "mean log loss",
    "crps": "distance between predicted and true distribution",
    "coverage95": "truth inside the 95 % intervals",
    "correlation": "between error and predicted standard deviation",
    "uncertainty": "mean predicted standard deviation",
}


def watched(folder: RunFolder) -> str:
    """Carries out the mission in a folder with progress on standard error, and a table on standard output.

    Returns why it ended: "budget" or "stopped".
    """
    # A field's path may hold brackets: nothing is markup.
    err, out = Console(stderr=True, markup=False, emoji=False), Console(markup=False, emoji=False)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[news]}"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    begin = time.monotonic()
    with _stop_on_interrupt(err) as wants_to_stop, Progress(*columns, console=err) as progress:
        task = progress.add_task("mapping", total=1.0, news="")
        pace = _Pace()

        def hear(news: News) -> None:
            progress.update(
                task,
                completed=news.share,
                news=pace.words(news),
                description="catching up" if news.repeated else "mapping",
            )

        try:
            reason = carry_out(folder, Watcher(hear, err.print, wants_to_stop))
        except KeyboardInterrupt:  # the second Ctrl-C; the journal has every epoch that ended
            reason = "stopped"
    if reason == "budget":
        record = read_record(folder.path)
        # Not the table's title, which would be folded to the table's width: paths can be long.
        out.print(f"{record.field_name}: {record.title}", style="italic", highlight=False, soft_wrap=True)
        out.print(_closing_table(record, seconds=time.monotonic() - begin))
    return reason


class _Pace:
    """The latest numbers in few words, and the time an epoch takes, smoothed."""

    def __init__(self) -> None:
        self._last, self._seconds = time.monotonic(), None

    def words(self, news: News) -> str:
        now = time.monotonic()
        taken, self._last = now - self._last, now
        self._seconds = taken if self._seconds is None else 0.9 * self._seconds + 0.1 * taken
        quality = next((f"{key.upper()} {news.scores[key]:.4g}" for key in ("rmse",) if key in news.scores), None)
        if quality is None and "uncertainty" in news.scores:
            quality = f"uncertainty {news.scores['uncertainty']:.4g}"
        used = news.epoch.used
        parts = [f"{used.readings:.0f} readings", quality, _metres(used.distance), f"{self._seconds:.2f} s/epoch"]
        return "  ".join(part for part in parts if part)


@contextmanager
def _stop_on_interrupt(console: Console) -> Iterator:
    """The first Ctrl-C asks for a stop at the end of the epoch; the second is an ordinary one."""
    asked = False

    def ask(*_) -> None:
        nonlocal asked
        asked = True
        console.print("Stopping after this epoch ... (Ctrl-C again stops at once; nothing is lost either way)")
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, before)


def _closing_table(record: Record, *, seconds: float) -> Table:
    used = record.epochs[-1].used
    table = Table(show_header=False, box=None)
    table.add_row("readings", f"{used.readings:.0f}", "")
    table.add_row("distance", _metres(used.distance), "")
    for name, meaning in MEANINGS.items():
        if name in record.scores and len(record.scores[name]):
            value = record.scores[name][-1]
            shown = f"{value:.1%}" if name == "coverage95" else f"{value:.4g}"
            table.add_row(name.upper() if len(name) <= 4 else name, shown, meaning)
    table.add_row("took", f"{seconds:.1f} s", f"{len(record.epochs)} epochs")
    return table


def _metres(distance: float) -> str:
    return f"{distance / 1000:.1f} km" if distance >= 10_000 else f"{distance:.0f} m"
