"""Parts by the names that settings give them: akrig's own and the user's, made in one way.

This is the one place where code that settings name is imported, and called if it fits.
"""

import importlib
import inspect
import reprlib
import sys
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from akrig.config.names import is_code, nearest
from akrig.config.section import PartSection
from akrig.errors import ConfigError
from akrig.metric_parts import SCORED_BY, own_metrics
from akrig.protocols import Field, Model, Sensor, Strategy, Vehicle


@dataclass(frozen=True)
class Kind:
    """What code must be to be called as such a part.

    Args:
        type: gives the class or protocol; a function, because kernels bring torch.
        offered: arguments that akrig has for a part of the user's own; it takes those that it names.
    """

    type: Callable[[], type]
    offered: tuple[str, ...]


def _kernel() -> type:
    from gpytorch.kernels import Kernel

    return Kernel


KINDS = {
    "field": Kind(lambda: Field, ("seed",)),
    "kernel": Kind(_kernel, ("dim", "generator")),
    "model": Kind(lambda: Model, ("workspace", "kernel", "make_kernel", "seed")),
    "strategy": Kind(lambda: Strategy, ("num_candidates",)),
    "pilot": Kind(lambda: Strategy, ("num_points",)),
    "sensor": Kind(lambda: Sensor, ("field",)),
    "vehicle": Kind(lambda: Vehicle, ("sensor", "pose", "noise", "speed", "spacing", "workspace")),
}


def own_code(settings: Mapping[str, Any]) -> dict[str, str]:
    """Part -> "module:Name", of all parts that nested settings name in modules; nothing is imported."""
    sections = {part: settings.get(part) for part in KINDS}
    named = {part: value.get("name") if isinstance(value, Mapping) else value for part, value in sections.items()}
    metrics = {f"metric {metric.name}": metric.where for metric in own_metrics(settings).values()}
    return {part: name for part, name in named.items() if isinstance(name, str) and is_code(name)} | metrics


def check_own_parts(settings: Mapping[str, Any]) -> None:
    """Imports all that nested settings name, and says of all at once what does not fit; nothing is called."""
    problems = []
    for part, name in own_code(settings).items():
        try:
            find_metric(name) if part.startswith("metric ") else find_part(part, name)
        except ValueError as error:
            problems.append((part, str(error)))
    if len(problems) == 1:
        raise ConfigError(problems[0][0], [problems[0][1]])
    if problems:
        raise ConfigError("The settings", [f"{part}: {problem}" for part, problem in problems])


def make_part(what: str, section: PartSection, **known: Any) -> Any:
    """The kernel, strategy, ... that a section of the settings names.

    akrig's own are called with what they name out of the section and of `known`; the user's out of `known` and of their
    options. What goes wrong while the user's is made is told as a fault in the settings.
    """
    name, options, kind = section.part.name, section.part_options, KINDS[what].type()
    if is_code(name):
        known = {argument: value for argument, value in known.items() if argument in KINDS[what].offered}
        try:
            found = find_part(what, name)
        except ValueError as error:
            raise ConfigError(what, [str(error)]) from error
    else:
        found, known = section.part.maker, {**section.choices, **known}
    try:
        made = found if _is_made(found, kind) else _call(found, options, known)
    except Exception as error:  # whatever the user's code does, and ours with options that do not fit
        if is_code(name):
            told = str(error) if isinstance(error, ValueError) and str(error) else f"{type(error).__name__}: {error}"
            raise ConfigError(what, [f"{name!r} could not be made: {told}"]) from error
        if not options:
            raise
        told = (
            str(error)
            if isinstance(error, ValueError)
            else f"an option is of the wrong kind; got {reprlib.repr(options)}"
        )
        raise ConfigError(f"{what} {name}", [told]) from error
    if not isinstance(made, kind):
        raise ConfigError(what, [f"{name!r} makes a {type(made).__name__}, which is no {kind.__name__}."])
    return made


