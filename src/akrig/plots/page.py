"""Pieces of one self-contained HTML page. Text goes in as it is and comes out escaped."""

import base64
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from io import BytesIO
from string import Template

import numpy as np
from PIL import Image
from scipy.spatial import KDTree

from akrig.plots.style import shared_palette

_PHONE = "(max-width: 640px)"  # as in report.css
_DOCUMENT = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="akrig">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<style>
$css
</style>
</head>
<body>
<main>
$body
</main>
</body>
</html>
""")


def document(title: str, parts: Iterable[str]) -> str:
    css = files("akrig.plots").joinpath("report.css").read_text(encoding="utf-8")
    return _DOCUMENT.substitute(title=escape(title), css=css, body="\n".join(part for part in parts if part))


def header(*, eyebrow: str, title: str, facts: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(fact)}</li>" for fact in facts)
    names = f'<p class="eyebrow">{escape(eyebrow)}</p><h1>{escape(title)}</h1>'
    return f'<header>{names}<ul class="facts">{items}</ul></header>'


def notice(text: str) -> str:
    return f'<p class="notice" role="note">{escape(text)}</p>'


def paragraph(text: str, *, kind: str = "") -> str:
    attribute = f' class="{escape(kind)}"' if kind else ""
    return f"<p{attribute}>{_prose(text)}</p>"


def _prose(text: str) -> str:
    """No line may begin with a per cent sign."""
    return escape(text).replace(" %", "\u00a0%")


def section(title: str, parts: Iterable[str]) -> str:
    """Nothing if it would be empty."""
    body = "\n".join(part for part in parts if part)
    return f"<section><h2>{escape(title)}</h2>\n{body}\n</section>" if body else ""


def part_heading(title: str) -> str:
    """Begins one of several missions."""
    return f'<h2 class="part">{escape(title)}</h2>'


def tiles(items: Sequence[tuple[str, str, str]]) -> str:
    """Label, value and a few words for each."""
    cells = (
        f'<div class="tile"><dt>{escape(label)}</dt><dd>{escape(value)}</dd><dd class="note">{escape(note)}</dd></div>'
        for label, value, note in items
    )
    return f'<dl class="tiles">{"".join(cells)}</dl>'


def scores_table(columns: Sequence[str], rows: Sequence[tuple[str, str, Sequence[str], set[int]]]) -> str:
    """Of each row: its name, what it means, a value per column, and which of them are best."""
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    body = "".join(
        f'<tr><th scope="row">{escape(name)}<small>{escape(meaning)}</small></th>{_cells(values, best)}</tr>'
        for name, meaning, values, best in rows
    )
    head = f'<thead><tr><th scope="col">Score</th>{heads}</tr></thead>'
    return f'<div class="scroll"><table class="scores">{head}<tbody>{body}</tbody></table></div>'


def _cells(values: Sequence[str], best: set[int]) -> str:
    marked = (f"<b>{escape(value)}</b>" if place in best else escape(value) for place, value in enumerate(values))
    return "".join(f"<td>{value}</td>" for value in marked)


def events_table(rows: Sequence[tuple[str, str]]) -> str:
    """When, and what."""
    body = "".join(f'<tr><th scope="row">{escape(when)}</th><td>{escape(what)}</td></tr>' for when, what in rows)
    return f'<div class="scroll"><table class="settings events"><tbody>{body}</tbody></table></div>'


def settings_table(settings: Mapping[str, object]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(_plain(value))}</td></tr>'
        for name, value in flattened(settings).items()
    )
    return f'<div class="scroll"><table class="settings"><tbody>{rows}</tbody></table></div>'


def flattened(settings: Mapping[str, object], *, under: str = "") -> dict[str, object]:
    """Nested tables with dotted names, as TOML would write them."""
    flat: dict[str, object] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping):
            flat |= flattened(value, under=f"{under}{name}.")
        else:
            flat[f"{under}{name}"] = value
    return flat


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value))
    return str(value)


def details(title: str, parts: Iterable[str]) -> str:
    body = "\n".join(part for part in parts if part)
    return f"<details><summary>{escape(title)}</summary>\n{body}\n</details>" if body else ""


def code(text: str) -> str:
    return f'<pre tabindex="0"><code>{escape(text)}</code></pre>'


def figure(
    image: bytes, *, alt: str, caption: str, dpi: float = 100, kind: str = "", narrow: bytes | None = None
) -> str:
    """An image inside the page, 100 points of the screen to the inch, so that letters are alike in all.

    Args:
        narrow: the same for a phone.
    """
    data, width, height = _data(image, dpi)
    source = f'<img src="{data}" width="{width}" height="{height}" alt="{escape(alt)}">'
    if narrow is not None:
        data, width, height = _data(narrow, dpi)
        sizes = f'width="{width}" height="{height}"'
        source = f'<picture><source media="{_PHONE}" srcset="{data}" {sizes} />{source}</picture>'
    attribute = f' class="{escape(kind)}"' if kind else ""
    return f'<figure{attribute}><div class="card">{source}</div><figcaption>{_prose(caption)}</figcaption></figure>'


def _data(image: bytes, dpi: float) -> tuple[str, int, int]:
    with Image.open(BytesIO(image)) as opened:
        width, height = (round(100 / dpi * pixels) for pixels in opened.size)
        media = f"image/{(opened.format or 'png').lower()}"
    return f"data:{media};base64,{base64.b64encode(image).decode('ascii')}", width, height


def gallery(figures: Sequence[str]) -> str:
    """Maps side by side, on a phone beneath each other."""
    return f'<div class="maps">{"".join(figures)}</div>' if figures else ""


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
