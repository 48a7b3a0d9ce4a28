"""Several models of one field side by side: their final maps in a figure, their final scores in a table."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patheffects import Normal, Stroke

from akrig.colours import value_colours
from akrig.geometry import Box
from akrig.metric_parts import METRICS
from akrig.paper.benchmark.tables import best_of, metric_number
from akrig.paper.writing import GroupedRows, ReportTable
from akrig.plots.panel import (
    Limits,
    Surface,
    cells_extent,
    doubt_limits,
    draw_layer,
    dress,
    extension,
    follows_path,
    hide_ticks,
    value_limits,
)
from akrig.plots.style import DOUBT_MAP, HALO, PATH, colour_bar, style, with_units
from akrig.study.results import Result, Results

MAPS_CAPTION = (
    "Truth and predictions share one colour scale, uncertainty (one standard deviation of a reading) and absolute "
    "error the other. A good map is dark in the same places in both."
)
_WIDTH = 9.6
_FEW = 2
_MAPS = ("Prediction", "Uncertainty", "Absolute error")


@dataclass(frozen=True, eq=False)
class MapRow:
    """A model's map on a grid of cell middles, row 0 south, and the readings it is made of, (n, 2)."""

    x: np.ndarray
    y: np.ndarray
    mean: np.ndarray
    std: np.ndarray
    truth: np.ndarray
    readings: np.ndarray

    @property
    def box(self) -> Box:
        return Box((self.x[0], self.y[0]), (self.x[-1], self.y[-1]))

    @property
    def surface(self) -> Surface:
        return Surface(cells_extent(self.x, self.y), self.mean, self.std, self.truth, np.abs(self.mean - self.truth))

    @property
    def is_path(self) -> bool:
        return follows_path(self.readings, self.box)


def snapshots_figure(snapshots: Mapping[str, MapRow], *, quantity: str, units: str) -> Figure:
    """The truth, then three maps per model; scales are shared: one for the field, one for uncertainty and error.

    One or two models are rows, more of them columns.
    """
    surfaces = {name: snapshot.surface for name, snapshot in snapshots.items()}
    first = next(iter(snapshots.values()))
    ratio = first.box.size[1] / first.box.size[0]
    as_rows = len(snapshots) <= _FEW
    rows, columns = (len(snapshots), 4) if as_rows else (3, 1 + len(snapshots))
    panel = min(_WIDTH / columns, 3.1)
    value, doubt = value_limits(list(surfaces.values())), doubt_limits(surfaces.values())
    with style():
        layout = ConstrainedLayoutEngine(compress=True, w_pad=0.03, h_pad=0.03)
        size = (columns * panel + (0.2 if as_rows else 0.9), rows * (panel * ratio + 0.22) + (0.9 if as_rows else 0.3))
        figure = plt.figure(figsize=size, layout=layout)
        axes = figure.subplots(rows, columns, squeeze=False)
        _draw_truth(axes[0, 0], first, value, colours=value_colours(quantity))
        for axis in axes[1:, 0]:
            axis.set_axis_off()
        parts = axes[:, 1:].T if not as_rows else axes[:, 1:]  # a row per model
        for panels, (name, snapshot) in zip(parts, snapshots.items(), strict=True):
            _draw_model(list(panels), snapshot, surfaces[name], value, doubt, colours=value_colours(quantity))
        _name(parts, list(snapshots), as_rows=as_rows)
        labels = with_units(quantity or "value", units), with_units("std, absolute error", units)
        _bars(figure, parts, list(surfaces.values()), labels, as_rows=as_rows)
        handles, names = parts[0, 1].get_legend_handles_labels()
        if rows > 1:
            axes[1, 0].legend(handles, names, loc="upper left", handlelength=1.4, borderaxespad=0)
    return figure


def _draw_truth(axis: Axes, snapshot: MapRow, limits: Limits, *, colours: str) -> None:
    surface = snapshot.surface
    assert surface.truth is not None
    draw_layer(axis, surface.truth, extent=surface.extent, colours=colours, limits=limits)
    dress(axis, snapshot.box)
    axis.set(xlabel="", ylabel="", title="Truth")


