"""How many threads LAPACK gets.

Factorising the matrices of a mission takes microseconds to milliseconds, less than it costs OpenBLAS and torch to fight
over the cores: measured on two cores, a training step at 100 readings takes ten times longer with two threads than with
one. Only large matrices gain from more.
"""

from contextlib import AbstractContextManager, nullcontext
from functools import cache

from threadpoolctl import ThreadpoolController

LARGE = 2000  # rows; from about here on two threads are faster than one


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


def blas_threads(num_rows: int) -> AbstractContextManager:
    """Within it, as many threads as pay for factorising matrices of this size; others' settings are put back."""
    return nullcontext() if num_rows >= LARGE else _blas().limit(limits=1)
