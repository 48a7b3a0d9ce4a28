"""Counts, spans and times as people say them."""

import math
from collections.abc import Sequence

MINUTE, HOUR, DAY = 60, 3600, 86400  # seconds


def plural(count: int, noun: str, *, many: str | None = None, shown: str | None = None) -> str:
    """`1 leg`, `2 legs`, `0 legs`.

    Args:
        many: what more than one are called, where that is not the noun with an s.
        shown: the count as it is written, if not in plain digits.
    """
    return f"{count if shown is None else shown} {noun if count == 1 else many or f'{noun}s'}"


def are(count: int) -> str:
    """The verb that goes with a count."""
    return "is" if count == 1 else "are"


def capital(text: str) -> str:
    """With a capital letter; the others stay."""
    return text[:1].upper() + text[1:]


def joined(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return "".join(words) if len(words) < 2 else f"{', '.join(words[:-1])} and {words[-1]}"


def span(low: str, high: str, *, units: str = "") -> str:
    """`−8 to 3 %`, and just the number where both ends look alike; `units` brings its own space."""
    return f"{low}{units}" if low == high else f"{low} to {high}{units}"


def clock(seconds: float) -> str:
    """Since the mission began: `12:05`, `1:02:03`, and with its days `8 d 07:28:49`; nothing before it began."""
    if math.isnan(seconds):
        return ""
    whole = max(0, int(seconds))
    days, hours, minutes = whole // DAY, whole // HOUR % 24, whole // MINUTE % 60
    below = f"{minutes:02d}:{whole % MINUTE:02d}"
    if days:
        return f"{days} d {hours:02d}:{below}"
    return f"{hours}:{below}" if hours else below.removeprefix("0")


def number_in(text: str) -> float | None:
    """`None` if it is no number."""
    try:
        return float(text)
    except ValueError:
        return None
