"""Loops compiled by numba and kept on disk, and compiled again when a source of theirs has changed.

Numba keys what it keeps on the file that a function stands in. Ours are compiled into each other across files, so the
key has the content of all of them.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from numba import njit
from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher


def _digest_of_sources() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


_SOURCES = _digest_of_sources()


class _LoopCache(FunctionCache):
    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (*super()._index_key(sig, codegen), _SOURCES)


def compiled_loop(
    *, fastmath: bool | set[str] = False, inline: Literal["never", "always"] = "never"
) -> Callable[[Callable], Any]:
    """`njit(cache=True)` for functions that call, or inline, those of other files in this folder."""

    def compiled(function: Callable) -> Any:
        loop: Any = njit(fastmath=fastmath, inline=inline, nogil=True)(function)
        if isinstance(loop, Dispatcher):  # not with NUMBA_DISABLE_JIT
            setattr(loop, "_cache", _LoopCache(function))  # noqa: B010 - pyright does not know it
        return loop

    return compiled
