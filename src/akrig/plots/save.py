"""Figures as files, which appear whole or not at all, and as bytes."""

import warnings
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from PIL import Image
from scipy.spatial import KDTree

from akrig.files import written_beside
from akrig.plots.style import shared_palette


def save_figure(figure: Figure, path: Path, *, dpi: float | Literal["figure"] = "figure") -> None:
    """The file's ending decides the format. The figure is closed."""
    with written_beside(path) as beside:
        format = path.suffix.lstrip(".").lower()
        made = {"Software": "akrig"} if format == "png" else {}  # so that another akrig may replace it
        _draw(figure, beside, format=format, dpi=dpi, metadata=made)
    plt.close(figure)


def png_bytes(figure: Figure, *, dpi: float) -> bytes:
    """The figure in memory, for a page that carries its images. The figure is closed."""
    buffer = BytesIO()
    _draw(figure, buffer, format="png", dpi=dpi)
    plt.close(figure)
    return buffer.getvalue()


def _draw(figure: Figure, where: Any, **how: Any) -> None:
    """Without matplotlib's words on the terminal when a strange map leaves no room for its axes."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="constrained_layout not applied")
        figure.savefig(where, bbox_inches="tight", **how)


def compact(png: bytes, *, max_bytes: int = 120_000) -> bytes:
    """As it is if it is small, else in 256 colours: a third of the size, and no eye sees the difference.

    Colour maps, marks and greys are evenly kept; the colours left over go to what else the picture holds.
    """
    if len(png) <= max_bytes:
        return png
    with Image.open(BytesIO(png)) as opened:
        full = opened.convert("RGB")
    shared = shared_palette(shades=(64, 64, 32, 32), greys=16)
    ninth = full.resize((full.width // 3, full.height // 3), Image.Resampling.NEAREST)  # knows all colours that matter
    rest = np.reshape(ninth.quantize(256 - len(shared), kmeans=2).getpalette() or [], (-1, 3))
    palette = np.concatenate([shared, rest[: 256 - len(shared)]])
    red, green, blue = np.asarray(full, dtype=np.int64).reshape(-1, 3).T
    _, places, pixels = np.unique(red << 16 | green << 8 | blue, return_index=True, return_inverse=True)
    nearest = KDTree(palette).query(np.stack([red, green, blue], axis=1)[places])[1]
    reduced = Image.frombytes("P", full.size, np.asarray(nearest, dtype=np.uint8)[pixels].tobytes())
    reduced.putpalette(palette.astype(np.uint8).tobytes())
    buffer = BytesIO()
    reduced.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
