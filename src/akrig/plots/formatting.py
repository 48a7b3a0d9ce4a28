"""Numbers with the digits that matter, and what they mean in plain words."""

import math
from collections.abc import Sequence

import numpy as np

from akrig import words
from akrig.journal.record import Record
from akrig.parts import KERNELS, MODELS, find

MISSING = "\u2013"
_SPACE, _THIN_SPACE, _MINUS, _TIMES = "\u00a0", "\u202f", "\u2212", "\u00d7"  # no line breaks at these spaces


def final_score(record: Record, column: str) -> float | None:
    """Of the last scored epoch; nothing if there is none, or if it could not be computed."""
    values = record.scores.get(column, np.empty(0))
    return float(values[-1]) if len(values) and math.isfinite(values[-1]) else None


def best_places(values: Sequence[float | None], goal: str | float | None) -> set[int]:
    """Which of several values are best; none if nothing is to be chosen from."""
    if goal is None or sum(value is not None for value in values) < 2:
        return set()
    costs = {place: _cost(value, goal) for place, value in enumerate(values) if value is not None}
    least = min(costs.values())
    return {place for place, cost in costs.items() if cost == least}


def _cost(value: float, goal: str | float) -> float:
    if isinstance(goal, float):
        return abs(value - goal)
    return value if goal == "low" else -value


def numbers(values: Sequence[float | None], *, digits: int = 3) -> list[str]:
    """All with the same decimals, so that they can be compared; a dash for what is missing."""
    sizes = [math.floor(math.log10(abs(value))) for value in values if value and math.isfinite(value)] or [0]
    size = max(min(sizes), max(sizes) - 1)
    decimals = min(max(digits - 1 - size, 0), 8)
    return [_number(value, decimals) for value in values]


def number(value: float, *, digits: int = 3) -> str:
    return numbers([value], digits=digits)[0]


def _number(value: float | None, decimals: int) -> str:
    if value is None or not math.isfinite(value):
        return MISSING
    text = f"{value:,.{decimals}f}".replace(",", _THIN_SPACE)
    return text.replace("-", _MINUS)


def percent(share: float) -> str:
    """Whole numbers where they tell enough: `94 %`, but `2.1 %`, and never 100 % of what is not whole."""
    shown = f"{100 * share:.0f}" if 0.095 <= share <= 0.99 or share in (0, 1) else f"{100 * share:.1f}"
    return f"{shown}{_SPACE}%"


def amount(value: float, units: str) -> str:
    return f"{number(value)}{_SPACE}{units}" if units else number(value)


def length(metres: float) -> str:
    return amount(metres / 1000, "km") if metres >= 1000 else amount(metres, "m")


def duration(seconds: float) -> str:
    if not math.isfinite(seconds):
        return MISSING
    if seconds < 60:
        return f"{number(seconds, digits=2)}{_SPACE}s"
    if seconds >= 48 * 3600:
        return f"{number(seconds / 86400, digits=2)}{_SPACE}days"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours}{_SPACE}h {minutes:02d}{_SPACE}min" if hours else f"{minutes}{_SPACE}min"


def area(record: Record) -> str:
    """`5 × 4 km`, all sides in one unit."""
    sides = record.workspace.size
    scale, unit = (1000, "km") if max(sides) >= 1000 else (1, "m")
    return f"{f'{_SPACE}{_TIMES}{_SPACE}'.join(f'{side / scale:.3g}' for side in sides)}{_SPACE}{unit}"


def plain(text: str) -> str:
    """For a terminal: with ordinary spaces, and a minus and a times that every font has."""
    return text.translate({ord(_SPACE): " ", ord(_THIN_SPACE): " ", ord(_MINUS): "-", ord(_TIMES): "x"})


def kernel_words(kernel_name: str) -> str:
    return find(KERNELS, kernel_name.lower()).phrase or f"the kernel {find(KERNELS, kernel_name).label}"


def learner_words(record: Record) -> str:
    """What the map was made with: the kernel, or a model that is not the usual one."""
    if record.model_name is None:
        return kernel_words(record.kernel_name)
    part = find(MODELS, record.model_name)
    return part.phrase or f"the model {part.label}"


def field_range(record: Record) -> float | None:
    """How far the truth reaches, highest less lowest."""
    if record.map is None or "truth" not in record.map:
        return None
    truth = record.map["truth"].to_numpy()
    reach = float(np.nanmax(truth) - np.nanmin(truth))
    return reach if reach > 0 else None


def shared_units(records: Sequence[Record]) -> str:
    """Nothing where they differ."""
    units = {record.units for record in records}
    return units.pop() if len(units) == 1 else ""


def used_distance(record: Record) -> float:
    return record.epochs[-1].used.distance if record.epochs else 0.0


def used_time(record: Record) -> float:
    return record.epochs[-1].used.time if record.epochs else 0.0


def counted(count: int, word: str) -> str:
    """`1 500 readings`."""
    return words.plural(count, word, shown=f"{count:,}".replace(",", _THIN_SPACE))
