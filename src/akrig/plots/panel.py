"""One map on one pair of axes: what the figures of maps, attention and growth share."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from matplotlib.patheffects import AbstractPathEffect, Normal, Stroke
from matplotlib.ticker import FuncFormatter, MaxNLocator

from akrig.geometry import Box, Pose
from akrig.journal.record import Record
from akrig.plots.style import HALO, PATH, PILOT, with_units

Limits = tuple[float, float]
Extent = tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class Surface:
    """What is known of a field at the end, row 0 south; `extent` is left, right, bottom, top in metres."""

    extent: Extent
    mean: np.ndarray
    std: np.ndarray
    truth: np.ndarray | None = None
    error: np.ndarray | None = None


def require_planar(record: Record) -> None:
    if record.workspace.dim != 2:
        raise ValueError(f"Maps need a field of two dimensions; {record.path} has {record.workspace.dim}.")


def final_surface(record: Record) -> Surface | None:
    """From the finished map, else from the last snapshot, else nothing."""
    if record.map is not None:
        layers = {name: record.map[name].to_numpy() for name in ("mean", "std", "truth", "error") if name in record.map}
        if "truth" in layers and "error" not in layers:  # somebody took it out; it says nothing new
            layers["error"] = np.abs(layers["mean"] - layers["truth"])
        return Surface(map_extent(record), **layers)
    if record.snapshots:
        last = record.snapshots[-1]
        return Surface(box_extent(record.workspace), last.mean, last.std)
    return None


def map_extent(record: Record) -> Extent:
    """The map's coordinates are the middles of its cells."""
    assert record.map is not None
    return cells_extent(record.map["x"].to_numpy(), record.map["y"].to_numpy())


def cells_extent(x: np.ndarray, y: np.ndarray) -> Extent:
    """Of cells with these middles, from edge to edge."""
    ends = []
    for middles in (x, y):
        half = (middles[-1] - middles[0]) / max(len(middles) - 1, 1) / 2
        ends += [float(middles[0] - half), float(middles[-1] + half)]
    return ends[0], ends[1], ends[2], ends[3]


def box_extent(box: Box) -> Extent:
    return box.lower[0], box.upper[0], box.lower[1], box.upper[1]


def value_label(record: Record) -> str:
    return with_units(record.quantity or "value", record.units)


def shape_ratio(record: Record) -> float:
    """Height over width."""
    width, height = record.workspace.size
    return height / width


def value_limits(surfaces: Sequence[Surface]) -> Limits:
    """Of the truth where it is known: a prediction that overshoots must not pale the field."""
    layers = [surface.mean if surface.truth is None else surface.truth for surface in surfaces]
    low, high = min(map(np.nanmin, layers)), max(map(np.nanmax, layers))
    return (float(low), float(high)) if low < high else (float(low) - 0.5, float(high) + 0.5)


def doubt_limits(surfaces: Iterable[Surface]) -> Limits:
    """One scale for uncertainty and error, without the few largest cells."""
    layers = [layer for surface in surfaces for layer in (surface.std, surface.error) if layer is not None]
    high = max(float(np.nanpercentile(layer, 99.5)) for layer in layers)
    return 0.0, high if high > 0 else 1.0


def extension(limits: Limits, layers: Iterable[np.ndarray | None]) -> str:
    """Which ends of a colour bar need an arrow, since cells lie beyond them."""
    known = [layer for layer in layers if layer is not None]
    margin = 0.005 * (limits[1] - limits[0])
    below = any(np.nanmin(layer) < limits[0] - margin for layer in known)
    above = any(np.nanmax(layer) > limits[1] + margin for layer in known)
    return {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}[below, above]


def draw_layer(axis: Axes, values: np.ndarray, *, extent: Extent, colours: str, limits: Limits) -> AxesImage:
    shades = mpl.colormaps[colours].with_extremes(bad="0.88")
    return axis.imshow(
        values,
        origin="lower",
        extent=extent,
        cmap=shades,
        vmin=limits[0],
        vmax=limits[1],
        interpolation="nearest",
        rasterized=True,
    )


def dress(axis: Axes, workspace: Box, *, left: bool = True, bottom: bool = True) -> None:
    """Equal aspect, the workspace's limits, and ticks in metres or kilometres where they are wanted."""
    lower, upper = workspace.lower, workspace.upper
    axis.set(xlim=(lower[0], upper[0]), ylim=(lower[1], upper[1]), aspect="equal")
    in_km = max(*workspace.size, *map(abs, lower), *map(abs, upper)) >= 3000
    for ticks, wanted in ((axis.xaxis, bottom), (axis.yaxis, left)):
        ticks.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        ticks.set_major_formatter(FuncFormatter(lambda v, _: f"{v / 1000 if in_km else v:g}"))
        ticks.set_tick_params(labelsize=8, length=2.5, color="0.5", labelbottom=wanted, labelleft=wanted)
    unit = "km" if in_km else "m"
    axis.set_xlabel(f"x ({unit})" if bottom else "", fontsize=8)
    axis.set_ylabel(f"y ({unit})" if left else "", fontsize=8)
    axis.spines[:].set(visible=True, color="0.6", linewidth=0.6)


def hide_ticks(axis: Axes, workspace: Box) -> None:
    """For small multiples whose place is known from a larger panel."""
    dress(axis, workspace, left=False, bottom=False)
    axis.tick_params(bottom=False, left=False)


def is_path(record: Record) -> bool:
    """Whether readings follow one another closely; a line through far jumps would only be a tangle."""
    return follows_path(record.samples.X, record.workspace)


def follows_path(X: np.ndarray, workspace: Box) -> bool:
    steps = np.linalg.norm(np.diff(X, axis=0), axis=1)
    return bool(len(steps) and np.median(steps) < 0.15 * math.hypot(*workspace.size))


def num_pilot(record: Record) -> int:
    """Epoch 0 is the pilot survey."""
    return sum(len(epoch.measurements) for epoch in record.epochs if epoch.index == 0)


def path_halo() -> list[AbstractPathEffect]:
    """So that a dark line is seen where the map is dark too."""
    return [Stroke(linewidth=2.4, foreground=HALO, alpha=0.8), Normal()]


def draw_path(axis: Axes, record: Record) -> None:
    """A line through the readings, the pilot survey's in another colour, and the vehicle where it ended."""
    X, pilot = record.samples.X, num_pilot(record)
    if is_path(record):
        axis.plot(*X.T, color=PATH, linewidth=0.9, path_effects=path_halo(), label="path", zorder=3)
    dots = {"linestyle": "none", "marker": "o", "markeredgewidth": 0.4, "markeredgecolor": HALO}
    axis.plot(*X[:pilot].T, color=PILOT, markersize=3.2, label="pilot readings", zorder=4, **dots)
    axis.plot(*X[pilot:].T, color=PATH, markersize=2.8, label="readings", zorder=4, **dots)
    if record.epochs:
        draw_vehicle(axis, record.epochs[-1].pose)


def draw_vehicle(axis: Axes, pose: Pose) -> None:
    """A triangle that points along the heading, over the frame if the vehicle ended there."""
    marker = (3, 0, math.degrees(pose.heading) - 90)
    x, y = pose.position
    axis.plot(
        [x],
        [y],
        marker=marker,
        markersize=9,
        color=HALO,
        markeredgecolor=PATH,
        markeredgewidth=1.2,
        linestyle="none",
        label="vehicle",
        zorder=6,
        clip_on=False,
    )
