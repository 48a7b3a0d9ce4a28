"""Models of one-dimensional fields: prediction, weights and memberships, one beneath the other."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from akrig.plots.save import save_figure
from akrig.plots.style import BAND, PREDICTION, READING, TRUTH, style
from akrig.types import Points, Prediction, Samples, Values


@runtime_checkable
class FittedLine(Protocol):
    """What is drawn of one model."""

    @property
    def title(self) -> str: ...
    @property
    def X(self) -> Points: ...
    @property
    def truth(self) -> Values: ...
    @property
    def samples(self) -> Samples: ...
    @property
    def prediction(self) -> Prediction: ...
    @property
    def lengthscales(self) -> Values | None: ...
    @property
    def weights(self) -> np.ndarray | None: ...
    @property
    def memberships(self) -> np.ndarray | None: ...


def save_fitted_lines(path: Path, fits: Sequence[FittedLine], *, jumps: Sequence[float] = ()) -> None:
    """One figure, written beside and renamed; the file's ending decides the format."""
    save_figure(fitted_lines_figure(fits, jumps=jumps), path)


def fitted_lines_figure(fits: Sequence[FittedLine], *, jumps: Sequence[float] = ()) -> Figure:
    """Of each model, its prediction; beneath, weights and memberships as stacks if it has them."""
    with style():
        return _figure(fits, jumps)


def _figure(fits: Sequence[FittedLine], jumps: Sequence[float]) -> Figure:
    rows = [(fit, kind) for fit in fits for kind in _kinds(fit)]
    heights = [2.2 if kind == "prediction" else 0.9 for _, kind in rows]
    figure, axes = plt.subplots(
        len(rows),
        1,
        figsize=(8.5, 1.0 + 0.9 * sum(heights)),
        sharex=True,
        squeeze=False,
        height_ratios=heights,
        layout="constrained",
    )
    for axis, (fit, kind) in zip(axes[:, 0], rows, strict=True):
        if kind == "prediction":
            _draw_prediction(axis, fit)
        elif kind == "weights":
            _draw_weights(axis, fit)
        else:
            _draw_memberships(axis, fit)
        for jump in jumps:
            axis.axvline(jump, color="0.35", linewidth=0.7, linestyle="--", zorder=4)
    axes[0, 0].legend(loc="upper right", ncols=4, bbox_to_anchor=(1.0, 1.3))
    axes[-1, 0].set_xlabel("x")
    axes[-1, 0].set_xlim(fits[0].X.min(), fits[0].X.max())
    return figure


def _kinds(fit: FittedLine) -> list[str]:
    parts = {"prediction": fit.prediction, "weights": fit.weights, "memberships": fit.memberships}
    return [kind for kind, part in parts.items() if part is not None]


def _draw_prediction(axis: Axes, fit: FittedLine) -> None:
    draw_prediction(axis, fit.X[:, 0], mean=fit.prediction.mean, std=fit.prediction.std, truth=fit.truth)
    axis.plot(fit.samples.X[:, 0], fit.samples.y, ".", color=READING, markersize=2.5, label="readings", zorder=3)
    axis.set_title(fit.title)
    axis.set_ylabel("y")
    low, high = fit.truth.min(), fit.truth.max()
    axis.set_ylim(low - 0.35 * (high - low), high + 0.35 * (high - low))


def draw_prediction(axis: Axes, x: Values, *, mean: Values, std: Values, truth: Values | None) -> None:
    """A line in its band, over the truth if that is known."""
    axis.fill_between(x, mean - 2 * std, mean + 2 * std, color=BAND, linewidth=0, label="± 2 standard deviations")
    if truth is not None:
        axis.plot(x, truth, color=TRUTH, linewidth=0.9, label="truth")
    axis.plot(x, mean, color=PREDICTION, linewidth=1.3, label="prediction")


def _draw_weights(axis: Axes, fit: FittedLine) -> None:
    assert fit.weights is not None
    assert fit.lengthscales is not None
    scale = Normalize(fit.lengthscales.min(), fit.lengthscales.max())
    colours = plt.get_cmap("viridis")(scale(fit.lengthscales))
    _draw_stack(axis, fit.X[:, 0], fit.weights, colours)
    axis.set_ylabel("weights w")
    mappable = plt.cm.ScalarMappable(scale, "viridis")
    bar = axis.figure.colorbar(mappable, ax=axis, pad=0.01, aspect=8)
    bar.set_label("lengthscale", fontsize=7)
    bar.ax.tick_params(labelsize=6)


def _draw_memberships(axis: Axes, fit: FittedLine) -> None:
    assert fit.memberships is not None
    colours = plt.get_cmap("tab10")(np.arange(fit.memberships.shape[1]) % 10)
    _draw_stack(axis, fit.X[:, 0], fit.memberships, colours)
    axis.set_ylabel("member-\nships z")


def _draw_stack(axis: Axes, x: Values, shares: np.ndarray, colours: np.ndarray) -> None:
    axis.stackplot(x, shares.T, colors=list(colours), linewidth=0)
    axis.set_ylim(0, 1)
    axis.set_yticks([0, 1])
