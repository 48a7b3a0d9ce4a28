"""Ctrl-C while somebody else's threads are at work: noted at once, acted on where nothing is half done."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SECONDS_BETWEEN_LOOKS = 0.05


class DeferredInterrupt:
    """As a context, it notes Ctrl-C; only `check`, `wait`, the context's end and a second Ctrl-C raise it.

    Raised just anywhere, as Python does, it may leave a lock taken that dask's loop then waits for, for good. Where
    Ctrl-C is ignored (`nohup`), or not ours to handle (another thread), it stays as it is.
    """

    def __enter__(self) -> "DeferredInterrupt":
        self._is_noted = False
        in_main = threading.current_thread() is threading.main_thread()
        self._is_ours = in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self._is_ours:
            signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, /, *_: object) -> None:
        if self._is_ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if kind is None:
            self.check()

    def check(self) -> None:
        if self._is_noted:
            raise KeyboardInterrupt

    def wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.check()
            time.sleep(min(left, SECONDS_BETWEEN_LOOKS))

    def _note(self, *_: Any) -> None:
        if self._is_noted:  # somebody who has waited long enough
            raise KeyboardInterrupt
        self._is_noted = True


@contextmanager
def interrupts_later() -> Iterator[None]:
    """Threads and processes begun meanwhile never see Ctrl-C, which is this process's to handle, afterwards.

    Blocking it is not enough: Python unblocks it in the thread that starts the first process. Ignored, it is so for all
    processes; and one that comes meanwhile waits in this thread, which blocks it.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows: its consoles tell all their processes
        yield
        return
    in_main = threading.current_thread() is threading.main_thread()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if in_main else None
    try:
        yield
    finally:
        if in_main:
            signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
