"""The signals that end a survey in good order, and a terminal that is gone."""

import os
import signal

import pytest
from rich.console import Console

from akrig.cli.progress.survey import Terminal, braking, mission_time
from akrig.journal.events import to_line


class Gone:
    """A terminal that was closed."""

    def write(self, text: str) -> int:
        raise OSError(5, "Input/output error")

    def flush(self) -> None:
        raise OSError(5, "Input/output error")


@pytest.fixture
def terminal():
    return Terminal(Console(file=Gone()))


@pytest.fixture(autouse=True)
def as_in_a_new_process():
    """Whoever runs the tests may have others: `nohup`, or a library that was imported."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL, signal.SIGHUP: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_signal_stops_the_boat_even_if_nobody_sees_it(terminal, number):
    stopped, before = [], signal.getsignal(number)
    with braking(terminal) as brake:
        brake(lambda: stopped.append(number))
        os.kill(os.getpid(), number)
        assert stopped == [number]
    assert signal.getsignal(number) is before


def test_a_terminal_that_closes_sends_its_signal_twice(terminal):
    stopped = []
    with braking(terminal) as brake:
        brake(lambda: stopped.append(True))
        for number in (signal.SIGHUP, signal.SIGHUP, signal.SIGTERM):
            os.kill(os.getpid(), number)
        assert stopped == [True]
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_under_nohup_a_closed_terminal_changes_nothing(terminal):
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    stopped = []
    with braking(terminal) as brake:
        brake(lambda: stopped.append(True))
        os.kill(os.getpid(), signal.SIGHUP)
    assert stopped == []


def test_before_there_is_a_boat_it_just_ends(terminal):
    with pytest.raises(KeyboardInterrupt), braking(terminal):
        os.kill(os.getpid(), signal.SIGTERM)


def test_a_terminal_that_is_gone_is_no_trouble(terminal):
    terminal.log("leg 1", style="bold red")


def test_the_terminal_has_the_missions_clock_as_the_page_and_the_report_have(tmp_path, capsys):
    journal = tmp_path / "journal.jsonl"
    terminal = Terminal(Console(stderr=True), now=lambda: mission_time(journal))
    terminal.log("Not begun.")
    events = [
        {"event": "mission", "format": 1, "akrig": "0"},
        {"event": "notice", "time": 3725.4, "unix": 1.8e9, "level": "info", "message": "x" * 9000},
        {"event": "home", "position": [0.0, 0.0]},
    ]
    journal.write_text("".join(to_line(event) for event in events[:1]))
    terminal.log("Begun.")
    journal.write_text("".join(to_line({**event, "message": "The boat holds."}) for event in events) + '{"event":"mea')
    terminal.log("The boat holds.")
    assert [line.split()[0] for line in capsys.readouterr().err.splitlines()] == ["0:00", "0:00", "1:02:05"]
