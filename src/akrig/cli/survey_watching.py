"""A survey as a person watches it: where the boat is and what happens, Ctrl-C to stop."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from akrig.config import read_settings
from akrig.journal.folder import RunFolder
from akrig.runs import News, Watcher
from akrig.survey.running import Lookout, carry_out_survey
from akrig.survey.settings import area_of

STYLES = {"info": "", "warning": "yellow", "alarm": "bold red"}


def watched_survey(folder: RunFolder) -> str:
    """Carries out the survey in a folder; returns why it ended, in words, or "stopped"."""
    console = Console(stderr=True, markup=False, emoji=False, highlight=False)
    settings = read_settings(folder.config)
    survey = settings.survey
    assert survey is not None
    begin = time.monotonic()

    def tell(level: str, message: str) -> None:
        console.print(f"{_clock(time.monotonic() - begin)}  {message}", style=STYLES[level], soft_wrap=True)

    def hear(news: News) -> None:
        used = news.epoch.used
        doubt = news.scores.get("uncertainty")
        parts = [
            f"leg {news.epoch.index}",
            f"{used.readings:.0f} readings",
            f"{used.distance:.0f} m",
            f"{news.share:.0%} of the budget",
            None if doubt is None else f"uncertainty {doubt:.2f} m",
            f"RMSE {news.scores['rmse']:.2f} m" if "rmse" in news.scores else None,
        ]
        console.print(f"{_clock(time.monotonic() - begin)}  {', '.join(p for p in parts if p)}", soft_wrap=True)

    with _braking(console) as brake:
        lookout = Lookout(Watcher(hear, lambda sentence: tell("warning", sentence)), tell, brake)
        if not survey.simulated:
            return carry_out_survey(folder, lookout)
        from akrig.survey.simulation import bed_of, simulated_boat

        with simulated_boat(folder) as address:
            return carry_out_survey(folder, lookout, truth=bed_of(settings, area_of(survey)), address=address)


def _clock(seconds: float) -> str:
    return f"{int(seconds // 60):3d}:{int(seconds % 60):02d}"


@contextmanager
def _braking(console: Console) -> Iterator[Callable[[Callable[[], None]], None]]:
    """The first Ctrl-C holds the boat and ends the survey in good order; the second is an ordinary one."""
    stops: list[Callable[[], None]] = []

    def ask(*_) -> None:
        signal.signal(signal.SIGINT, before)
        if not stops:
            raise KeyboardInterrupt
        console.print("Stopping: the boat will hold its place ... (nothing is lost)")
        for stop in stops:
            stop()

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield stops.append
    finally:
        signal.signal(signal.SIGINT, before)
