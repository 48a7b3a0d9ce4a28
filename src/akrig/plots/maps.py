"""The field, what the model makes of it, where it is unsure, and where it is wrong."""

from collections.abc import Iterable, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from akrig.colours import value_colours
from akrig.journal.record import Record
from akrig.plots.panel import (
    Surface,
    doubt_limits,
    draw_layer,
    draw_path,
    dress,
    extension,
    final_surface,
    hide_ticks,
    require_planar,
    shape_ratio,
    value_label,
    value_limits,
)
from akrig.plots.places import draw_contours, draw_scale_bar, draw_surroundings, frame_of, label_degrees
from akrig.plots.style import DOUBT_MAP, colour_bar, labels, style, with_units

_TITLES = {
    "truth": "Truth",
    "mean": "Prediction",
    "std": "Uncertainty",
    "error": "Absolute error",
}
_NARROW, _WIDE = 2.9, 3.7  # inches per panel, more where there are only two in a row
_PANEL, _HIGHEST = 4.2, 5.6  # inches of a map alone, whose letters a phone does not shrink much


def maps_figure(record: Record, *, columns: int | None = None) -> Figure:
    """Truth, prediction, uncertainty with the path, and error; without a truth, the two in the middle.

    Uncertainty (one standard deviation) and error share one scale, so that they can be held against each other.

    Args:
        columns: 4 or 2; if not given, one row unless the field is wide.
    """
    surface = _surface_of(record)
    names = ["truth", "mean", "std", "error"] if surface.truth is not None else ["mean", "std"]
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
        _legend(figure, axes.ravel()[names.index("std")])
    return figure


def panel_names(record: Record) -> list[str]:
    """What `panel_figure` can draw of a record, the prediction first."""
    known = _surface_of(record).truth is not None
    return ["mean", "std", "truth", "error"] if known else ["mean", "std"]


def panel_figure(record: Record, name: str) -> Figure:
    """One map alone, narrow enough for a phone: with its colour bar, a scale bar, and where on Earth it is."""
    surface, frame, ratio = _surface_of(record), frame_of(record), shape_ratio(record)
    with style():
        layout = ConstrainedLayoutEngine(w_pad=0.02, h_pad=0.03)
        figure = plt.figure(figsize=(_PANEL, min(_PANEL * ratio, _HIGHEST) + 1.1), layout=layout)
        axis = figure.subplots()
        _draw(axis, record, name, [surface])
        if name == "mean" and "survey" in record.settings:
            draw_contours(axis, surface, units=record.units)
        dress(axis, record.workspace)
        if frame is not None:
            label_degrees(axis, record.workspace, frame)
        draw_scale_bar(axis, record.workspace, over=surface.mean)
        axis.set_title(_TITLES[name])
        _bars(record, [surface], [axis], [name], location="bottom")
        handles, names = axis.get_legend_handles_labels()
        if handles:
            figure.legend(
                handles, names, loc="outside lower center", ncols=min(len(names), 4), handlelength=1.2,
                handletextpad=0.4, columnspacing=1.2,
            )  # fmt: skip
    return figure


def comparison_figure(records: Sequence[Record], *, is_narrow: bool = False) -> Figure:
    """A row per record: prediction, uncertainty with the path, error; scales are shared over the rows.

    Args:
        is_narrow: for a phone: a column per record.
    """
    if len({(record.field_source, record.workspace) for record in records}) != 1:
        raise ValueError("A comparison needs records of one field and one workspace.")
    surfaces = [_surface_of(record) for record in records]
    first, name_of = records[0], labels(records)
    names = ["mean", "std", "error"] if all(s.error is not None for s in surfaces) else ["mean", "std"]
    if is_narrow:
        return _narrow_comparison(records, surfaces, names)
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
        _legend(figure, axes[0, names.index("std")])
    return figure


def _narrow_comparison(records: Sequence[Record], surfaces: Sequence[Surface], names: Sequence[str]) -> Figure:
    first, rows, columns = records[0], len(names), len(records)
    panel = _PANEL / max(columns, 2)
    with style():
        layout = ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03)
        size = (_PANEL, rows * (panel * shape_ratio(first) + 0.2) + 1.5)
        figure = plt.figure(figsize=size, layout=layout)
        axes = figure.subplots(rows, columns, squeeze=False)
        for column, (record, label) in enumerate(zip(records, labels(records), strict=True)):
            for row, name in enumerate(names):
                _draw(axes[row, column], record, name, surfaces, of=column)
                hide_ticks(axes[row, column], record.workspace)
            axes[0, column].set_title(label.replace(", ", ",\n", 1), fontsize=8.5)
        for row, name in enumerate(names):
            axes[row, 0].set_ylabel(_TITLES[name], fontsize=8.5)
        draw_scale_bar(axes[0, 0], first.workspace)
        _bars(first, surfaces, axes, names, location="bottom")
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
        colours, limits = value_colours(record.quantity), value_limits(surfaces)
    else:
        colours, limits = DOUBT_MAP, doubt_limits(surfaces)
    draw_layer(axis, getattr(surface, name), extent=surface.extent, colours=colours, limits=limits)
    draw_surroundings(axis, record)
    if name == "std":
        draw_path(axis, record)


def _bars(
    record: Record, surfaces: Sequence[Surface], panels: Iterable[Any], names: Sequence[str], *, location: str
) -> None:
    """One colour bar for what the field is, one for how far off the map is; `panels` holds the axes of each name."""
    doubt = "standard deviation, absolute error" if "error" in names else "standard deviation"
    kinds_of = {value_label(record): ("truth", "mean"), with_units(doubt, record.units): ("std", "error")}
    for label, kinds in kinds_of.items():
        axes = [axis for name, panel in zip(names, panels, strict=True) if name in kinds for axis in np.ravel(panel)]
        if not axes:
            continue
        image = axes[0].images[0]
        layers = [getattr(surface, kind) for surface in surfaces for kind in kinds]
        shown = extension(image.get_clim(), layers)
        thickness = {"aspect": 26, "shrink": 0.8} if location == "right" else {"aspect": 32, "shrink": 0.75}
        colour_bar(image, axes, label, location=location, extend=shown, pad=0.02, **thickness)


def _legend(figure: Figure, axis: Axes) -> None:
    handles, names = axis.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper right", ncols=len(names), handlelength=1.3, handletextpad=0.5)
