"""Variants of a kernel: every seed as a point, and curves over the readings."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from akrig.paper.benchmark.figures import Band
from akrig.plots.style import light_grid, marks, style

_SPREAD = 0.22  # to either side of a variant's place, so that seeds do not hide one another
_LATER = 0.1  # share of the mission after which values must fit into the panel
_PATTERNS = ("-", (0, (1, 1)), (0, (5, 2)), (0, (3, 1, 1, 1)))


def variants_figure(panels: Mapping[str, Mapping[str, Mapping[str, np.ndarray]]], *, variants: Sequence[str]) -> Figure:
    """A row per score, a column per field: each seed as a point, the mean as a line.

    Args:
        panels: values of all seeds, by score, field and variant.
    """
    looks = marks(variants)
    fields = list(dict.fromkeys(field for by_field in panels.values() for field in by_field))
    with style():
        size = (max(2.4 * len(fields), 3.4) + 0.2, 2.2 * len(panels) + 0.3)
        figure = plt.figure(figsize=size, layout="constrained")
        axes = figure.subplots(len(panels), len(fields), squeeze=False)
        for i, (score, by_field) in enumerate(panels.items()):
            for j, field in enumerate(fields):
                _draw_points(axes[i, j], by_field.get(field, {}), variants, looks)
                axes[i, j].set_title(field if i == 0 else "")
                axes[i, j].set_ylabel(score if j == 0 else "")
    return figure


def _draw_points(
    axis: Axes, values: Mapping[str, np.ndarray], variants: Sequence[str], looks: Mapping[str, dict]
) -> None:
    for place, variant in enumerate(variants):
        seeds = values.get(variant, np.empty(0))
        if not len(seeds):
            continue
        aside = np.linspace(-_SPREAD, _SPREAD, len(seeds)) if len(seeds) > 1 else np.zeros(1)
        spots = {"linestyle": "none", "markersize": 4, "markeredgecolor": "white", "markeredgewidth": 0.4}
        axis.plot(place + aside, seeds, alpha=0.75, **looks[variant], **spots)
        axis.hlines(seeds.mean(), place - 0.34, place + 0.34, color=looks[variant]["color"], linewidth=2.2, zorder=3)
    axis.set_xticks(range(len(variants)), variants)
    axis.set_xlim(-0.6, len(variants) - 0.4)
    axis.yaxis.set_major_locator(MaxNLocator(5))
    light_grid(axis)


def variant_curves_figure(panels: Mapping[str, Mapping[str, Band]], *, variants: Sequence[str], name: str) -> Figure:
    """A panel per field: a score against the readings, mean and one standard deviation over seeds.

    Args:
        panels: by field and variant.
        name: of the score.
    """
    looks = marks(variants)
    lines = {
        variant: {"color": looks[variant]["color"], "linestyle": _PATTERNS[place % len(_PATTERNS)], "linewidth": 1.6}
        for place, variant in enumerate(variants)
    }
    columns = min(len(panels), 4)
    rows = -(-len(panels) // columns)
    with style():
        size = (max(2.5 * columns, 3.4) + 0.2, 2.3 * rows + 0.4)
        figure = plt.figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for place, (axis, (field, curves)) in enumerate(zip(axes, panels.items(), strict=False)):
            _draw_curves(axis, curves, lines)
            axis.set(title=field, xlabel="readings", ylabel=name if place % columns == 0 else "")
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        handles = [Line2D([], [], label=variant, **lines[variant]) for variant in variants]
        figure.legend(handles=handles, loc="outside upper center", ncols=len(variants), handlelength=3)
    return figure


def _draw_curves(axis: Axes, curves: Mapping[str, Band], lines: Mapping[str, dict]) -> None:
    later = []
    for variant, (samples, mean, std) in curves.items():
        axis.fill_between(samples, mean - std, mean + std, color=lines[variant]["color"], alpha=0.15, linewidth=0)
        axis.plot(samples, mean, **lines[variant])
        settled = samples >= samples[0] + _LATER * (samples[-1] - samples[0])
        later += [(mean - std)[settled], (mean + std)[settled]]
    values = np.concatenate(later) if later else np.empty(0)
    if len(values) and np.isfinite(values).all() and np.ptp(values) > 0:
        margin = 0.06 * np.ptp(values)
        axis.set_ylim(values.min() - margin, values.max() + 4 * margin)
    axis.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    axis.yaxis.set_major_locator(MaxNLocator(5))
    light_grid(axis)
