"""Models of one-dimensional fields: prediction, weights and memberships, one beneath the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from akrig.plots.save import save_figure
from akrig.plots.style import BAND, PREDICTION, READING, TRUTH, style
from akrig.types import Points, Prediction, Samples, Values


@dataclass(frozen=True)
class FittedLine:
    """What is drawn of one model; weights and memberships if its kernel has them."""

    title: str
    X: Points
    truth: Values
    samples: Samples
    prediction: Prediction
    lengthscales: Float[np.ndarray, " M"] | None = None
    weights: np.ndarray | None = None
    memberships: np.ndarray | None = None


def save_fitted_lines(path: Path, fits: Sequence[FittedLine], *, jumps: Sequence[float] = ()) -> None:
    """One figure, written beside and renamed; the file's ending decides the format."""
    save_figure(fitted_lines_figure(fits, jumps=jumps), path)


@style()
def fitted_lines_figure(fits: Sequence[FittedLine], *, jumps: Sequence[float] = ()) -> Figure:
    """Of each model, its prediction; beneath, weights and memberships as stacks if it has them."""
    rows: list[tuple[FittedLine, Callable[[Axes, FittedLine], None]]] = []
    for fit in fits:
        rows.append((fit, _draw_prediction))
        rows += [(fit, _draw_weights)] if fit.weights is not None else []
        rows += [(fit, _draw_memberships)] if fit.memberships is not None else []
    heights = [2.2 if draw is _draw_prediction else 0.9 for _, draw in rows]
    figure, axes = plt.subplots(
        len(rows),
        1,
        figsize=(8.5, 1.0 + 0.9 * sum(heights)),
        sharex=True,
        squeeze=False,
        height_ratios=heights,
        layout="constrained",
    )
    for axis, (fit, draw) in zip(axes[:, 0], rows, strict=True):
        draw(axis, fit)
        for jump in jumps:
            axis.axvline(jump, color="0.35", linewidth=0.7, linestyle="--", zorder=4)
    axes[0, 0].legend(loc="upper right", ncols=4, bbox_to_anchor=(1.0, 1.3))
    axes[-1, 0].set_xlabel("x")
    axes[-1, 0].set_xlim(fits[0].X.min(), fits[0].X.max())
    return figure


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
