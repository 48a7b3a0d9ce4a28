"""Training and test scores after every step: where a model begins to learn its readings by heart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from akrig.plots.style import kernel_marks, light_grid, style

_COLUMNS = 3
_DASHES = (0, (3, 1.5))
_SETTLING = 0.02  # share of the steps that may leave the panel at its upper edge


@dataclass(frozen=True, eq=False)
class TrainingCurve:
    """One run's scores over its steps."""

    steps: np.ndarray
    train: np.ndarray
    test: np.ndarray


def overfitting_figure(panels: Mapping[str, Mapping[str, Sequence[TrainingCurve]]], *, name: str) -> Figure:
    """A panel per field: solid on the grid, dashed at the readings; a mark where the test score is best.

    Args:
        panels: by field and kernel, one curve per seed.
        name: of the score.
    """
    kernels = list(dict.fromkeys(kernel for curves in panels.values() for kernel in curves))
    looks = kernel_marks(kernels)
    columns = min(_COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    with style():
        figure = plt.figure(figsize=(3.2 * columns + 0.3, 2.75 * rows + 0.6), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for axis, (field, curves) in zip(axes, panels.items(), strict=False):
            _draw_panel(axis, curves, looks)
            axis.set_title(field)
        for place, axis in enumerate(axes[: len(panels)]):
            axis.set_ylabel(name if place % columns == 0 else "")
            axis.set_xlabel("training steps" if place + columns >= len(panels) else "")
        for axis in axes[len(panels) :]:
            axis.set_axis_off()
        _legend(figure, looks, beside=axes[len(panels)] if len(panels) < len(axes) else None)
    return figure


def _draw_panel(axis: Axes, curves: Mapping[str, Sequence[TrainingCurve]], looks: Mapping[str, dict]) -> None:
    for kernel, runs in curves.items():
        colour, mark = looks[kernel]["color"], looks[kernel]["marker"]
        for run in runs:
            axis.plot(run.steps, run.train, color=colour, linewidth=1.1, linestyle=_DASHES, zorder=2)
            axis.plot(run.steps, run.test, color=colour, linewidth=1.7, zorder=3)
            best = int(np.argmin(run.test))
            spot = {"markersize": 6.5, "markeredgecolor": "white", "markeredgewidth": 0.9, "linestyle": "none"}
            axis.plot(run.steps[best], run.test[best], color=colour, marker=mark, zorder=5, **spot)
    axis.axhline(0, color="0.55", linewidth=0.8, zorder=1)
    _look_past_the_beginning(axis, [run for runs in curves.values() for run in runs])
    axis.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    axis.yaxis.set_major_locator(MaxNLocator(6))
    light_grid(axis)


def _look_past_the_beginning(axis: Axes, runs: Sequence[TrainingCurve]) -> None:
    """The first steps may have far larger values than all others."""
    values = np.concatenate([part[int(_SETTLING * len(part)) :] for run in runs for part in (run.train, run.test)])
    values = values[np.isfinite(values)]
    if len(values):
        margin = 0.05 * (values.max() - values.min()) or 0.1
        axis.set_ylim(values.min() - margin, values.max() + margin)


def _legend(figure: Figure, looks: Mapping[str, dict], *, beside: Axes | None) -> None:
    """In the place of a panel, if one is left; else above."""
    kinds = [
        Line2D([], [], color="0.3", linewidth=1.7, label="test (grid)"),
        Line2D([], [], color="0.3", linewidth=1.1, linestyle=_DASHES, label="training (readings)"),
        Line2D([], [], color="0.3", marker="o", markersize=6.5, linestyle="none", label="best test score"),
    ]
    kernels = [
        Line2D([], [], linewidth=1.7, markersize=6.5, markeredgecolor="white", label=kernel, **look)
        for kernel, look in looks.items()
    ]
    if beside is not None:
        beside.legend(handles=[*kernels, *kinds], loc="center", fontsize=9, handlelength=3, labelspacing=0.7)
    else:
        figure.legend(handles=[*kernels, *kinds], loc="outside upper center", ncols=len(kernels) + len(kinds))
