"""How a score depends on one factor after the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from akrig.plots.style import NOMINAL, light_grid, marks, style

_WIDE = 20  # times from the smallest to the largest value: then by their logarithm


@dataclass(frozen=True, eq=False)
class Dependence:
    """Of one field: values of the factor, and the score's mean and standard deviation over seeds."""

    values: np.ndarray
    mean: np.ndarray
    std: np.ndarray

    def above_best(self) -> "Dependence":
        """Where less is better."""
        return Dependence(self.values, self.mean - self.mean.min(), self.std)


def sensitivity_figure(
    panels: Mapping[str, Mapping[str, Dependence]], *, name: str, usual: Mapping[str, float], one_scale: bool = True
) -> Figure:
    """A panel per factor, a line per field, a band of one standard deviation where there are several seeds.

    Args:
        panels: by factor and field.
        name: of the score.
        usual: the value that each factor has in the benchmark, drawn as a dashed line.
        one_scale: for all panels.
    """
    fields = list(dict.fromkeys(field for lines in panels.values() for field in lines))
    looks = marks(fields)
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    with style():
        figure = plt.figure(figsize=(4.4 * columns, 2.75 * rows + 0.4), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False, sharey=one_scale)
        for place, (axis, (factor, lines)) in enumerate(zip(axes.ravel(), panels.items(), strict=False)):
            _draw_panel(axis, lines, looks)
            if factor in usual:
                axis.axvline(usual[factor], color=NOMINAL, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
            axis.set_title(factor)
            axis.set_ylabel(name if place % columns == 0 else "")
        for axis in axes.ravel()[len(panels) :]:
            axis.set_visible(False)
        handles = [Line2D([], [], label=field, markersize=5, linewidth=1.5, **looks[field]) for field in fields]
        if usual:
            dashed = {"color": NOMINAL, "linewidth": 1, "linestyle": (0, (4, 3))}
            handles.append(Line2D([], [], label="as in the benchmark", **dashed))
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


def _draw_panel(axis: Axes, lines: Mapping[str, Dependence], looks: Mapping[str, dict]) -> None:
    for field, line in lines.items():
        if np.isfinite(line.std).any():
            low, high = line.mean - line.std, line.mean + line.std
            axis.fill_between(line.values, low, high, color=looks[field]["color"], alpha=0.16, linewidth=0)
        axis.plot(line.values, line.mean, linewidth=1.5, markersize=5, **looks[field])
    _ticks_at(axis, sorted({float(value) for line in lines.values() for value in line.values}))
    axis.yaxis.set_major_locator(MaxNLocator(6))
    light_grid(axis)


def _ticks_at(axis: Axes, values: Sequence[float]) -> None:
    if values and min(values) > 0 and max(values) / min(values) > _WIDE:
        axis.set_xscale("log")
    axis.xaxis.set_major_locator(FixedLocator(values))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
