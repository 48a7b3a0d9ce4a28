"""How many threads LAPACK gets, and models that work side by side.

Factorising the matrices of a mission takes microseconds to milliseconds, less than it costs OpenBLAS and torch to fight
over the cores: measured on two cores, a training step at 100 readings takes ten times longer with two threads than with
one. Only large matrices gain from more.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, partial
from itertools import pairwise
from typing import TypeVar

import torch
from threadpoolctl import LibController, ThreadpoolController, threadpool_limits

LARGE = 2000  # rows; from about here on two threads are faster than one
FEWEST_ROWS = 100  # less work than that is not worth a thread
LEAST_WORK = 50_000  # for a thread, in numbers computed
T = TypeVar("T")


def side_by_side(acts: Sequence[Callable[[], T]], *, num_rows: int) -> list[T]:
    """The results of all, in order; in threads if torch was given more than one core (`torch.set_num_threads`).

    LAPACK and akrig's loops run without Python's lock. The threads are new each time: kept ones do not survive a fork.
    """
    if len(acts) < 2 or num_rows < FEWEST_ROWS or torch.get_num_threads() < 2:
        return [act() for act in acts]
    with _one_thread(), ThreadPoolExecutor(len(acts) - 1) as pool:
        others = [pool.submit(act) for act in acts[1:]]
        return [acts[0](), *(other.result() for other in others)]


def by_cores(act: Callable[[int, int], None], num: int, *, work: int) -> None:
    """`act(begin, end)` of parts of 0..num, side by side as far as the work, in numbers computed, is worth it."""
    cores = max(1, min(torch.get_num_threads(), work // LEAST_WORK))
    ends = [num * part // cores for part in range(cores + 1)]
    side_by_side([partial(act, *part) for part in pairwise(ends)], num_rows=FEWEST_ROWS)


def blas_threads(num_rows: int) -> AbstractContextManager[None]:
    """Within it, as many threads as pay for factorising matrices of this size; others' settings are put back."""
    return nullcontext() if num_rows >= LARGE else _one_thread()


@contextmanager
def _one_thread() -> Iterator[None]:
    before = [(library, threads) for library in _blas() if (threads := library.get_num_threads()) != 1]
    for library, _ in before:
        library.set_num_threads(1)
    try:
        yield
    finally:
        for library, threads in before:
            library.set_num_threads(threads)


@cache
def _blas() -> list[LibController]:
    return ThreadpoolController().select(user_api="blas").lib_controllers


@contextmanager
def one_thread_each() -> Iterator[None]:
    """As many jobs as cores share the machine: each gets one thread, whoever computes it."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        torch.set_num_threads(before)
