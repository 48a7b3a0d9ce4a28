"""Files appear whole or not at all: written beside their place, then renamed."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Literal

import matplotlib.pyplot as plt
from matplotlib.figure import Figure


@contextmanager
def written_beside(path: Path) -> Iterator[Path]:
    """Where to write meanwhile; renamed to `path` at the end, removed if something goes wrong."""
    beside = path.with_name(f".{path.name}.part")
    beside.unlink(missing_ok=True)  # whatever it is: nothing is written through a link
    try:
        yield beside
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def save_figure(figure: Figure, path: Path, *, dpi: float | Literal["figure"] = "figure") -> None:
    """The file's ending decides the format. The figure is closed."""
    with written_beside(path) as beside:
        figure.savefig(beside, format=path.suffix.lstrip(".").lower(), dpi=dpi, bbox_inches="tight")
    plt.close(figure)


def png_bytes(figure: Figure, *, dpi: float) -> bytes:
    """The figure in memory, for a page that carries its images. The figure is closed."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, bbox_inches="tight")
    plt.close(figure)
    return buffer.getvalue()
