"""How many threads LAPACK gets.

Factorising the matrices of a mission takes microseconds to milliseconds, less than it costs OpenBLAS and torch to fight
over the cores: measured on two cores, a training step at 100 readings takes ten times longer with two threads than with
one. Only large matrices gain from more.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache

from threadpoolctl import LibController, ThreadpoolController

LARGE = 2000  # rows; from about here on two threads are faster than one


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
