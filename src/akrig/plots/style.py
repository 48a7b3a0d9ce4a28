"""Colours and manners that all figures share."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt

TRUTH, PREDICTION, BAND, READING = "#1b1b1b", "#0b6e99", "#9fd0e6", "#c8452d"

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