def find_part(what: str, name: str) -> Any:
    """What the name stands for, if it may be called as this part; `ValueError` otherwise."""
    offered, kind, found = KINDS[what].offered, KINDS[what].type(), import_name(name)
    if _is_made(found, kind):
        return found
    if isinstance(found, type):
        missing = _missing(found, kind)
        if missing:
            raise ValueError(f"{name!r} is no {what}: it is a class {missing}.")
    elif not inspect.isfunction(found):
        raise ValueError(f"{name!r} is no {what}: it is not a class or function that makes one.")
    elif not set(offered) & inspect.signature(found).parameters.keys() and not _promises(found, kind):
        raise ValueError(
            f"{name!r} is no {what}: it takes none of what akrig offers ({', '.join(offered)}) and does not say "
            f"that it makes one, as in `def {found.__name__}() -> {kind.__name__}`."
        )
    return found


def find_metric(name: str) -> Callable[..., float]:
    """The function that the name stands for, if it can be called with what metrics are offered."""
    found = import_name(name)
    if not inspect.isfunction(found):
        raise ValueError(f"{name!r} is no metric: it is not a function.")
    parameters = inspect.signature(found).parameters.values()
    needed = [each.name for each in parameters if each.default is each.empty and each.kind is not each.VAR_KEYWORD]
    if not needed or not set(needed) <= set(SCORED_BY):
        raise ValueError(f"{name!r} is no metric: it should take some of {', '.join(SCORED_BY)}, and nothing else.")
    return found


def import_name(name: str) -> Any:
    """What "mylab.kernels:Mine" names; the current folder is searched too."""
    module_name, _, attribute = name.partition(":")
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise ValueError(f"{name!r} cannot be imported: {error}.") from None
    except Exception as error:  # whatever the user's module does when imported
        raise ValueError(f"{name!r} cannot be imported: {type(error).__name__}: {error}.") from None
    finally:
        if added:
            sys.path.remove(here)
    try:
        return getattr(module, attribute)
    except AttributeError:
        public = [word for word in vars(module) if not word.startswith("_")]
        raise ValueError(f"{name!r}: {module_name} has no {attribute!r}; {nearest(attribute, public)}") from None


def _call(found: Callable[..., Any], options: Mapping[str, Any], offered: Mapping[str, Any]) -> Any:
    """With its options, and with those of the offered arguments that it names."""
    wanted = inspect.signature(found).parameters
    known = {name: value for name, value in offered.items() if name in wanted}
    unknown = [name for name in options if name not in wanted]
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in wanted.values())
    if unknown and not takes_any:
        raise ValueError(f"{found.__name__} takes no option {unknown[0]!r}; {nearest(unknown[0], wanted)}")
    return found(**{**known, **options})


def _is_made(found: Any, kind: type) -> bool:
    """Does the name stand for a field, say, rather than something that makes one?"""
    return not isinstance(found, type) and not inspect.isroutine(found) and isinstance(found, kind)


def _missing(made: type, kind: type) -> str:
    """What keeps instances of a class from being of a kind, in words; attributes may yet be set when they are made."""
    if not getattr(kind, "_is_protocol", False):
        return "" if issubclass(made, kind) else f"that is no {kind.__module__.partition('.')[0]} {kind.__name__}"
    named = (item for each in reversed(kind.__mro__) for item in vars(each).items())
    public = [item for item in named if not item[0].startswith("_") or item[0] == "__call__"]
    methods = [name for name, value in public if inspect.isfunction(value)]
    lacking = [name for name in methods if not any(name in vars(each) for each in made.__mro__)]
    return f"without {' and '.join(lacking)}(...)" if lacking else ""


def _promises(function: Callable[..., Any], kind: type) -> bool:
    try:
        made = typing.get_type_hints(function).get("return")
    except Exception:  # hints may be anything
        return False
    return isinstance(made, type) and not _missing(made, kind)
