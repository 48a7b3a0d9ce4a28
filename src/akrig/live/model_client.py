"""Asks the model, which is in a process of its own, without holding up the loop that serves the page."""

import asyncio
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from akrig.errors import AkrigError
from akrig.live.maps import DAMAGED
from akrig.live.model_worker import start_worker

MOST_WAITING = 6  # questions; more are turned away at once
LONGEST = 120.0  # seconds for an answer; the first includes loading torch


class Unavailable(AkrigError, RuntimeError):
    """The model's process is busy or failed; the page can do without."""


class ModelClient:
    """One process, begun when first needed and again if it ends."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._waiting = 0

    async def ask(self, question: Callable[..., Any], *arguments: Any) -> Any:
        """`Unavailable` if that cannot be told now."""
        if self._waiting >= MOST_WAITING:
            raise Unavailable("Too many questions at once; ask again later.")
        self._waiting += 1
        try:
            return await asyncio.wait_for(asyncio.wrap_future(self._started().submit(question, *arguments)), LONGEST)
        except BrokenProcessPool as error:
            self.close()
            raise Unavailable("The process that asks the model ended; ask again.") from error
        except (AkrigError, TimeoutError, *DAMAGED) as error:
            raise Unavailable(f"The model cannot be asked ({error}).") from error
        finally:
            self._waiting -= 1

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")  # a fork would share the page's sockets
            self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=start_worker, initargs=(os.getpid(),))
        return self._pool

    def close(self) -> None:
        """Waits for the process to have ended; what it shares with this one is left behind otherwise, and told of."""
        if self._pool is None:
            return
        pool, self._pool = self._pool, None
        for process in list((pool._processes or {}).values()):  # it may be just starting, or at work for long
            process.kill()
        pool.shutdown(wait=True, cancel_futures=True)
