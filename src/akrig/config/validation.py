"""Settings against their model, with everything that is wrong said at once, in words."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from akrig.config.names import nearest
from akrig.errors import ConfigError

M = TypeVar("M", bound=BaseModel)


def validated(model: type[M], content: Mapping[str, Any], *, source: str, what: str = "a setting") -> M:
    """Args:
    source: where the settings come from.
    what: a word that is known would be.
    """
    try:
        return model.model_validate(dict(content))
    except ValidationError as error:
        raise ConfigError(source, [_sentence(problem, model, what) for problem in error.errors()]) from None


def _sentence(problem: Mapping[str, Any], model: type[BaseModel], what: str) -> str:
    """One problem: where, what, what to do."""
    place = ".".join(str(part) for part in problem["loc"])
    kind, given = problem["type"], problem.get("input")
    if kind == "extra_forbidden":
        *section, key = problem["loc"]
        return f"{place} is not {what}; {nearest(str(key), _keys(model, section))}"
    if kind == "literal_error":
        known = problem["ctx"]["expected"].replace("'", "").replace(" or ", ", ").split(", ")
        return f"{place}: {given!r} is not possible; {nearest(str(given), known)}"
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return f"{place}: {given!r} does not fit; it is a section with {', '.join(_keys(model, problem['loc']))}"
    message = problem["msg"].removeprefix("Value error, ").removeprefix("Input should be ").rstrip(".")
    if kind == "value_error":
        return f"{place}: {message}" if place else message
    return f"{place} is missing" if kind == "missing" else f"{place}: {given!r} does not fit; it should be {message}"


def _keys(model: type[BaseModel], section: list[str | int]) -> list[str]:
    for part in section:
        annotation = model.model_fields[str(part)].annotation
        candidates = [annotation, *getattr(annotation, "__args__", ())]
        model = next(c for c in candidates if isinstance(c, type) and issubclass(c, BaseModel))
    return list(model.model_fields)
