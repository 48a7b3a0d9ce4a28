"""The parts of the page itself: all that a browser loads before it asks about the run."""

from dataclasses import dataclass
from importlib.resources import files

KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
INDEX = "index.html"


@dataclass(frozen=True)
class PageFile:
    content: bytes
    kind: str


def page_files() -> dict[str, PageFile]:
    """By the path that a browser asks for."""
    found: dict[str, PageFile] = {}
    for item in (files("akrig.live") / "page").iterdir():
        kind = KINDS.get(item.name.rpartition(".")[2])
        if kind is not None:
            found[f"/page/{item.name}"] = PageFile(item.read_bytes(), f"{kind}; charset=utf-8")
    found["/"] = found["/view"] = found[f"/page/{INDEX}"]
    return found