def _draw_model(
    axes: Sequence[Axes], snapshot: MapRow, surface: Surface, value: Limits, doubt: Limits, *, colours: str
) -> None:
    layers = ((surface.mean, colours, value), (surface.std, DOUBT_MAP, doubt), (surface.error, DOUBT_MAP, doubt))
    for axis, (layer, shades, limits) in zip(axes, layers, strict=True):
        assert layer is not None
        draw_layer(axis, layer, extent=surface.extent, colours=shades, limits=limits)
        hide_ticks(axis, snapshot.box)
    if snapshot.is_path:
        halo = [Stroke(linewidth=1.5, foreground=HALO, alpha=0.7), Normal()]
        axes[1].plot(*snapshot.readings.T, color=PATH, linewidth=0.6, path_effects=halo, label="path", zorder=3)
    edge: dict[str, Any] = {"markeredgecolor": HALO, "markeredgewidth": 0.0 if snapshot.is_path else 0.3}
    dots = {"linestyle": "none", "marker": "o", "markersize": 1.6 if snapshot.is_path else 2.3, **edge}
    axes[1].plot(*snapshot.readings.T, color=PATH, label="readings", zorder=4, **dots)


def _name(parts: np.ndarray, models: Sequence[str], *, as_rows: bool) -> None:
    """Models and maps, above the first and to the left of the others."""
    above, aside = (_MAPS, models) if as_rows else (models, _MAPS)
    grid = parts if as_rows else parts.T
    for axis, name in zip(grid[0], above, strict=True):
        axis.set_title(name)
    for axis, name in zip(grid[:, 0], aside, strict=True):
        axis.set_ylabel(name, fontsize=10 if as_rows else 9)


def _bars(
    figure: Figure, parts: np.ndarray, surfaces: Sequence[Surface], labels: tuple[str, str], *, as_rows: bool
) -> None:
    upper = [layer for surface in surfaces for layer in (surface.truth, surface.mean)]
    lower = [layer for surface in surfaces for layer in (surface.std, surface.error)]
    groups = (parts[:, :1], parts[:, 1:]) if as_rows else (parts[-1:, :1], parts[-1:, 1:])
    for label, panels, layers in zip(labels, groups, (upper, lower), strict=True):
        image = panels[0, 0].images[0]
        beyond = extension(image.get_clim(), layers)
        place = {"location": "bottom" if as_rows else "right", "fraction": 0.08, "pad": 0.02}
        colour_bar(image, list(panels.ravel()), label, extend=beyond, aspect=15 * panels.shape[1], **place)


def snapshot_of(data: xr.Dataset) -> MapRow:
    layers = {name: data[name].transpose("y", "x").to_numpy().astype(np.float64) for name in ("mean", "std", "truth")}
    return MapRow(data["x"].to_numpy(), data["y"].to_numpy(), readings=data["reading_x"].to_numpy(), **layers)


def final_maps_figure(members: Results) -> Figure:
    """Of runs that differ in their kernel only."""
    maps = {result.label("kernel"): snapshot_of(result.data) for result in members}
    quantity, units = (str(members[0].data.attrs.get(name, "")) for name in ("quantity", "units"))
    return snapshots_figure(maps, quantity=quantity, units=units)


def final_scores(result: Result, names: Sequence[str]) -> dict[str, float]:
    """Of a mission, those of its last scoring; of a regression, those at its end."""
    found = {}
    for name in names:
        if name in result.data and "samples" in result.data[name].dims and result.data.sizes["samples"]:
            found[name] = float(result.data[name].to_numpy()[-1])
        else:
            found[name] = float(result.data.attrs.get(name, math.nan))
    return found


def group_label(result: Result) -> str:
    """What runs have in common that differ in their kernel only."""
    others = {axis: label for axis, label in result.labels.items() if not axis.startswith("kernel")}
    names = {"field": result.label("field"), **others}
    return ", ".join(f"seed {label}" if axis == "seed" else label for axis, label in names.items() if label)


def groups_of(results: Results) -> dict[str, Results]:
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(group_label(result), []).append(result)
    return {name: Results(members) for name, members in groups.items()}


def final_scores_table(
    results: Results, names: Sequence[str], *, more: Mapping[str, Callable[[Result], str]] | None = None
) -> ReportTable:
    """A row per run, grouped by all but the kernel; the best of each group in bold.

    Args:
        more: columns, and what stands in them.
    """
    rows, more = GroupedRows(), more or {}
    for group, members in groups_of(results).items():
        rows.begin(group, [result.label("kernel") for result in members])
        scores = [final_scores(result, names) for result in members]
        for name in names:
            column = [row[name] for row in scores]
            rows.add([metric_number(value, name) for value in column], best_of(column, METRICS[name]))
        for shown in more.values():
            rows.add([shown(result) for result in members])
    return rows.table(["Map", "Kernel", *(METRICS[name].label for name in names), *more])
