"""Words in settings: what is known, and what was probably meant. Nothing is imported to find out."""

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

_CODE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")  # "mylab.kernels:Mine"


def nearest(word: str, known: Iterable[str]) -> str:
    """'did you mean ...?', or 'choose from' all known words if none is near."""
    known = list(known)
    folded = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), folded, n=1, cutoff=0.6)
    if close:
        return f"did you mean {folded[close[0]]!r}?"
    return f"choose from {', '.join(known)}"


def is_code(word: str) -> bool:
    """Does it name something in a module, rather than a part of akrig's own?"""
    return ":" in word


def check_name(word: str, known: Iterable[str], *, what: str) -> str:
    """The word, if it is known or could name something in a module; `ValueError` otherwise."""
    known = list(known)
    if is_code(word):
        check_code(word)
    elif word not in known:
        hint = nearest(word, known)
        raise ValueError(f"no {what} is called {word!r}; {hint}" + ("" if hint.endswith("?") else "."))
    return word


def flattened(settings: Mapping[str, Any], *, under: str = "") -> dict[str, Any]:
    """Nested tables with dotted names, as TOML would write them."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        flat |= flattened(value, under=f"{under}{name}.") if isinstance(value, Mapping) else {f"{under}{name}": value}
    return flat


def check_code(word: str) -> None:
    if not _CODE.fullmatch(word):
        raise ValueError(f"{word!r} does not name a part of your own; write it as 'module:Name'")


def check_options(word: str, options: Mapping[str, Any], takes: Iterable[str] = ()) -> None:
    """Options are for parts of the user's own, and for those of akrig's that say which they take."""
    unknown = [] if is_code(word) else [name for name in options if name not in takes]
    if unknown and takes:
        raise ValueError(f"{word!r} takes no option {unknown[0]!r}; {nearest(unknown[0], takes)}")
    if unknown:
        raise ValueError(f"options are for parts of your own, not for {word!r}; got {', '.join(options)}")
