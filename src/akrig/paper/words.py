"""Small words that several reports share."""

import math
from collections.abc import Sequence

from akrig.plots.formatting import MISSING


def signed(value: float, *, digits: int = 2, plus: bool = False) -> str:
    """With a real minus sign; nothing is minus zero."""
    if not math.isfinite(value):
        return MISSING
    rounded = round(value, digits) + 0.0
    return f"{rounded:{'+' if plus else ''}.{digits}f}".replace("-", "\u2212")


def joined(words: Sequence[str], *, last: str = "and") -> str:
    """`a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
