"""Seeds as people write them: "0-9", "0,3,7", 4 or [0, 1]."""

import re
from typing import Any

MOST = 100_000


def read_seeds(given: Any, problems: list[str]) -> tuple[int, ...]:
    """In the given order, each once; what is wrong with them is added to `problems`."""
    seeds = _of_text(given) if isinstance(given, str) else _of_numbers(given if isinstance(given, list) else [given])
    if not seeds:
        problems.append(f"seeds: {given!r:.100} does not fit; it should be like '0-9', '0,3,7', 4 or [0, 1]")
    return tuple(dict.fromkeys(seeds))


def _of_numbers(given: list[Any]) -> list[int]:
    fits = all(isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0 for seed in given)
    return given if fits else []


def _of_text(text: str) -> list[int]:
    seeds: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"\s*(\d{1,18})\s*(?:-\s*(\d{1,18})\s*)?", part)
        if not found:
            return []
        first = int(found[1])
        last = int(found[2] or first)
        if not first <= last < first + MOST:
            return []
        seeds += range(first, last + 1)
    return seeds
