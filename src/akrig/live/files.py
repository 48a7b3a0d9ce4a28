"""The parts of the page itself: all that a browser loads before it asks about the run."""

from dataclasses import dataclass
from importlib.resources import files

KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
INDEX = "index.html"


@dataclass(frozen=True)
class PageFile:
    content: bytes
    kind: str


class PageFiles:
    """Read once, and then by the path that a browser asks for."""

    def __init__(self) -> None:
        self._files: dict[str, PageFile] = {}
        for item in (files("akrig.live") / "page").iterdir():
            kind = KINDS.get(item.name.rpartition(".")[2])
            if kind is not None:
                self._files[f"/page/{item.name}"] = PageFile(item.read_bytes(), f"{kind}; charset=utf-8")
        self._files["/"] = self._files["/view"] = self._files[f"/page/{INDEX}"]

    def at(self, path: str) -> PageFile | None:
        return self._files.get(path)
