"""What the attentive kernel has learnt: how far it looks in each place, and which places it treats alike."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure, SubFigure

from akrig.colours import value_colours
from akrig.journal.record import Record
from akrig.plots.panel import (
    Limits,
    draw_layer,
    dress,
    final_surface,
    hide_ticks,
    map_extent,
    require_planar,
    shape_ratio,
    value_label,
    value_limits,
)
from akrig.plots.style import LENGTH_MAP, SHARE_MAP, colour_bar, style

_WIDTH, _COLUMNS = 9.6, 5
_BENEATH = {"location": "bottom", "aspect": 28, "pad": 0.02}
_WEIGHTS = "Weights of each lengthscale"
_MEMBERSHIPS = "Memberships: places that share one are correlated, places that do not are kept apart"


def has_attention(record: Record) -> bool:
    """Whether the kernel is one whose lengthscale differs from place to place."""
    return record.map is not None and "lengthscale" in record.map


def attention_figure(record: Record) -> Figure:
    """The field, its effective and dominant lengthscales; beneath, every weight and membership as a small map."""
    require_planar(record)
    if not has_attention(record):
        raise ValueError(f"{record.path} has no lengthscales: its kernel ({record.kernel_name}) is alike everywhere.")
    bands = _bands(record)
    heights = [_WIDTH / 3.2 * shape_ratio(record) + 1.0]
    heights += [_num_rows(shares) * (_WIDTH / 5.8 * shape_ratio(record) + 0.28) + 0.3 for shares in bands.values()]
    with style():
        figure = plt.figure(figsize=(_WIDTH if bands else _WIDTH * 2 / 3, sum(heights)), layout="constrained")
        top, *rest = figure.subfigures(1 + len(bands), 1, height_ratios=heights, squeeze=False)[:, 0]
        _draw_lengthscales(top, record)
        for part, (heading, shares) in zip(rest, bands.items(), strict=True):
            part.suptitle(heading, x=0.005, ha="left", fontsize=10)
            _draw_shares(part, record, shares, _titles(record, heading, len(shares)))
    return figure


def _bands(record: Record) -> dict[str, np.ndarray]:
    """Small multiples by their heading; weights that are also the memberships are drawn once."""
    assert record.map is not None
    weights, memberships = (
        record.map[name].to_numpy() if name in record.map else None for name in ("weights", "memberships")
    )
    bands = {}
    if weights is not None:
        shared = memberships is not None and is_shared(weights, memberships)
        bands[_WEIGHTS + (", and memberships (one network serves both)" if shared else "")] = weights
        memberships = None if shared else memberships
    if memberships is not None:
        bands[_MEMBERSHIPS] = memberships
    return bands


def is_shared(weights: np.ndarray, memberships: np.ndarray) -> bool:
    """The paper's kernel lets one network serve both; drawing it twice would tell nothing."""
    return weights.shape == memberships.shape and np.allclose(weights, memberships, atol=1e-5)


def _num_rows(shares: np.ndarray) -> int:
    return -(-len(shares) // _COLUMNS)


def _titles(record: Record, heading: str, count: int) -> list[str]:
    assert record.map is not None
    if heading == _MEMBERSHIPS:
        return [f"member {number}" for number in range(1, count + 1)]
    return [lengthscale_text(value) for value in record.map["base"].to_numpy()]


def lengthscale_text(metres: float) -> str:
    """With three digits at most, in the unit that needs no exponent: `150 m`, `1.2 km`."""
    return f"{metres / 1000:.3g} km" if metres >= 1000 else f"{metres:.3g} m"


def _draw_lengthscales(figure: SubFigure, record: Record) -> None:
    assert record.map is not None
    surface = final_surface(record)
    assert surface is not None
    has_weights = "weights" in record.map
    axes = figure.subplots(1, 2 + has_weights)
    field = surface.mean if surface.truth is None else surface.truth
    colours, limits = value_colours(record.quantity), value_limits([surface])
    image = draw_layer(axes[0], field, extent=surface.extent, colours=colours, limits=limits)
    colour_bar(image, axes[0], **_BENEATH, label=value_label(record))
    axes[0].set_title("Prediction" if surface.truth is None else "Truth")

    effective = record.map["lengthscale"].to_numpy()
    lengths = record.map["base"].to_numpy() if has_weights else effective
    low, high = float(np.nanmin(lengths)), float(np.nanmax(lengths))
    limits = (low, high) if low < high else (0.0, high)
    image = draw_layer(axes[1], effective, extent=surface.extent, colours=LENGTH_MAP, limits=limits)
    colour_bar(image, axes[1], **_BENEATH, label="lengthscale (m)")
    axes[1].set_title("Effective lengthscale")
    if has_weights:
        _draw_dominant(figure, axes[2], record, limits)
    for place, axis in enumerate(axes):
        dress(axis, record.workspace, left=place == 0)


def _draw_dominant(figure: SubFigure, axis: Axes, record: Record, limits: Limits) -> None:
    """Each place in the shade that its lengthscale of largest weight has in the panel before."""
    assert record.map is not None
    base = record.map["base"].to_numpy()
    dominant = np.argmax(record.map["weights"].to_numpy(), axis=0)
    image = draw_layer(axis, dominant, extent=map_extent(record), colours=LENGTH_MAP, limits=(0, 1))
    image.set_cmap(ListedColormap(mpl.colormaps[LENGTH_MAP]((base - limits[0]) / (limits[1] - limits[0]))))
    image.set_norm(BoundaryNorm(np.arange(len(base) + 1) - 0.5, len(base)))
    bar = colour_bar(image, axis, **_BENEATH, label="lengthscale of largest weight (m)")
    few = np.unique(np.linspace(0, len(base) - 1, min(len(base), 5)).round().astype(int))
    bar.set_ticks(
        list(few), labels=[f"{base[place]:.3g}" if base[place] < 1000 else f"{base[place]:.0f}" for place in few]
    )
    bar.ax.minorticks_off()
    axis.set_title("Dominant lengthscale")


def _draw_shares(figure: SubFigure, record: Record, shares: np.ndarray, titles: list[str]) -> None:
    axes = figure.subplots(_num_rows(shares), _COLUMNS, squeeze=False)
    limits = (0.0, max(float(np.nanmax(shares)), 1e-3))
    used = list(axes.ravel()[: len(shares)])
    for axis in axes.ravel()[len(shares) :]:
        axis.remove()
    for axis, share, title in zip(used, shares, titles, strict=True):
        draw_layer(axis, share, extent=map_extent(record), colours=SHARE_MAP, limits=limits)
        hide_ticks(axis, record.workspace)
        axis.set_title(title, fontsize=8.5, pad=3)
    colour_bar(used[0].images[0], used, "", location="right", aspect=14 * len(axes), pad=0.01)
