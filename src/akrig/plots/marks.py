"""Colours with a mark each, so that lines and points are told apart without seeing colours."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes

from akrig.plots.style import kernel_colour

_KERNEL_MARKS = {"attentive": "o", "rbf": "s", "gibbs": "^", "deep": "D", "matern": "v"}
_COLOURS = ("#0b6e99", "#c8452d", "#c98a00", "#8460ad", "#2f8f5f", "#5f666d")
_MARKS = ("o", "s", "^", "D", "v", "P", "X")


def kernel_marks(kernels: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The same for a kernel in every figure; those we do not know get a mark each."""
    left = [mark for mark in _MARKS if mark not in _KERNEL_MARKS.values()]
    marks, others = {}, 0
    for kernel in kernels:
        mark = _KERNEL_MARKS.get(kernel.lower())
        if mark is None:
            mark, others = left[others % len(left)], others + 1
        marks[kernel] = {"color": kernel_colour(kernel), "marker": mark}
    return marks


def marks(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """For things that are no kernels: fields, variants."""
    return {
        name: {"color": _COLOURS[place % len(_COLOURS)], "marker": _MARKS[place % len(_MARKS)]}
        for place, name in enumerate(names)
    }


def light_grid(axis: Axes) -> None:
    axis.grid(axis="y", color="#e6e9eb", linewidth=0.7)
    axis.set_axisbelow(True)
    axis.tick_params(labelsize=8, length=2.5)
