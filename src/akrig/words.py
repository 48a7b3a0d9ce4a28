"""Counts as people say them."""


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


def span(low: str, high: str, *, units: str = "") -> str:
    """`−8 to 3 %`, and just the number where both ends look alike; `units` brings its own space."""
    return f"{low}{units}" if low == high else f"{low} to {high}{units}"
