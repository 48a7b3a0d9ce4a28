"""The field, what the model makes of it, where it is unsure, and where it is wrong."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from akrig.journal.record import Record
from akrig.plots.panel import (
    Surface,
    doubt_limits,
    draw_layer,
    draw_path,
    dress,
    extension,
    final_surface,
    require_planar,
    shape_ratio,
    value_label,
    value_limits,
)
from akrig.plots.style import DOUBT_MAP, VALUE_MAP, labels, style, with_units

_TITLES = {
    "truth": "Truth",
    "mean": "Prediction",
    "doubt": "Uncertainty (2 std)",
    "error": "Absolute error",
}
_NARROW, _WIDE = 2.9, 3.7  # inches per panel, more where there are only two in a row


def maps_figure(record: Record, *, columns: int | None = None) -> Figure:
    """Truth, prediction, uncertainty with the path, and error; without a truth, the two in the middle.

    Uncertainty (as two standard deviations) and error share one scale: where the error is the darker of the two, the
    truth lies outside the map's 95 % interval.

    Args:
        columns: 4 or 2; if not given, one row unless the field is wide.
    """
    surface = _surface_of(record)
    names = ["truth", "mean", "doubt", "error"] if surface.truth is not None else ["mean", "doubt"]
    if columns is None:
        columns = 2 if shape_ratio(record) < 0.6 else 4
    columns = min(columns, len(names))
    rows = len(names) // columns
    bars = "right" if rows > 1 else "bottom"
    with style():
        figure = _figure(rows, columns, shape_ratio(record), bars=bars)
        axes = figure.subplots(rows, columns, squeeze=False)
        for place, name in enumerate(names):
            row, column = divmod(place, columns)
            axis = axes[row, column]
            _draw(axis, record, name, [surface])
            dress(axis, record.workspace, left=column == 0, bottom=row == rows - 1)
            axis.set_title(_TITLES[name])
        _bars(record, [surface], axes.ravel(), names, location=bars)
        _legend(figure, axes.ravel()[names.index("doubt")])
    return figure


def comparison_figure(records: Sequence[Record]) -> Figure:
    """A row per record: prediction, uncertainty with the path, error; scales are shared over the rows."""
    if len({(record.field_name, record.workspace) for record in records}) != 1:
        raise ValueError("A comparison needs records of one field and one workspace.")
    surfaces = [_surface_of(record) for record in records]
    first, name_of = records[0], labels(records)
    names = ["mean", "doubt", "error"] if all(s.error is not None for s in surfaces) else ["mean", "doubt"]
    with style():
        figure = _figure(len(records), len(names), shape_ratio(first), bars="bottom")
        axes = figure.subplots(len(records), len(names), squeeze=False)
        for row, record in enumerate(records):
            for column, name in enumerate(names):
                axis = axes[row, column]
                _draw(axis, record, name, surfaces, of=row)
                dress(axis, record.workspace, left=column == 0, bottom=row == len(records) - 1)
                axis.set_title(_TITLES[name] if row == 0 else "")
            label = f"{name_of[row]}\n{axes[row, 0].get_ylabel()}"
            axes[row, 0].set_ylabel(label, fontsize=8.5, linespacing=1.6)
        _bars(first, surfaces, axes.T, names, location="bottom")
        _legend(figure, axes[0, names.index("doubt")])
    return figure


def _surface_of(record: Record) -> Surface:
    require_planar(record)
    surface = final_surface(record)
    if surface is None:
        raise ValueError(f"{record.path} has neither a map nor a snapshot to draw.")
    return surface


def _figure(rows: int, columns: int, ratio: float, *, bars: str) -> Figure:
    # As close as can be: what is too high would part the legend from its panels.
    width = _NARROW if columns > 2 else _WIDE
    height = rows * (width * ratio + 0.26) + (1.0 if bars == "bottom" else 0.55)
    layout = ConstrainedLayoutEngine(compress=True, w_pad=0.08)
    return plt.figure(figsize=(columns * width + (0.6 if bars == "bottom" else 1.15), height), layout=layout)


def _draw(axis: Axes, record: Record, name: str, surfaces: Sequence[Surface], *, of: int = 0) -> None:
    surface = surfaces[of]
    if name in ("truth", "mean"):
        colours, limits = VALUE_MAP, value_limits(surfaces)
    else:
        colours, limits = DOUBT_MAP, doubt_limits(surfaces)
    draw_layer(axis, getattr(surface, name), extent=surface.extent, colours=colours, limits=limits)
    if name == "doubt":
        draw_path(axis, record)


def _bars(
    record: Record, surfaces: Sequence[Surface], panels: Iterable[Any], names: Sequence[str], *, location: str
) -> None:
    """One colour bar for what the field is, one for how far off the map is; `panels` holds the axes of each name."""
    kinds_of = {
        value_label(record): ("truth", "mean"),
        _doubt_label(record, known="error" in names): ("doubt", "error"),
    }
    for label, kinds in kinds_of.items():
        axes = [axis for name, panel in zip(names, panels, strict=True) if name in kinds for axis in np.ravel(panel)]
        image = axes[0].images[0]
        layers = [getattr(surface, kind) for surface in surfaces for kind in kinds]
        shown = extension(image.get_clim(), layers)
        thickness = {"aspect": 26, "shrink": 0.8} if location == "right" else {"aspect": 32, "shrink": 0.75}
        bar = axes[0].figure.colorbar(image, ax=axes, location=location, extend=shown, pad=0.02, **thickness)
        bar.set_label(label, fontsize=8)
        bar.ax.tick_params(labelsize=8, length=2.5)
        cast(Artist, bar.outline).set_visible(False)


def _doubt_label(record: Record, *, known: bool) -> str:
    return with_units("two standard deviations, absolute error" if known else "two standard deviations", record.units)


def _legend(figure: Figure, axis: Axes) -> None:
    handles, names = axis.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper right", ncols=len(names), handlelength=1.3, handletextpad=0.5)
