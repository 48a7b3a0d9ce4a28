"""Settings against their model, with everything that is wrong said at once, in words."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from akrig.config.names import nearest
from akrig.errors import ConfigError

M = TypeVar("M", bound=BaseModel)
DEEPEST = 20
LONGEST = 100  # letters of a value in a sentence


def validated(model: type[M], content: Mapping[str, Any], *, source: str, what: str = "a setting") -> M:
    """Args:
    source: where the settings come from.
    what: a word that is known would be.
    """
    _check_plain(content, source=source)
    try:
        return model.model_validate(dict(content))
    except ValidationError as error:
        raise ConfigError(source, [_sentence(problem, model, what) for problem in error.errors()]) from None


def _check_plain(content: Any, *, source: str, depth: int = 0) -> None:
    """Before its meaning: no text that no file can be called, and nothing nested beyond all sense."""
    if depth > DEEPEST:
        raise ConfigError(source, [f"this is nested more than {DEEPEST} times"])
    if isinstance(content, str) and "\0" in content:
        raise ConfigError(source, [f"{shown(content)} holds a zero character, which no name has"])
    if isinstance(content, Mapping):
        content = [*content, *content.values()]
    if isinstance(content, list | tuple):
        for part in content:
            _check_plain(part, source=source, depth=depth + 1)


def shown(value: Any) -> str:
    """As in Python, but not all of it if it is long."""
    try:
        words = repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits
        words = f"this {type(value).__name__}"
    return words if len(words) <= LONGEST else f"{words[:LONGEST]} ..."


def _sentence(problem: Mapping[str, Any], model: type[BaseModel], what: str) -> str:
    """One problem: where, what, what to do."""
    place = ".".join(str(part)[:LONGEST] for part in problem["loc"])
    kind, given = problem["type"], shown(problem.get("input"))
    if kind == "extra_forbidden":
        *section, key = problem["loc"]
        return f"{place} is not {what}; {nearest(str(key)[:LONGEST], _keys(model, section))}"
    if kind == "literal_error":
        known = problem["ctx"]["expected"].replace("'", "").replace(" or ", ", ").split(", ")
        return f"{place}: {given} is not possible; {nearest(str(problem.get('input'))[:LONGEST], known)}"
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        keys = ", ".join(_keys(model, problem["loc"])) or "words of your own"
        return f"{place}: {given} does not fit; it is a section with {keys}"
    message = problem["msg"].removeprefix("Value error, ").removeprefix("Input should be ").rstrip(".")
    if kind == "value_error":
        return f"{place}: {message}" if place else message
    return f"{place} is missing" if kind == "missing" else f"{place}: {given} does not fit; it should be {message}"


def _keys(model: type[BaseModel], section: Sequence[str | int]) -> list[str]:
    """Of the section; none if it is none of ours."""
    for part in section:
        field = model.model_fields.get(str(part))
        annotation = None if field is None else field.annotation
        candidates = [annotation, *getattr(annotation, "__args__", ())]
        found = next((c for c in candidates if isinstance(c, type) and issubclass(c, BaseModel)), None)
        if found is None:
            return []
        model = found
    return list(model.model_fields)
