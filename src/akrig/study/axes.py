"""The axes of a study's grids, lists of values with a label each; and its seeds, as people write them."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from akrig.parts import label_of

MOST_SEEDS = 100_000


@dataclass(frozen=True)
class Value:
    """One value of an axis, and what tables call it."""

    label: str
    content: Any


@dataclass(frozen=True)
class Axis:
    """A setting and the values it takes; the name has dots where sections are nested."""

    name: str
    values: tuple[Value, ...]

    @property
    def points(self) -> list[tuple["Axis", Value]]:
        return [(self, value) for value in self.values]

    def place(self, content: Any) -> dict[str, Any]:
        """The content as settings; nothing for an axis that only labels."""
        if content is None:
            return {}
        for part in reversed(self.name.split(".")):
            content = {part: content}
        return content


Grid = tuple[Axis, ...]


def read_grids(content: Any, problems: list[str]) -> tuple[Grid, ...]:
    """Every [[grid]]; what is wrong with them is added to `problems`. Without any, a study is its base."""
    if content is None:
        return ((),)
    if not isinstance(content, list) or not all(isinstance(grid, dict) for grid in content) or not content:
        problems.append("grid: write [[grid]], with two brackets, once for each grid")
        return ()
    return tuple(_read_grid(grid, problems) for grid in content)


def _read_grid(content: dict[str, Any], problems: list[str]) -> Grid:
    axes = []
    if "label" in content:
        axes.append(Axis("grid", (Value(str(content["label"]), None),)))
    for name, values in _flattened({key: value for key, value in content.items() if key != "label"}):
        if name == "seed":
            problems.append("grid: seed is not an axis; give seeds = '0-9' above the grids")
        elif name == "grid":
            problems.append("grid.grid is not a setting; to tell grids apart give each a label")
        else:
            axes.append(_read_axis(name, values, problems))
    return tuple(axes)


def _flattened(section: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """`kernel.hidden = [5, 10]` is the axis "kernel.hidden"; a table with a label is one value."""
    for key, value in section.items():
        if isinstance(value, dict) and "label" not in value:
            yield from _flattened(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _read_axis(name: str, given: Any, problems: list[str]) -> Axis:
    values = _with_short_labels(
        [_read_value(name, value, problems) for value in (given if isinstance(given, list) else [given])]
    )
    labels = [value.label for value in values]
    if not values:
        problems.append(f"grid: {name} has no values")
    problems.extend(
        f"grid: two values of {name} are called {label!r}; give one of them a label of its own"
        for label in dict.fromkeys(label for label in labels if labels.count(label) > 1)
    )
    return Axis(name, tuple(values))


def _with_short_labels(values: list[Value]) -> list[Value]:
    """Parts of the user's own are called what they are called everywhere, if that tells them apart."""
    short = []
    for value in values:
        name = value.content.get("name") if isinstance(value.content, dict) else value.content
        names_code = isinstance(name, str) and value.label == name and ":" in name
        short.append(replace(value, label=label_of(value.label)) if names_code else value)
    return short if len({value.label for value in short}) == len({value.label for value in values}) else values


def _read_value(name: str, given: Any, problems: list[str]) -> Value:
    problems += unusable(given, f"grid.{name}")
    if isinstance(given, str):
        return Value(given, given)
    if not isinstance(given, dict):
        return Value(json.dumps(given, default=str), given)
    content = {key: value for key, value in given.items() if key != "label"}
    label = given.get("label", given.get("name"))
    if not isinstance(label, str) or not label:
        problems.append(f"grid: the value {given} of {name} needs a label")
    return Value(str(label), content)


def unusable(content: Any, name: str) -> list[str]:
    """What of TOML no setting can be: dates and numbers that are none."""
    if isinstance(content, dict):
        return [problem for key, value in content.items() for problem in unusable(value, f"{name}.{key}")]
    if isinstance(content, list):
        return [problem for value in content for problem in unusable(value, name)]
    fits = isinstance(content, str | int) or (isinstance(content, float) and math.isfinite(content))
    return [] if fits else [f"{name}: {content} cannot be used; text, numbers, true and false can"]


def read_seeds(given: Any, problems: list[str]) -> tuple[int, ...]:
    """In the given order, each once; what is wrong with them is added to `problems`."""
    seeds = _of_text(given) if isinstance(given, str) else given if isinstance(given, list) else [given]
    if not seeds or not all(isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0 for seed in seeds):
        seeds = []
        problems.append(f"seeds: {given!r:.100} does not fit; it should be like '0-9', '0,3,7', 4 or [0, 1]")
    return tuple(dict.fromkeys(seeds))


def _of_text(text: str) -> list[int]:
    seeds: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"\s*(\d{1,18})\s*(?:-\s*(\d{1,18})\s*)?", part)
        if not found:
            return []
        first = int(found[1])
        last = int(found[2] or first)
        if not first <= last < first + MOST_SEEDS:
            return []
        seeds += range(first, last + 1)
    return seeds
