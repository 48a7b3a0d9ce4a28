"""Pieces of one self-contained HTML page (page.html has them). Text goes in as it is and comes out escaped."""

import base64
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from PIL import Image

from akrig import __version__
from akrig.config.names import flattened


@cache
def _pieces() -> Any:
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters["prose"] = lambda text: text.replace(" %", "\u00a0%")  # no line may begin with a per cent sign
    return environment.from_string(_shipped("page.html")).module


def _shipped(name: str) -> str:
    return files("akrig.plots").joinpath(name).read_text(encoding="utf-8")


def document(title: str, parts: Iterable[str]) -> str:
    return str(_pieces().document(title, Markup(_shipped("report.css")), list(parts)))


def header(*, eyebrow: str, title: str, facts: Sequence[str]) -> str:
    return _pieces().header(eyebrow, title, facts)


def footer() -> str:
    return _pieces().footer(__version__)


def notice(text: str) -> str:
    return _pieces().notice(text)


def paragraph(text: str, *, kind: str = "") -> str:
    return _pieces().paragraph(text, kind)


def section(title: str, parts: Iterable[str]) -> str:
    """Nothing if it would be empty."""
    body = [part for part in parts if part]
    return _pieces().section(title, body) if body else ""


def details(title: str, parts: Iterable[str]) -> str:
    """Folded away; nothing if it would be empty."""
    body = [part for part in parts if part]
    return _pieces().details(title, body) if body else ""


def part_heading(title: str) -> str:
    """Begins one of several missions."""
    return _pieces().part_heading(title)


def tiles(items: Sequence[tuple[str, str, str]]) -> str:
    """Label, value and a few words for each."""
    return _pieces().tiles(items)


def metrics_table(columns: Sequence[str], rows: Sequence[tuple[str, str, Sequence[str], set[int]]]) -> str:
    """Of each row: its name, what it means, a value per column, and which of them are best."""
    return _pieces().metrics_table(columns, rows)


def events_table(rows: Sequence[tuple[str, str]]) -> str:
    """When, and what."""
    return _pieces().pairs(rows, "settings events")


def settings_table(settings: Mapping[str, object]) -> str:
    return _pieces().pairs([(name, _plain(value)) for name, value in flattened(settings).items()], "settings")


def study_table(table: Any) -> str:
    """Of a study (`paper.writing.ReportTable`); it can be pushed sideways where it is wider than the screen."""
    return _pieces().study_table(table)


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value))
    return str(value)


def code(text: str) -> str:
    return _pieces().code(text)


def figure(
    image: bytes, *, alt: str, caption: str, dpi: float = 100, kind: str = "", narrow: bytes | None = None
) -> str:
    """An image inside the page, 100 points of the screen to the inch, so that letters are alike in all.

    Args:
        narrow: the same for a phone.
    """
    return _pieces().figure(_inlined(image, dpi), narrow and _inlined(narrow, dpi), alt, caption, kind)


def _inlined(image: bytes, dpi: float) -> dict[str, str | int]:
    with Image.open(BytesIO(image)) as opened:
        width, height = (round(100 / dpi * pixels) for pixels in opened.size)
        media = f"image/{(opened.format or 'png').lower()}"
    data = f"data:{media};base64,{base64.b64encode(image).decode('ascii')}"
    return {"data": data, "width": width, "height": height}


def gallery(figures: Sequence[str]) -> str:
    """Maps side by side, on a phone beneath each other."""
    return _pieces().gallery(figures) if figures else ""
