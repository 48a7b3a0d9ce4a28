"""Ctrl-C that is noted when it comes, and raised where nothing is half done."""

import signal
import threading
import time
from collections.abc import Callable

import pytest

from akrig.workers.interrupts import DeferredInterrupt


@pytest.fixture(autouse=True)
def handler():
    """A terminal's, whatever runs the tests; put back in the end."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def ending(body: Callable[[DeferredInterrupt], None], interrupt: DeferredInterrupt | None = None) -> type | None:
    """What ends a deferral in which this is done."""
    try:
        with interrupt or DeferredInterrupt() as entered:
            body(entered)
    except BaseException as error:
        return type(error)
    return None


def press_soon() -> None:
    """Ctrl-C, while the main thread waits: it is the one that a terminal's signal interrupts."""
    threading.Timer(0.1, signal.pthread_kill, [threading.main_thread().ident, signal.SIGINT]).start()


def test_ctrl_c_leaves_no_lock_taken_and_ends_the_next_wait():
    lock = threading.Lock()

    def work(interrupt: DeferredInterrupt) -> None:
        lock.acquire()
        signal.raise_signal(signal.SIGINT)  # Python's own handler would end it here, between the two
        lock.release()
        interrupt.wait(60)

    assert ending(work) is KeyboardInterrupt
    assert not lock.locked()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_during_a_wait_ends_it():
    def work(interrupt: DeferredInterrupt) -> None:
        press_soon()
        interrupt.wait(60)

    assert ending(work) is KeyboardInterrupt


def test_ctrl_c_that_nobody_looked_for_is_raised_in_the_end():
    after = []

    def work(interrupt: DeferredInterrupt) -> None:
        signal.raise_signal(signal.SIGINT)
        after.append("went on")

    assert ending(work) is KeyboardInterrupt
    assert after == ["went on"]


def test_a_second_ctrl_c_ends_whatever_is_waited_for():
    def work(interrupt: DeferredInterrupt) -> None:
        signal.raise_signal(signal.SIGINT)
        press_soon()
        assert not threading.Event().wait(60)
        after.append("waited to the end")

    after: list[str] = []
    assert ending(work) is KeyboardInterrupt
    assert not after


def test_an_error_is_not_hidden_by_an_interrupt():
    def work(interrupt: DeferredInterrupt) -> None:
        signal.raise_signal(signal.SIGINT)
        raise ValueError("disk")

    assert ending(work) is ValueError


def test_each_time_anew():
    interrupt = DeferredInterrupt()
    assert ending(lambda _: signal.raise_signal(signal.SIGINT), interrupt) is KeyboardInterrupt
    assert ending(lambda _: interrupt.wait(0), interrupt) is None


def test_where_ctrl_c_is_ignored_it_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with DeferredInterrupt() as interrupt:
        signal.raise_signal(signal.SIGINT)
        interrupt.wait(0.01)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_another_thread_leaves_ctrl_c_to_the_main_one():
    def look() -> None:
        with DeferredInterrupt() as interrupt:
            seen.append(signal.getsignal(signal.SIGINT))
            interrupt.check()

    seen: list[object] = []
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


def test_a_wait_without_ctrl_c_lasts():
    with DeferredInterrupt() as interrupt:
        began = time.monotonic()
        interrupt.wait(0.1)
        assert time.monotonic() - began >= 0.1
