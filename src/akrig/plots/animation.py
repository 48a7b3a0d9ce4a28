"""The mission as a small film: prediction and uncertainty while readings come in."""

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple, TypeVar

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.text import Text
from PIL import Image

from akrig.colours import value_colours
from akrig.files import written_beside
from akrig.journal.record import Record, Snapshot
from akrig.plots.formatting import counted
from akrig.plots.panel import (
    Surface,
    box_extent,
    doubt_limits,
    draw_layer,
    dress,
    final_surface,
    is_path,
    num_pilot,
    path_halo,
    require_planar,
    shape_ratio,
    value_label,
    value_limits,
)
from akrig.plots.style import DOUBT_MAP, HALO, PATH, PILOT, colour_bar, shared_palette, style, with_units

T = TypeVar("T")

_DPI = 100
_NUM_SHADES = 36  # per colour map; what changes less often compresses better
_MILLISECONDS, _LAST_MILLISECONDS = 120, 2500


class Stage(NamedTuple):
    """A figure whose artists change from frame to frame; all else is drawn once."""

    figure: Figure
    mean: AxesImage
    doubt: AxesImage
    path: Line2D
    pilot: Line2D
    readings: Line2D
    counter: Text

    @property
    def moving(self) -> list[Artist]:
        return [self.mean, self.doubt, self.path, self.pilot, self.readings, self.counter]


def has_animation(record: Record) -> bool:
    """Only maps can move, and only if there are several."""
    return record.workspace.dim == 2 and len(record.snapshots) > 1


def save_animation(record: Record, path: Path, **limits: int) -> None:
    """As `animation_bytes`, written beside and renamed."""
    content = animation_bytes(record, **limits)
    with written_beside(path) as beside:
        beside.write_bytes(content)


def animation_bytes(record: Record, *, width: int = 840, max_frames: int = 60, max_bytes: int = 4_000_000) -> bytes:
    """A GIF of at most so many frames; of fewer, evenly chosen, if it would be too large otherwise."""
    require_planar(record)
    if not record.snapshots:
        raise ValueError(f"{record.path} has no snapshots to animate.")
    frames = list(_frames(record, _evenly(record.snapshots, max_frames), width))
    content = _gif(frames)
    while len(content) > max_bytes and len(frames) > 2:
        frames = _evenly(frames, max(2, int(0.9 * len(frames) * max_bytes / len(content))))
        content = _gif(frames)
    return content


def _evenly(items: Sequence[T], count: int) -> list[T]:
    """So many of them, the first and the last included."""
    places = np.unique(np.linspace(0, len(items) - 1, min(count, len(items))).round().astype(int))
    return [items[place] for place in places]


def _frames(record: Record, snapshots: Sequence[Snapshot], width: int) -> Iterator[Image.Image]:
    """Only what moves is drawn anew, over a background kept from the first drawing."""
    palette = Image.new("P", (1, 1))  # one for the whole film, made of what it holds
    palette.putpalette(shared_palette(shades=(_NUM_SHADES, _NUM_SHADES), greys=24).tobytes())
    with style():
        stage = _stage(record, width)
        canvas = FigureCanvasAgg(stage.figure)
        canvas.draw()
        background = canvas.copy_from_bbox(stage.figure.bbox)
        for snapshot in snapshots:
            _show(stage, record, snapshot)
            canvas.restore_region(background)
            for artist in stage.moving:
                stage.figure.draw_artist(artist)
            picture = Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])
            yield picture.quantize(palette=palette, dither=Image.Dither.NONE)
        plt.close(stage.figure)


def _stage(record: Record, width: int) -> Stage:
    inches = width / _DPI
    size = (inches, inches / 2 * 0.86 * shape_ratio(record) + 1.45)
    surfaces = [Surface(box_extent(record.workspace), s.mean, s.std) for s in record.snapshots]
    final = final_surface(record)
    assert final is not None
    figure = plt.figure(figsize=size, dpi=_DPI, layout="compressed")
    left, right = figure.subplots(1, 2)
    panels = {
        left: (surfaces[0].mean, value_colours(record.quantity), value_limits([final]), value_label(record)),
        right: (
            surfaces[0].std,
            DOUBT_MAP,
            doubt_limits(surfaces),
            with_units("standard deviation", record.units),
        ),
    }
    images = []
    for axis, (values, colours, limits, label) in panels.items():
        image = draw_layer(axis, values, extent=surfaces[0].extent, colours=colours, limits=limits)
        dress(axis, record.workspace, left=axis is left)
        colour_bar(image, axis, label, location="bottom", aspect=30, shrink=0.8, pad=0.02)
        images.append(image)
    left.set_title("Prediction")
    right.set_title("Uncertainty")
    counter = right.set_title("0 readings", loc="right")
    dots = {"linestyle": "none", "marker": "o", "markeredgewidth": 0.4, "markeredgecolor": HALO}
    (path,) = right.plot([], [], color=PATH, linewidth=1.0, path_effects=path_halo())
    (pilot,) = right.plot([], [], color=PILOT, markersize=4, **dots)
    (readings,) = right.plot([], [], color=PATH, markersize=3.4, **dots)
    stage = Stage(figure, images[0], images[1], path, pilot, readings, counter)
    for artist in stage.moving:
        artist.set_animated(True)
    return stage


def _show(stage: Stage, record: Record, snapshot: Snapshot) -> None:
    X = record.samples.X[: snapshot.readings]
    pilot = num_pilot(record)
    stage.mean.set_data(snapshot.mean)
    stage.doubt.set_data(snapshot.std)
    stage.path.set_data(*(X.T if is_path(record) else ([], [])))
    stage.pilot.set_data(*X[:pilot].T)
    stage.readings.set_data(*X[pilot:].T)
    stage.counter.set_text(counted(snapshot.readings, "reading"))


def _gif(frames: Sequence[Image.Image]) -> bytes:
    buffer = BytesIO()
    durations = [_MILLISECONDS] * (len(frames) - 1) + [_LAST_MILLISECONDS]
    look = {"duration": durations, "loop": 0, "optimize": False, "comment": b"Made by akrig"}
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:], **look)
    return buffer.getvalue()
