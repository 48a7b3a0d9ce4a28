"""What a map needs to be found on Earth: fence, keep-outs, home, a scale bar, and degrees along its sides."""

import math
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon
from matplotlib.path import Path as Outline
from matplotlib.patheffects import AbstractPathEffect, Normal, Stroke
from matplotlib.ticker import MaxNLocator

from akrig.geometry import Box
from akrig.journal.record import Record
from akrig.plots.panel import Surface
from akrig.plots.style import HALO, TRUTH

if TYPE_CHECKING:
    from akrig.frame import LocalFrame

_HOUSE = Outline([(-1, -1), (1, -1), (1, 0.3), (0, 1.3), (-1, 0.3), (-1, -1)])
_LONGEST_BAR = 0.3  # of the map's width


def frame_of(record: Record) -> "LocalFrame | None":
    """Where on Earth the record's metres are, if that is known and pyproj is there to say it."""
    frame = record.settings.get("frame")
    if frame is None or find_spec("pyproj") is None:
        return None
    from akrig.frame import LocalFrame

    return LocalFrame(frame["longitude"], frame["latitude"])


def draw_surroundings(axis: Axes, record: Record) -> None:
    """A survey's fence, keep-outs and home; nothing for other missions."""
    area, frame = record.settings.get("survey", {}).get("area", {}), frame_of(record)
    if frame is None:
        return
    if area.get("fence"):
        ring = _metres(frame, [*area["fence"], area["fence"][0]])
        axis.plot(*ring.T, color=TRUTH, linewidth=1.3, path_effects=_halo(3), label="fence", zorder=3, clip_on=False)
    for number, corners in enumerate(area.get("keep_outs", [])):
        label = {"label": "keep-out"} if number == 0 else {}
        axis.add_patch(
            Polygon(_metres(frame, corners), closed=True, fill=False, hatch="////", ec=TRUTH, lw=0.9, zorder=3, **label)
        )
    if area.get("home") is not None:
        house = {"marker": _HOUSE, "markersize": 8, "color": HALO, "markeredgecolor": TRUTH, "markeredgewidth": 1.3}
        axis.plot(*_metres(frame, [area["home"]]).T, linestyle="none", label="home", zorder=7, clip_on=False, **house)


def draw_contours(axis: Axes, surface: Surface, *, units: str) -> None:
    """Lines of like value at round numbers, with their labels."""
    west, east, south, north = surface.extent
    rows, columns = surface.mean.shape
    x, y = ((np.arange(n) + 0.5) / n * (b - a) + a for n, a, b in ((columns, west, east), (rows, south, north)))
    values = np.ma.masked_invalid(surface.mean)
    levels = MaxNLocator(7, steps=[1, 2, 5, 10]).tick_values(float(values.min()), float(values.max()))
    inside = [level for level in levels if values.min() < level < values.max()]
    if not inside:
        return
    lines = axis.contour(x, y, values, levels=inside, colors=HALO, linewidths=0.7, alpha=0.85, zorder=2)
    for text in axis.clabel(lines, fmt=lambda level: f"{level:g} {units}".strip(), fontsize=7):
        text.set_path_effects([Stroke(linewidth=1.6, foreground=TRUTH, alpha=0.7), Normal()])


def draw_scale_bar(axis: Axes, workspace: Box, *, over: np.ndarray | None = None) -> None:
    """A round number of metres or kilometres long, in a lower corner.

    Args:
        over: the map beneath, row 0 south: of the two corners, the bar takes the one where less of it is.
    """
    (west, south), (width, height) = workspace.lower, workspace.size
    metres = round_length(_LONGEST_BAR * width)
    begin, level = west + 0.04 * width, south + 0.05 * height
    if over is not None and _is_emptier_in_the_east(over):
        begin = west + 0.96 * width - metres
    line = {"color": TRUTH, "linewidth": 2.6, "solid_capstyle": "butt", "zorder": 8}
    axis.plot([begin, begin + metres], [level, level], path_effects=_halo(5), **line)
    words = f"{metres / 1000:g} km" if metres >= 1000 else f"{metres:g} m"
    axis.annotate(
        words, (begin + metres / 2, level), (0, 4), textcoords="offset points", ha="center", va="bottom", fontsize=8,
        color=TRUTH, path_effects=_halo(2.4), zorder=8,
    )  # fmt: skip


def _is_emptier_in_the_east(layer: np.ndarray) -> bool:
    rows, columns = (max(1, math.ceil(share * n)) for share, n in zip((0.15, 0.4), layer.shape, strict=True))
    left, right = (int(np.isnan(part).sum()) for part in (layer[:rows, :columns], layer[:rows, -columns:]))
    return right > left


def round_length(most: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is no longer."""
    power = 10.0 ** math.floor(math.log10(most))
    return max(step * power for step in (1, 2, 5) if step * power <= most * (1 + 1e-9))


def label_degrees(axis: Axes, workspace: Box, frame: "LocalFrame") -> None:
    """Longitude along the lower side and latitude along the left one, at round numbers."""
    (west, south), (east, north) = workspace.lower, workspace.upper
    corners = frame.to_degrees(np.array([[west, south], [east, south], [west, north]]))
    (longitude, latitude) = corners[0]
    for ticks, low, high, letters, place in (
        (axis.xaxis, longitude, corners[1, 0], "WE", lambda v: [v, latitude]),
        (axis.yaxis, latitude, corners[2, 1], "SN", lambda v: [longitude, v]),
    ):
        values = [v for v in MaxNLocator(3, steps=[1, 2, 5, 10]).tick_values(low, high) if low <= v <= high]
        step = min(np.diff(values), default=high - low)
        decimals = max(0, -math.floor(math.log10(step) + 1e-9)) if step > 0 else 4
        column = 0 if ticks is axis.xaxis else 1
        metres = frame.to_metres(np.array([place(value) for value in values]).reshape(-1, 2))[:, column]
        ticks.set_ticks(metres, labels=[f"{abs(v):.{decimals}f}° {letters[int(v >= 0)]}" for v in values])
    axis.set(xlabel="", ylabel="")
    for label in axis.get_yticklabels():
        label.set(rotation=90, va="center")


def _metres(frame: "LocalFrame", lonlat: Sequence[Sequence[float]]) -> np.ndarray:
    return frame.to_metres(np.array(lonlat, dtype=float))


def _halo(width: float) -> list[AbstractPathEffect]:
    return [Stroke(linewidth=width, foreground=HALO, alpha=0.85), Normal()]
