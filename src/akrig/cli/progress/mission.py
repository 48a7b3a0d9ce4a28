"""A mission as a person watches it: progress while it runs, a table when it is over, Ctrl-C to stop."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from akrig.config.load import read_toml
from akrig.journal.folder import RunFolder
from akrig.journal.record import Record, read_record
from akrig.metric_parts import METRICS
from akrig.runs import MissionProgress, MissionWatcher, run_mission
from akrig.words import plural

ROOMY = 100  # columns: with fewer, a progress bar would leave no room for numbers


def watch_mission(folder: RunFolder) -> str:
    """Carries out the mission in a folder with progress on standard error, and a table on standard output.

    Returns why it ended: "budget" or "stopped".
    """
    # A field's path may hold brackets: nothing is markup.
    err, out = Console(stderr=True, markup=False, emoji=False), Console(markup=False, emoji=False)
    begin = time.monotonic()
    with _stop_on_interrupt(err) as wants_to_stop, Progress(*_columns(err.width), console=err) as progress:
        task = progress.add_task("mapping", total=1.0, news="")
        pace = _Pace(units=units_of(folder.path), is_brief=err.width < ROOMY)

        def hear(news: MissionProgress) -> None:
            progress.update(
                task,
                completed=news.share,
                news=pace.words(news),
                description="catching up" if news.repeated else "mapping",
            )

        try:
            reason = run_mission(folder, MissionWatcher(hear, err.print, wants_to_stop))
        except KeyboardInterrupt:  # the second Ctrl-C; the journal has every epoch that ended
            reason = "stopped"
    if reason == "budget":
        record = read_record(folder.path)
        # Not the table's title, which would be folded to the table's width: paths can be long.
        out.print(f"{record.field_name}: {record.title}", style="italic", highlight=False, soft_wrap=True)
        out.print(_closing_table(record, seconds=time.monotonic() - begin))
        if record.is_all_pilot:
            spent = f"The pilot survey took the whole budget ({plural(len(record.samples), 'reading')})"
            advice = f"{spent}: nothing was planned. Raise the budget to see it plan."
            out.print(advice, highlight=False, soft_wrap=True)
    return reason


def _columns(width: int) -> list[ProgressColumn]:
    bar = [BarColumn()] if width >= ROOMY else []
    words = TextColumn("{task.description}"), TextColumn("{task.fields[news]}"), TextColumn("left")
    return [words[0], *bar, TaskProgressColumn(), words[1], TimeRemainingColumn(), words[2]]


def units_of(run: Path) -> str:
    """Of the field, with a space before them."""
    units = read_toml(RunFolder(run).config).get("about", {}).get("units", "")
    return f" {units}" if units else ""


class _Pace:
    """The latest numbers in few words, and the time an epoch takes, smoothed."""

    def __init__(self, *, units: str, is_brief: bool) -> None:
        self._units, self._is_brief = units, is_brief
        self._last, self._seconds = time.monotonic(), None

    def words(self, news: MissionProgress) -> str:
        now = time.monotonic()
        taken, self._last = now - self._last, now
        self._seconds = taken if self._seconds is None else 0.9 * self._seconds + 0.1 * taken
        shown = next((key for key in ("rmse", "uncertainty") if key in news.scores), None)
        quality = None if shown is None else f"{METRICS[shown].label} {news.scores[shown]:.4g}{self._units}"
        used, pace = news.epoch.used, None if self._is_brief else f"{self._seconds:.2f} s/epoch"
        parts = [plural(int(used.readings), "reading"), quality, _metres(used.distance), pace]
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
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("readings", f"{used.readings:.0f}", "")
    table.add_row("distance", _metres(used.distance), "")
    for metric in record.metrics:
        if len(record.scores[metric.name]):
            value = record.scores[metric.name][-1]
            unit = record.units if metric.has_units else metric.unit
            shown = f"{100 * value:.1f} %" if metric.is_share else f"{value:.4g} {unit}".rstrip()
            table.add_row(metric.label, shown, metric.sentence)
    table.add_row("took", f"{seconds:.1f} s", plural(len(record.epochs), "epoch"))
    return table


def _metres(distance: float) -> str:
    return f"{distance / 1000:.1f} km" if distance >= 10_000 else f"{distance:.0f} m"
