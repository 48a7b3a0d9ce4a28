"""Does the uncertainty mean what it says, and does it show where the map is wrong?"""

from collections.abc import Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from scipy.special import ndtri

from akrig.journal.record import Record
from akrig.metrics import correlation
from akrig.plots.formatting import final_score, shared_units
from akrig.plots.style import NOMINAL, labels, light_grid, line_styles, style, with_units

LEVELS = np.linspace(0.01, 0.99, 50)
BINS = 12  # of predicted standard deviations
_HALF_OF_A_GAUSSIAN = float(ndtri(0.75))  # half of all errors are smaller than 0.674 standard deviations


class Cells(NamedTuple):
    """Absolute error and predicted standard deviation of every cell where both are known."""

    error: np.ndarray
    std: np.ndarray


class Reliability(NamedTuple):
    """Per bin of predicted standard deviation: its median, and the quartiles of the error."""

    std: np.ndarray
    lower: np.ndarray
    median: np.ndarray
    upper: np.ndarray


def has_calibration(record: Record) -> bool:
    return record.map is not None and "truth" in record.map


def cells(record: Record) -> Cells:
    if not has_calibration(record):
        raise ValueError(f"{record.path} has no truth to hold its map against.")
    assert record.map is not None
    truth, mean, std = (record.map[name].to_numpy().ravel() for name in ("truth", "mean", "std"))
    error = np.abs(truth - mean)
    known = np.isfinite(error) & np.isfinite(std)
    return Cells(error[known], std[known])


def observed_coverage(record: Record) -> np.ndarray:
    """The share of truth inside the map's central intervals of each level."""
    error, std = cells(record)
    return np.array([np.mean(error <= ndtri((1 + level) / 2) * std) for level in LEVELS])


def reliability(record: Record) -> Reliability:
    """Bins hold equally many cells; where uncertainty hardly varies there are fewer of them."""
    error, std = cells(record)
    edges = np.unique(np.quantile(std, np.linspace(0, 1, BINS + 1)))
    place = np.clip(np.searchsorted(edges, std, side="right") - 1, 0, max(len(edges) - 2, 0))
    bins = [place == number for number in np.unique(place)]
    quartiles = np.array([np.quantile(error[inside], (0.25, 0.5, 0.75)) for inside in bins])
    return Reliability(np.array([np.median(std[inside]) for inside in bins]), *quartiles.T)


def record_correlation(record: Record) -> float:
    """The score of that name, which is of the scored grid; of the finer map's cells, if there is none."""
    scored = final_score(record, "correlation")
    return correlation(*cells(record)) if scored is None else scored


def calibration_figure(records: Sequence[Record], *, is_narrow: bool = False) -> Figure:
    """Coverage against its nominal level, and error against predicted standard deviation.

    Args:
        is_narrow: for a phone: one beneath the other.
    """
    known = [record for record in records if has_calibration(record)]
    if not known:
        raise ValueError("Calibration needs a record whose truth is known; there is none.")
    with style():
        figure = plt.figure(figsize=(4.2, 7.4) if is_narrow else (9, 4.1), layout="constrained")
        left, right = figure.subplots(2, 1) if is_narrow else figure.subplots(1, 2)
        _draw_coverage(left, known)
        _draw_reliability(right, known)
        for axis in (left, right):
            light_grid(axis, "both")
    return figure


def _draw_coverage(axis: Axes, records: Sequence[Record]) -> None:
    axis.plot([0, 1], [0, 1], color=NOMINAL, linewidth=1, linestyle=(0, (4, 3)), label="as it should be")
    for record, label, line in zip(records, labels(records), line_styles(records), strict=True):
        axis.plot(LEVELS, observed_coverage(record), linewidth=1.6, label=label, **line)
    axis.set(xlim=(0, 1), ylim=(0, 1), xlabel="nominal level of the interval", ylabel="share of the truth inside it")
    axis.set_title("Coverage: above the line too cautious, below too sure")
    for ticks in (axis.xaxis, axis.yaxis):
        ticks.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g} %"))
    axis.legend(loc="upper left")


def _draw_reliability(axis: Axes, records: Sequence[Record]) -> None:
    for record, name, line in zip(records, labels(records), line_styles(records), strict=True):
        bins = reliability(record)
        label = "median and quartiles" if len(records) == 1 else f"{name}: {record_correlation(record):.2f}"
        axis.fill_between(bins.std, bins.lower, bins.upper, color=line["color"], alpha=0.15, linewidth=0)
        axis.plot(bins.std, bins.median, marker="o", markersize=3.5, linewidth=1.6, label=label, **line)
    unit = shared_units(records)
    axis.set(xlabel=with_units("predicted standard deviation", unit), ylabel=with_units("absolute error", unit))
    far = axis.get_xlim()[1]
    axis.set(xlim=(0, far), ylim=(0, 1.15 * axis.get_ylim()[1]))
    calibrated = {"color": NOMINAL, "linewidth": 1, "linestyle": (0, (4, 3)), "zorder": 1}
    axis.plot([0, far], [0, _HALF_OF_A_GAUSSIAN * far], label="median, as it should be", **calibrated)
    if len(records) == 1:
        axis.set_title(f"Error by uncertainty: correlation {record_correlation(records[0]):.2f}")
    else:
        axis.set_title("Error by uncertainty, and their correlation")
    axis.legend(loc="upper left")
