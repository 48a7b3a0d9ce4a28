"""LAPACK's and BLAS's work on lower triangles, in place, while other threads go on.

A row-major lower triangle is a column-major upper one, so it is done on our arrays without a copy. scipy's own wrappers
hold Python's lock meanwhile; the same routines, from the same library, are called here without it.
"""

import ctypes
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numba.extending import get_cython_function_address

_int = ctypes.c_int
UPPER, TRANSPOSED, PLAIN, LEFT = (ctypes.c_char(letter) for letter in (b"U", b"T", b"N", b"L"))


def potrf(A: np.ndarray) -> bool:
    """The Cholesky factor of a matrix whose lower triangle is given, over it; is it positive definite?"""
    return _in_place("dpotrf", A, UPPER)


def potri(L: np.ndarray) -> bool:
    """The lower triangle of (L L^T)^-1, over L."""
    return _in_place("dpotri", L, UPPER)


def trtri(L: np.ndarray) -> bool:
    """The lower triangle of L^-1, over L."""
    return _in_place("dtrtri", L, UPPER, PLAIN)


def trsm(L: np.ndarray, rows: np.ndarray) -> None:
    """L^-1 applied to each row of `rows` (q, n), over it."""
    num, one = _int(len(L)), ctypes.c_double(1.0)
    _routine("cython_blas", "dtrsm", 11)(
        *(LEFT, UPPER, TRANSPOSED, PLAIN, num, _int(len(rows)), one),
        *(_begin(L), num, _begin(rows), num),
    )


def _in_place(name: str, A: np.ndarray, *letters: ctypes.c_char) -> bool:
    info, num = _int(0), _int(len(A))
    _routine("cython_lapack", name, len(letters) + 4)(*letters, num, _begin(A), num, info)
    return info.value == 0


def _begin(A: np.ndarray) -> ctypes.c_char:
    if A.dtype != np.float64 or not A.flags.c_contiguous or not A.flags.writeable:
        raise ValueError(f"LAPACK needs a writable row-major array of float64; got {A.dtype}, strides {A.strides}.")
    return ctypes.c_char.from_buffer(A.data) if A.size else ctypes.c_char()


@cache
def _routine(module: str, name: str, num_arguments: int) -> Callable[..., None]:
    """By reference, as Fortran takes them."""
    address = get_cython_function_address(f"scipy.linalg.{module}", name)
    return partial(_by_reference, ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * num_arguments)(address))


def _by_reference(routine: Callable[..., None], *arguments: Any) -> None:
    routine(*map(ctypes.byref, arguments))
