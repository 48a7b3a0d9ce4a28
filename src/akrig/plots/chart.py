"""A map of soundings as a picture and as a page."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from akrig.colours import value_colours
from akrig.files import read_bytes, write_bytes, write_text
from akrig.geometry import Box
from akrig.plots import page
from akrig.plots.panel import Surface, doubt_limits, draw_layer, dress, extension, value_limits
from akrig.plots.places import draw_scale_bar
from akrig.plots.save import compact, png_bytes
from akrig.plots.style import DOUBT_MAP, colour_bar, style, with_units

MOST_SHOWN = 1000  # cells along a side
WIDTH, DPI = 5.0, 130


def chart_figure(bands: Float[np.ndarray, "2 rows cols"], cell: float, *, quantity: str, units: str) -> Figure:
    """Prediction and its standard deviation, side by side, or one above the other if the map is wide.

    Args:
        bands: row 0 is the north edge.
        cell: side of a cell, metres.
    """
    _, rows, cols = bands.shape
    step = max(1, -(-max(rows, cols) // MOST_SHOWN))
    mean, std = (band[::step, ::step][::-1] for band in bands)
    around, ratio = Box((0.0, 0.0), (cols * cell, rows * cell)), rows / cols
    surface = Surface((0.0, cols * cell, 0.0, rows * cell), mean, std)
    across = 1 if ratio < 0.6 else 2
    with style():
        layout = ConstrainedLayoutEngine(w_pad=0.05, h_pad=0.05)
        height = min(WIDTH * ratio, 9.0) + 1.0
        figure = plt.figure(figsize=(across * WIDTH, (2 if across == 1 else 1) * height), layout=layout)
        axes = figure.subplots(2 // across, across).ravel()
        for axis, layer, title, colours, limits, label in (
            (axes[0], mean, "Prediction", value_colours(quantity), value_limits([surface]), quantity),
            (axes[1], std, "Uncertainty", DOUBT_MAP, doubt_limits([surface]), "standard deviation"),
        ):
            image = draw_layer(axis, layer, extent=surface.extent, colours=colours, limits=limits)
            dress(axis, around)
            draw_scale_bar(axis, around, over=layer)
            axis.set_title(title)
            extend = extension(limits, [layer])
            colour_bar(image, [axis], with_units(label, units), location="bottom", extend=extend, pad=0.02, shrink=0.8)
    return figure


def save_chart_figure(
    bands: Float[np.ndarray, "2 rows cols"], cell: float, path: Path, *, quantity: str, units: str
) -> None:
    """As a small PNG; nothing of a map without a cell is drawn but its frame."""
    shown = bands if np.isfinite(bands).any() else np.zeros_like(bands)
    write_bytes(path, compact(png_bytes(chart_figure(shown, cell, quantity=quantity, units=units), dpi=DPI)))


def write_chart_report(
    path: Path,
    *,
    title: str,
    picture: Path,
    sentences: Sequence[str],
    numbers: Sequence[tuple[str, str, str]],
    settings: Mapping[str, object],
) -> None:
    """One page that needs nothing else. Written beside and renamed.

    Args:
        numbers: label, value and a few words for each.
        settings: that the model was made by.
    """
    first, *more = sentences
    caption = "Left, or above, what the map says; beside it how far off that may be: one standard deviation."
    body = [
        page.header(eyebrow="akrig map", title=title, facts=[]),
        page.section("The map", [page.figure(read_bytes(picture), alt=f"Map of {title}", caption=caption, dpi=DPI)]),
        page.paragraph(first, kind="lead"),
        *map(page.paragraph, more),
        page.tiles(numbers),
        page.section("To repeat it", [page.settings_table(settings)]),
        page.footer(),
    ]
    write_text(path, page.document(title, body))
