"""Figures as files, which appear whole or not at all, and as bytes."""

from io import BytesIO
from pathlib import Path
from typing import Literal

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from akrig.files import written_beside


def save_figure(figure: Figure, path: Path, *, dpi: float | Literal["figure"] = "figure") -> None:
    """The file's ending decides the format. The figure is closed."""
    with written_beside(path) as beside:
        format = path.suffix.lstrip(".").lower()
        made = {"Software": "akrig"} if format == "png" else {}  # so that another akrig may replace it
        figure.savefig(beside, format=format, dpi=dpi, bbox_inches="tight", metadata=made)
    plt.close(figure)


def png_bytes(figure: Figure, *, dpi: float) -> bytes:
    """The figure in memory, for a page that carries its images. The figure is closed."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, bbox_inches="tight")
    plt.close(figure)
    return buffer.getvalue()
