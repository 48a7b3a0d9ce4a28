"""A survey as a person watches it: where the boat is and what happens, Ctrl-C to stop."""

import signal
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rich.console import Console

from akrig.config import read_settings
from akrig.files import json_objects, read_last_lines
from akrig.journal.folder import RunFolder
from akrig.runs import MissionProgress, MissionWatcher
from akrig.survey.settings import area_of
from akrig.survey.survey import SurveyWatcher, run_survey
from akrig.words import clock

LONG_PLAN = 100.0  # metres
SECONDS_BETWEEN_PROGRESS = 10.0
PROGRESS = 0.05  # of the plan, that is worth a line
INDENT = " " * 9  # as wide as the clock and what is between it and the message
STYLES = {"info": "", "warning": "yellow", "alarm": "bold red"}
# The system shuts down or a service is stopped; the terminal is closed or the connection to it breaks.
ENDINGS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Terminal:
    """What a person sees; if it is gone, the survey does without.

    Args:
        now: seconds of the mission so far.
    """

    def __init__(self, console: Console, *, now: Callable[[], float] = lambda: 0.0) -> None:
        self._console, self._now = console, now

    def say(self, message: str, **look: Any) -> None:
        with suppress(OSError):
            self._console.print(message, soft_wrap=True, **look)

    def log(self, message: str, **look: Any) -> None:
        told = f"{clock(self._now()):>7}  {message}"
        if self._console.is_terminal:
            width = self._console.width
            told = textwrap.fill(told, width, subsequent_indent=INDENT, break_long_words=False, break_on_hyphens=False)
        self.say(told, **look)


def mission_time(journal: Path) -> float:
    """Seconds, by the last event that was written down: what is told has just been."""
    with suppress(OSError):
        for event in json_objects(read_last_lines(journal)):
            with suppress(ValueError, TypeError, KeyError):
                return float(event["time"])
    return 0.0


def watch_survey(folder: RunFolder, *, address: str | None = None) -> str:
    """Carries out the survey in a folder; returns why it ended, in words, "stopped", or "not begun"."""
    console = Console(stderr=True, markup=False, emoji=False, highlight=False)
    terminal = Terminal(console, now=lambda: mission_time(folder.journal))
    settings = read_settings(folder.config)
    survey = settings.surveyed

    def tell(level: str, message: str) -> None:
        terminal.log(message, style=STYLES[level])

    def hear(news: MissionProgress) -> None:
        used = news.epoch.used
        doubt, order = news.scores.get("uncertainty"), survey.target.survey_order
        parts = [
            f"leg {news.epoch.index}",
            f"{used.readings:.0f} readings",
            f"{used.distance:.0f} m",
            f"{news.share:.0%} used",
            None if doubt is None else f"uncertainty {doubt:.2f} m",
            None if order is None or doubt is None else f"{order.label} on {news.scores[order.column]:.0%} of the area",
            f"RMSE {news.scores['rmse']:.2f} m" if "rmse" in news.scores else None,
        ]
        terminal.log(", ".join(part for part in parts if part))

    with braking(terminal) as brake:
        mission = MissionWatcher(hear, lambda sentence: tell("warning", sentence))
        watcher = SurveyWatcher(mission, tell, brake, Progress(terminal))
        if not survey.simulated or address is not None:
            return run_survey(folder, watcher, address=address)
        from akrig.survey.simulation import bed_of, simulated_boat

        with simulated_boat(folder) as address:
            return run_survey(folder, watcher, truth=bed_of(settings, area_of(survey)), address=address)


class Progress:
    """How far the boat is in its plan: of long ones only, and not too often."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal, self._said_at, self._said = terminal, time.monotonic(), 0.0

    def __call__(self, done: float, all: float) -> None:
        now = time.monotonic()
        has_moved = abs(done - self._said) >= PROGRESS * all
        if has_moved and all >= LONG_PLAN and now - self._said_at >= SECONDS_BETWEEN_PROGRESS:
            self._said_at, self._said = now, done
            self._terminal.log(f"{done:.0f} of {all:.0f} m of this plan are done")


@contextmanager
def braking(terminal: Terminal) -> Iterator[Callable[[Callable[[], None]], None]]:
    """The first Ctrl-C holds the boat and ends the survey in good order; the second is an ordinary one.

    So does the end of the service, or of the terminal, unless that is ignored already (`nohup`); they come in swarms,
    and those after the first change nothing.
    """
    stops: list[Callable[[], None]] = []
    heeded = [signal.SIGINT, *(each for each in ENDINGS if signal.getsignal(each) is not signal.SIG_IGN)]

    def ask(*_) -> None:
        for each in heeded:
            signal.signal(each, before[each] if each == signal.SIGINT else signal.SIG_IGN)
        if not stops:
            raise KeyboardInterrupt
        terminal.say("Stopping: the boat will hold its place ... (nothing is lost)")
        for stop in stops:
            stop()

    before = {each: signal.signal(each, ask) for each in heeded}
    try:
        yield stops.append
    finally:
        for each in heeded:
            signal.signal(each, before[each])
