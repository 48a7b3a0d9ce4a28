"""Colours and manners that all figures share."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal, cast

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colorbar import Colorbar
from matplotlib.colors import to_rgb

from akrig.colours import DOUBTS, LENGTHS, VALUES
from akrig.journal.record import Record
from akrig.parts import KERNELS, OTHER_COLOUR, REFERENCE, find

TRUTH, PREDICTION, BAND, READING = "#1b1b1b", "#0b6e99", "#9fd0e6", "#c8452d"
PATH, PILOT, HALO = "#0a3d56", "#1298c9", "#ffffff"
NOMINAL = "#8a9096"
_MARK_COLOURS = (PATH, PILOT, HALO, READING, TRUTH, PREDICTION)

# Perceptually even, and told apart at a glance: what the field is, how far off the map may be, how far it can see.
DOUBT_MAP, LENGTH_MAP, SHARE_MAP = DOUBTS, LENGTHS, "Blues"

# Colours with a mark each, so that lines and points are told apart without seeing colours.
_COLOURS = ("#0b6e99", "#c8452d", "#c98a00", "#8460ad", "#2f8f5f", "#5f666d")
_MARKS = ("o", "s", "^", "D", "v", "P", "X")
_FREE_MARKS = [mark for mark in _MARKS if mark not in {part.mark for part in KERNELS.values()}]
_FREE_COLOURS = (OTHER_COLOUR, "#7b3f61", "#6b5a2e", "#3c4a99")
_FREE_LINES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1, 1)), (0, (3, 1, 1, 1)))

_LINES = ("-", "--", ":", "-.")

_RC: dict[Any, Any] = {
    "figure.dpi": 150,
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "legend.fontsize": 8,
}


@contextmanager
def style() -> Iterator[None]:
    """No screen needed, and the caller's own settings are put back."""
    backend = mpl.get_backend()
    plt.switch_backend("agg")
    try:
        with mpl.rc_context(_RC):
            yield
    finally:
        plt.switch_backend(backend)


def kernel_colour(kernel_name: str) -> str:
    """The same for a kernel, and for variants of it, in every figure; kernels we do not know share one."""
    known = (part.colour for part in KERNELS.values() if kernel_name.lower().startswith(part.name))
    return next(known, OTHER_COLOUR)


def line_styles(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Colour says the kernel; the line's pattern tells records of one kernel apart."""
    styles, seen = [], Counter[str]()
    for record in records:
        colour = kernel_colour(record.kernel_name)
        styles.append({"color": colour, "linestyle": _LINES[seen[colour] % len(_LINES)]})
        seen[colour] += 1
    return styles


def shared_palette(*, shades: Sequence[int], greys: int) -> np.ndarray:
    """Colours (n, 3), 0 to 255, for pictures of few: so many of each colour map, greys for letters, and all marks."""
    names = (VALUES, DOUBT_MAP, LENGTH_MAP, SHARE_MAP)
    maps = [mpl.colormaps[name](np.linspace(0, 1, n))[:, :3] for name, n in zip(names, shades, strict=False)]
    letters = np.repeat(np.linspace(0, 1, greys)[:, None], 3, axis=1)
    marks = np.array([to_rgb(colour) for colour in _MARK_COLOURS])
    return np.round(255 * np.concatenate([*maps, letters, marks])).astype(np.uint8)


def labels(records: Sequence[Record]) -> list[str]:
    """Titles where they tell the records apart, else the names of their folders."""
    titles = [record.title for record in records]
    one_field = len({record.field_name for record in records}) == 1
    return titles if one_field and len(set(titles)) == len(titles) else [record.path.name for record in records]


def with_units(quantity: str, units: str) -> str:
    """A label: `elevation (m)`, or the bare name for what has no units."""
    return f"{quantity} ({units})" if units else quantity


def light_grid(axis: Axes, which: Literal["x", "y", "both"] = "y") -> None:
    """Behind what is drawn, with small ticks."""
    axis.grid(axis=which, color="#e6e9eb", linewidth=0.7)
    axis.set_axisbelow(True)
    axis.tick_params(labelsize=8, length=2.5)


def colour_bar(image: ScalarMappable, axes: Any, label: str, **place: Any) -> Colorbar:
    """Of an image, beside its axes, without a frame."""
    first = axes if isinstance(axes, Axes) else axes[0]
    bar = first.figure.colorbar(image, ax=axes, **place)
    bar.set_label(label, fontsize=8)
    bar.ax.tick_params(labelsize=8, length=2.5)
    cast(Artist, bar.outline).set_visible(False)
    return bar


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
