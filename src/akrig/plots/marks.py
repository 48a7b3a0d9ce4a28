"""Colours with a mark each, so that lines and points are told apart without seeing colours."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from akrig.parts import KERNELS, OTHER_COLOUR, REFERENCE, find
from akrig.plots.style import kernel_colour

_COLOURS = ("#0b6e99", "#c8452d", "#c98a00", "#8460ad", "#2f8f5f", "#5f666d")
_MARKS = ("o", "s", "^", "D", "v", "P", "X")
_FREE_MARKS = [mark for mark in _MARKS if mark not in {part.mark for part in KERNELS.values()}]
_FREE_COLOURS = (OTHER_COLOUR, "#7b3f61", "#6b5a2e", "#3c4a99")
_FREE_LINES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1, 1)), (0, (3, 1, 1, 1)))


def kernel_marks(kernels: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The same for a kernel in every figure; those we do not know get one each."""
    return {name: {"color": look["color"], "marker": look["marker"]} for name, look in _looks(kernels).items()}


def kernel_lines(kernels: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Patterns tell kernels apart where colours do not; the kernel that others are compared with is wider."""
    return {
        name: {k: look[k] for k in ("color", "linestyle")} | {"linewidth": 1.9 if name == REFERENCE else 1.5}
        for name, look in _looks(kernels).items()
    }


def _looks(kernels: Sequence[str]) -> dict[str, dict[str, Any]]:
    looks, strangers = {}, 0
    for kernel in kernels:
        part, colour = find(KERNELS, kernel.lower()), kernel_colour(kernel)
        if not part.mark:
            free = (_FREE_COLOURS, _FREE_MARKS, _FREE_LINES)
            free_colour, mark, line = (all_free[strangers % len(all_free)] for all_free in free)
            colour = free_colour if colour == OTHER_COLOUR else colour  # a variant of ours has our colour
            part, strangers = replace(part, mark=mark, line=line), strangers + 1
        looks[kernel] = {"color": colour, "marker": part.mark, "linestyle": part.line}
    return looks


def marks(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """For things that are no kernels: fields, variants."""
    return {
        name: {"color": _COLOURS[place % len(_COLOURS)], "marker": _MARKS[place % len(_MARKS)]}
        for place, name in enumerate(names)
    }
