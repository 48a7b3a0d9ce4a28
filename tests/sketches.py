"""Figures saved as white sheets, signed as akrig's: for tests that read the words and numbers beside them."""

from typing import Any

from PIL import Image
from PIL.PngImagePlugin import PngInfo


def save_sheet(
    figure: Any, target: Any, *, format: str, metadata: dict[str, str] | None = None, **options: Any
) -> None:
    """In place of matplotlib's `Figure.savefig`."""
    width, height = figure.get_size_inches()
    signed = PngInfo()
    for name, value in (metadata or {}).items():
        signed.add_text(name, value)
    Image.new("RGB", (int(100 * width), int(100 * height)), "white").save(target, format, pnginfo=signed)
