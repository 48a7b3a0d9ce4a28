"""Figures of a benchmark: how each kernel's map gets better, and how far the numbers are from the paper's."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from akrig.plots.style import kernel_lines, style

Band = tuple[np.ndarray, np.ndarray, np.ndarray]  # samples, mean, standard deviation

_STEEP = 0.1  # share of the mission whose values must not flatten the rest of a panel
_TALL = 2.0  # of the later values' range
_FAR = 6.0  # standard deviations, where the colours of `differences_figure` end


def benchmark_curves_figure(
    panels: Mapping[tuple[str, str], Mapping[str, Band]], *, rows: Mapping[str, str], columns: Sequence[str]
) -> Figure:
    """Mean and one standard deviation over seeds against the number of readings.

    Args:
        panels: curves of each kernel, by metric and field.
        rows: metrics and what to call them.
        columns: fields.
    """
    kernels = list(dict.fromkeys(kernel for curves in panels.values() for kernel in curves))
    lines = kernel_lines(kernels)
    with style():
        size = (max(2.55 * len(columns), 3.4) + 0.2, 2.1 * len(rows) + 0.45)
        figure = plt.figure(figsize=size, layout="constrained")
        axes = figure.subplots(len(rows), len(columns), squeeze=False, sharex=True)
        for i, (metric, name) in enumerate(rows.items()):
            for j, field in enumerate(columns):
                axis, curves = axes[i, j], panels.get((metric, field), {})
                _draw_bands(axis, curves, lines)
                axis.set_title(field if i == 0 else "")
                axis.set_ylabel(name if j == 0 else "")
                axis.set_xlabel("readings" if i == len(rows) - 1 else "")
        handles = [Line2D([], [], label=kernel, **lines[kernel]) for kernel in kernels]
        figure.legend(handles=handles, loc="outside upper center", ncols=max(len(kernels), 1), handlelength=3.2)
    return figure


def _draw_bands(axis: Axes, curves: Mapping[str, Band], lines: Mapping[str, dict[str, Any]]) -> None:
    for kernel, (samples, mean, std) in curves.items():
        axis.fill_between(samples, mean - std, mean + std, color=lines[kernel]["color"], alpha=0.16, linewidth=0)
        axis.plot(samples, mean, **lines[kernel])
    axis.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    axis.yaxis.set_major_locator(MaxNLocator(5))
    axis.grid(axis="y", color="#e6e9eb", linewidth=0.7)
    axis.set_axisbelow(True)
    _look_past_the_beginning(axis, curves)


def _look_past_the_beginning(axis: Axes, curves: Mapping[str, Band]) -> None:
    """The first readings can have many times the later ones' values."""
    later = []
    for samples, mean, std in curves.values():
        settled = samples >= samples[0] + _STEEP * (samples[-1] - samples[0])
        later += [(mean - std)[settled], (mean + std)[settled]]
    values = np.concatenate(later) if later else np.empty(0)
    if len(values) < 4 or not np.isfinite(values).all():
        return
    low, high = values.min(), values.max()
    begin, end = axis.get_ylim()
    if end - begin > _TALL * (high - low) > 0:
        axis.set_ylim(max(begin, low - 0.06 * (high - low)), min(end, high + 0.4 * (high - low)))


def differences_figure(
    differences: Mapping[tuple[str, str], Mapping[tuple[str, str], float]], *, within: float
) -> Figure:
    """Differences from the paper in its standard deviations, as a heat map; those beyond `within` are framed.

    Args:
        differences: rows (strategy, field) -> columns (metric, kernel) -> value.
    """
    rows = list(differences)
    columns = list(dict.fromkeys(column for values in differences.values() for column in values))
    grid = np.array([[differences[row].get(column, np.nan) for column in columns] for row in rows])
    with style():
        figure = plt.figure(figsize=(0.42 * len(columns) + 1.8, 0.3 * len(rows) + 1.5), layout="constrained")
        axis = figure.subplots()
        image = axis.imshow(grid, cmap="RdBu_r", vmin=-_FAR, vmax=_FAR, aspect="auto")
        for (i, j), value in np.ndenumerate(grid):
            if np.isfinite(value):
                _write_difference(axis, i, j, value, within)
        _name_groups(axis, rows, columns)
        bar = figure.colorbar(image, ax=axis, fraction=0.025, pad=0.01, extend="both")
        bar.set_label("paper's standard deviations\n(red: ours is worse)")
    return figure


def _write_difference(axis: Axes, i: int, j: int, value: float, within: float) -> None:
    text = f"{value:+.1f}" if abs(value) < 9.95 else f"{value:+.0f}"
    colour = "white" if abs(value) > 0.7 * _FAR else "#1b1b1b"
    text = text.replace("-0.0", "+0.0").replace("-", "\u2212")
    axis.text(j, i, text, ha="center", va="center", fontsize=7.5, color=colour)
    if abs(value) > within:
        axis.add_patch(Rectangle((j - 0.46, i - 0.44), 0.92, 0.88, fill=False, edgecolor="#1b1b1b", linewidth=1.1))


def _name_groups(axis: Axes, rows: list[tuple[str, str]], columns: list[tuple[str, str]]) -> None:
    axis.set_yticks(range(len(rows)), [f"{strategy}  {field}" for strategy, field in rows], fontsize=7.5)
    axis.set_xticks(range(len(columns)), [kernel for _, kernel in columns], rotation=60, ha="right", fontsize=7.5)
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    for j, (metric, _) in enumerate(columns):
        if j == 0 or columns[j - 1][0] != metric:
            axis.axvline(j - 0.5, color="white", linewidth=3)
            size = sum(name == metric for name, _ in columns)
            axis.text(j + (size - 1) / 2, -0.75, metric, ha="center", va="bottom", fontsize=9, fontweight="bold")
    for i, (strategy, _) in enumerate(rows):
        if i and rows[i - 1][0] != strategy:
            axis.axhline(i - 0.5, color="white", linewidth=3)
