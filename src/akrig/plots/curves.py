"""How a map gets better: scores over the number of readings, one line per record."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from akrig.journal.record import Record
from akrig.metric_parts import MetricPart
from akrig.plots.formatting import shared_units
from akrig.plots.style import NOMINAL, labels, light_grid, line_styles, style

_PARTS = {"plan": "#8460ad", "follow": "#c98a00", "fit": "#0b6e99", "look": "#9aa3ab"}  # the columns of timings.csv
_NAMES = {"look": "score"}
_ENOUGH_TO_SETTLE = 8  # epochs


def has_curves(records: Sequence[Record]) -> bool:
    """Whether any epoch has been scored or timed."""
    return bool(_scored_curves(records)) or any(len(_seconds(record)) for record in records)


def curves_figure(records: Sequence[Record], *, is_narrow: bool = False) -> Figure:
    """Every score that some record has, and the seconds that an epoch took.

    Args:
        is_narrow: for a phone: two in a row.
    """
    curves, timed = _scored_curves(records), any(len(_seconds(record)) for record in records)
    num_panels = len(curves) + timed
    if not num_panels:
        raise ValueError("No epoch has been scored yet: there is no curve to draw.")
    columns = min(num_panels, 2 if is_narrow else 4)
    rows = -(-num_panels // columns)
    with style():
        width = 2.1 if is_narrow else 2.6
        figure = plt.figure(figsize=(width * columns + 0.2, 2.15 * rows + 0.35), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for axis, metric in zip(axes, curves, strict=False):
            _draw_curve(axis, metric, records)
        if timed:
            _draw_seconds(axes[len(curves)], records)
        for place, axis in enumerate(axes):
            axis.set_visible(place < num_panels)
            axis.set_xlabel("readings" if place + columns >= num_panels else "")
        _legend(figure, axes[0], records, columns=1 if is_narrow else 4)
    return figure


def _scored_curves(records: Sequence[Record]) -> list[MetricPart]:
    """Those that any record was scored by."""
    scored = {metric.name: metric for record in records for metric in record.metrics if metric.has_curve}
    return [metric for metric in scored.values() if any(len(_scores(record, metric.name)) for record in records)]


def _scores(record: Record, column: str) -> np.ndarray:
    return record.scores.get(column, np.empty(0))


def _draw_curve(axis: Axes, metric: MetricPart, records: Sequence[Record]) -> None:
    for record, label, line in zip(records, labels(records), line_styles(records), strict=True):
        values = _scores(record, metric.name)
        if len(values):
            axis.plot(record.scores["samples"], values, label=label, **line, **_marks(len(values)))
    axis.set_title(metric.with_units(shared_units(records)))
    if metric.is_share and isinstance(metric.goal, float):
        axis.axhline(metric.goal, color=NOMINAL, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        axis.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g} %"))
        axis.set_ylim(min(0.9, axis.get_ylim()[0]), 1.005)
    elif metric.from_zero:
        axis.set_ylim(0, 1.05 * axis.get_ylim()[1])
    else:
        _look_at_the_settled_part(axis, [_scores(record, metric.name) for record in records])
    _tidy(axis)


def _marks(count: int) -> dict:
    """A line of few points shows them; a line of one would not be seen at all."""
    return {"marker": "o", "markersize": 3.5, "linewidth": 1.5} if count <= 12 else {"linewidth": 1.5}


def _look_at_the_settled_part(axis: Axes, columns: Sequence[np.ndarray]) -> None:
    """The first epochs can have a hundred times the later ones' values; they must not flatten the rest."""
    values, settled = np.concatenate(columns), np.concatenate([column[-(-len(column) // 5) :] for column in columns])
    if len(settled) < _ENOUGH_TO_SETTLE * len(columns) or not np.isfinite(settled).any():
        return
    low, high = np.nanmin(settled), np.nanmax(settled)
    if np.nanmax(values) - np.nanmin(values) > 4 * (high - low) > 0:
        axis.set_ylim(low - 0.1 * (high - low), high + 0.6 * (high - low))
        axis.text(0.98, 0.97, "first epochs off scale", transform=axis.transAxes, ha="right", va="top", fontsize=7)


def _seconds(record: Record) -> np.ndarray:
    columns = [record.timings[part] for part in _PARTS if part in record.timings]
    return np.sum(columns, axis=0) if columns else np.empty(0)


def _draw_seconds(axis: Axes, records: Sequence[Record]) -> None:
    """Parts of one record's epochs stacked, or the whole of each record's."""
    axis.set_title("Seconds per epoch")
    if len(records) == 1 and len(_seconds(records[0])) > 1:
        parts = {part: records[0].timings[part] for part in _PARTS if part in records[0].timings}
        colours = [_PARTS[part] for part in parts]
        axis.stackplot(
            _readings(records[0]),
            *parts.values(),
            labels=[_NAMES.get(part, part) for part in parts],
            colors=colours,
            linewidth=0,
        )
        box = {"frameon": True, "framealpha": 0.9, "edgecolor": "none"}
        axis.legend(loc="upper left", reverse=True, handlelength=1, labelspacing=0.25, **box)
    else:
        for record, line in zip(records, line_styles(records), strict=True):
            seconds = _seconds(record)
            axis.plot(_readings(record), seconds, **line, **_marks(len(seconds)))
    _look_at_the_settled_part(axis, [_seconds(record) for record in records])
    axis.set_ylim(bottom=0)
    _tidy(axis)


def _readings(record: Record) -> np.ndarray:
    """How many there were at the end of each timed epoch."""
    by_epoch = {epoch.index: epoch.used.readings for epoch in record.epochs}
    return np.array([by_epoch.get(int(index), np.nan) for index in record.timings.get("epoch", ())])


def _tidy(axis: Axes) -> None:
    axis.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    axis.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    light_grid(axis)


def _legend(figure: Figure, axis: Axes, records: Sequence[Record], *, columns: int) -> None:
    if len(records) > 1:
        handles, names = axis.get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper right", ncols=min(len(names), columns))
