"""Colours and manners that all figures share."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
from akrig.parts import KERNELS, OTHER_COLOUR

TRUTH, PREDICTION, BAND, READING = "#1b1b1b", "#0b6e99", "#9fd0e6", "#c8452d"
PATH, PILOT, HALO = "#0a3d56", "#1298c9", "#ffffff"
NOMINAL = "#8a9096"
_MARKS = (PATH, PILOT, HALO, READING, TRUTH, PREDICTION)

# Perceptually even, and told apart at a glance: what the field is, how far off the map may be, how far it can see.
DOUBT_MAP, LENGTH_MAP, SHARE_MAP = DOUBTS, LENGTHS, "Blues"

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
    marks = np.array([to_rgb(colour) for colour in _MARKS])
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
