"""The route that is planned, the lawnmower it was compared with, and what each is expected to leave."""

from dataclasses import dataclass

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from akrig.journal.record import Record
from akrig.plots.formatting import amount, counted, length, percent
from akrig.plots.panel import dress, path_halo, shape_ratio
from akrig.plots.places import draw_scale_bar, draw_surroundings, frame_of, label_degrees
from akrig.plots.style import NOMINAL, PATH, PILOT, style
from akrig.types import Foresight, Plan

_PANEL, _HIGHEST = 4.2, 5.6  # inches of a map, whose letters a phone does not shrink much


@dataclass(frozen=True, eq=False)
class Moment:
    """A plan of a planner that looks farther, and how many readings there were before it."""

    readings: int
    plan: Plan
    foresight: Foresight


def moments(record: Record) -> list[Moment]:
    """All plans that tell more than where to go next, in their order."""
    plans, readings = [], 0
    for epoch in record.epochs:
        plans.append((readings, epoch.plan))
        readings += len(epoch.measurements)
    if record.under_way is not None:
        plans.append((readings, record.under_way))
    return [Moment(before, plan, plan.foresight) for before, plan in plans if plan.foresight is not None]


def has_foresight(record: Record) -> bool:
    return record.workspace.dim == 2 and bool(moments(record))


def expected(foresight: Foresight, units: str) -> str:
    """`expected error 0.42 m; lawnmower 0.55 m`."""
    route, lawnmower = foresight.route, foresight.lawnmower
    told = percent if foresight.is_share else lambda error: amount(error, units)
    begin = "expected to leave" if foresight.is_share else "expected error"
    end = " of what is not known" if foresight.is_share else ""
    beside = "" if lawnmower is None else f"; lawnmower {told(lawnmower.error)}"
    return f"{begin} {told(route.error)}{end}{beside}"


def foresight_figure(record: Record, *, is_narrow: bool = False) -> Figure:
    """A few plans, the first among them, beside each other or for a phone one above the other.

    The latest is shown while a mission runs; of one that has ended, it is the few metres that nothing was left of.
    """
    found = moments(record)
    last = len(found) - 1 if record.ended is None else 2 * len(found) // 3
    shown = [found[place] for place in sorted({0, last // 2, last})]
    height = min(_PANEL * shape_ratio(record), _HIGHEST) + 0.8
    rows, columns = (len(shown), 1) if is_narrow else (1, len(shown))
    with style():
        size = (_PANEL * columns if columns > 1 else 1.25 * _PANEL, height * rows + 0.5)
        figure = plt.figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for place, (axis, moment) in enumerate(zip(axes, shown, strict=True)):
            _draw(axis, record, moment)
            dress(axis, record.workspace, left=is_narrow or place == 0)
            if (frame := frame_of(record)) is not None:
                label_degrees(axis, record.workspace, frame)
                draw_scale_bar(axis, record.workspace)
        figure.legend(handles=_legend(shown), loc="outside lower center", ncols=2 if columns == 1 else 4)
    return figure


def _draw(axis: Axes, record: Record, moment: Moment) -> None:
    draw_surroundings(axis, record)
    seen, foresight = record.samples.X[: moment.readings], moment.foresight
    axis.plot(*seen.T, ".", color=PILOT, markersize=2.2, zorder=2)
    if foresight.lawnmower is not None:
        axis.plot(*foresight.lawnmower.places.T, color=NOMINAL, linewidth=1.0, linestyle="--", zorder=3)
    places = foresight.route.places
    axis.plot(*places.T, color=PATH, linewidth=1.1, path_effects=path_halo(), zorder=4)
    begin = [places[:1], moment.plan.waypoints]
    axis.plot(*zip(*(place for part in begin for place in part), strict=True), color=PATH, linewidth=2.6, zorder=5)
    axis.plot(*places[0], "o", color=PATH, markersize=4.5, zorder=6, clip_on=False)
    when = f"after {counted(moment.readings, 'reading')}" if moment.readings else "before the first reading"
    told = expected(foresight, record.units)
    axis.set_title(f"Planned {when}: {length(foresight.route.metres)}\n{told}", fontsize=8.5, linespacing=1.5)


def _legend(shown: list[Moment]) -> list[Line2D]:
    """Of what is drawn anywhere."""
    entries = [
        Line2D([], [], color=PATH, linewidth=2.6, label="driven first"),
        Line2D([], [], color=PATH, linewidth=1.1, label="the rest of the route"),
    ]
    if any(moment.foresight.lawnmower is not None for moment in shown):
        entries.append(Line2D([], [], color=NOMINAL, linewidth=1.0, linestyle="--", label="lawnmower as long"))
    if any(moment.readings for moment in shown):
        entries.append(Line2D([], [], color=PILOT, marker=".", linestyle="none", label="readings so far"))
    return entries
