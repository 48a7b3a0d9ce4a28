"""Missions over fields of one dimension: lines take the place of maps."""

from collections.abc import Sequence

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from akrig.journal.record import Record
from akrig.plots.attention import is_shared
from akrig.plots.line import draw_prediction
from akrig.plots.panel import num_pilot, value_label
from akrig.plots.style import (
    BAND,
    LENGTH_MAP,
    PILOT,
    PREDICTION,
    READING,
    colour_bar,
    labels,
    light_grid,
    style,
    with_units,
)

_WIDTH = 9.2
_MANY = 60  # readings; more are drawn smaller


def has_profile(record: Record) -> bool:
    """Whether it is a line, and finished: snapshots are kept of maps only."""
    return record.workspace.dim == 1 and record.map is not None


def profiles_figure(records: Sequence[Record]) -> Figure:
    """Of each record, truth, prediction and readings; beneath, its error against two standard deviations."""
    lines = [_line_of(record) for record in records]
    heights = [2.3, 1.1] * len(records)
    with style():
        figure = plt.figure(figsize=(_WIDTH, 0.95 * sum(heights) + 0.8), layout="constrained")
        axes = figure.subplots(len(heights), 1, sharex=True, height_ratios=heights)
        for place, (record, line, name) in enumerate(zip(records, lines, labels(records), strict=True)):
            above, beneath = axes[2 * place], axes[2 * place + 1]
            _draw_readings(above, record, line)
            above.set_title(name if len(records) > 1 else "")
            _draw_doubt(beneath, record, line)
        for alike in (axes[::2], axes[1::2]):
            limits = np.array([axis.get_ylim() for axis in alike])
            for axis in alike:
                axis.set_ylim(limits[:, 0].min(), limits[:, 1].max())
        _along(axes[-1], records[0])
        handles, names = axes[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper right", ncols=len(names), handlelength=1.4)
    return figure


def profile_attention_figure(record: Record) -> Figure:
    """The effective lengthscale along the line; beneath, weights and memberships as stacks."""
    line = _line_of(record)
    if "lengthscale" not in line:
        raise ValueError(f"{record.path} has no lengthscales: its kernel ({record.kernel_name}) is alike everywhere.")
    stacks = _stacks(line)
    heights = [1.6] + [1.1] * len(stacks)
    with style():
        figure = plt.figure(figsize=(_WIDTH, 0.95 * sum(heights) + 0.8), layout="constrained")
        axes = figure.subplots(len(heights), 1, sharex=True, height_ratios=heights, squeeze=False)[:, 0]
        _draw_lengthscale(axes[0], line)
        for axis, (name, title) in zip(axes[1:], stacks.items(), strict=True):
            _draw_shares(axis, line, name)
            axis.set_title(title)
        _along(axes[-1], record)
    return figure


def _stacks(line: xr.Dataset) -> dict[str, str]:
    """What is drawn beneath, and how it is called; weights that are also the memberships are drawn once."""
    titles = {"weights": "Weights of each lengthscale", "memberships": "Memberships"}
    stacks = {name: title for name, title in titles.items() if name in line}
    if len(stacks) == 2 and is_shared(*(line[name].to_numpy() for name in stacks)):
        return {"weights": "Weights of each lengthscale, and memberships (one network serves both)"}
    return stacks


def _line_of(record: Record) -> xr.Dataset:
    if record.workspace.dim != 1:
        raise ValueError(f"Lines need a field of one dimension; {record.path} has {record.workspace.dim}.")
    if record.map is None:
        raise ValueError(f"{record.path} has no map to draw; it is written when the mission ends.")
    return record.map


def _draw_readings(axis: Axes, record: Record, line: xr.Dataset) -> None:
    mean, std = line["mean"].to_numpy(), line["std"].to_numpy()
    truth = line["truth"].to_numpy() if "truth" in line else None
    draw_prediction(axis, line["x"].to_numpy(), mean=mean, std=std, truth=truth)
    X, y, pilot = record.samples.X[:, 0], record.samples.y, num_pilot(record)
    size = {"linestyle": "none", "marker": "o", "markersize": 3.4 if len(X) <= _MANY else 2.4, "zorder": 3}
    axis.plot(X[:pilot], y[:pilot], color=PILOT, label="pilot readings", **size)
    axis.plot(X[pilot:], y[pilot:], color=READING, label="readings", **size)
    axis.set_ylabel(value_label(record))
    _tidy(axis)


def _draw_doubt(axis: Axes, record: Record, line: xr.Dataset) -> None:
    """Where the error rises out of the band, the truth lies outside the 95 % interval."""
    x = line["x"].to_numpy()
    axis.fill_between(x, 2 * line["std"].to_numpy(), color=BAND, linewidth=0, label="two standard deviations")
    known = "error" in line
    if known:
        axis.plot(x, line["error"].to_numpy(), color=READING, linewidth=1.2, label="absolute error")
    axis.set_ylim(0, 1.35 * axis.get_ylim()[1])  # room for the legend
    axis.set_ylabel(with_units("error, 2 std" if known else "2 std", record.units))
    axis.legend(loc="upper right", ncols=2, handlelength=1.4)
    _tidy(axis)


def _draw_lengthscale(axis: Axes, line: xr.Dataset) -> None:
    axis.plot(line["x"].to_numpy(), line["lengthscale"].to_numpy(), color=PREDICTION, linewidth=1.4)
    axis.set_ylim(0, 1.1 * float(np.nanmax(line["lengthscale"].to_numpy())))
    axis.set_title("Effective lengthscale")
    axis.set_ylabel("lengthscale (m)")
    _tidy(axis)


def _draw_shares(axis: Axes, line: xr.Dataset, name: str) -> None:
    shares = line[name].to_numpy()
    if name == "weights":
        base = line["base"].to_numpy()
        scale = Normalize(base.min(), base.max())
        colours = mpl.colormaps[LENGTH_MAP](scale(base))
        colour_bar(plt.cm.ScalarMappable(scale, LENGTH_MAP), axis, "lengthscale (m)", pad=0.01, aspect=9)
    else:
        colours = mpl.colormaps["tab10"](np.arange(len(shares)) % 10)
    axis.stackplot(line["x"].to_numpy(), shares, colors=list(colours), linewidth=0)
    axis.set(ylim=(0, 1), yticks=[0, 0.5, 1])
    axis.tick_params(labelsize=8, length=2.5)


def _tidy(axis: Axes) -> None:
    axis.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    light_grid(axis)


def _along(axis: Axes, record: Record) -> None:
    """The workspace from end to end, in metres or kilometres."""
    (low,), (high,) = record.workspace.lower, record.workspace.upper
    in_km = max(high - low, abs(low), abs(high)) >= 3000
    axis.set_xlim(low, high)
    axis.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v / 1000 if in_km else v:g}"))
    axis.set_xlabel(f"x ({'km' if in_km else 'm'})")
