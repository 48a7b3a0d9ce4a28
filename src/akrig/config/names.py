"""Words in settings: what is known, what was probably meant, and parts from the user's own package."""

import difflib
import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from akrig.errors import ConfigError


def nearest(word: str, known: Iterable[str]) -> str:
    """' Did you mean ...?', or all known words if none is near."""
    known = list(known)
    folded = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), folded, n=1, cutoff=0.6)
    if close:
        return f"did you mean {folded[close[0]]!r}?"
    return f"choose from {', '.join(known)}"


def check_name(word: str, known: Iterable[str], *, what: str) -> str:
    """The word, if it is known or names something that can be imported; `ValueError` otherwise."""
    known = list(known)
    if ":" in word:
        import_part(word)
    elif word not in known:
        hint = nearest(word, known)
        raise ValueError(f"no {what} is called {word!r}; {hint}" + ("" if hint.endswith("?") else "."))
    return word


def check_options(word: str, options: Mapping[str, Any]) -> None:
    """Options are for parts of the user's own."""
    if options and ":" not in word:
        raise ValueError(f"options are for parts of your own, not for {word!r}; got {', '.join(options)}")


def import_part(word: str) -> Callable[..., Any]:
    """What "mylab.kernels:Mine" names; the current folder is searched too."""
    module_name, _, attribute = word.partition(":")
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise ValueError(f"{word!r} cannot be imported: {error}.") from None
    except Exception as error:  # whatever the user's module does when imported
        raise ValueError(f"{word!r} cannot be imported: {type(error).__name__}: {error}.") from None
    finally:
        if added:
            sys.path.remove(here)
    if not hasattr(module, attribute):
        public = [name for name in vars(module) if not name.startswith("_")]
        raise ValueError(f"{word!r}: {module_name} has no {attribute!r}; {nearest(attribute, public)}")
    part = getattr(module, attribute)
    if not callable(part):
        raise ValueError(f"{word!r} is not a class or function that makes a part.")
    return part


def call_with(part: Callable[..., Any], options: Mapping[str, Any], **offered: Any) -> Any:
    """Calls the user's part with its options, and with those of the offered arguments that it names."""
    wanted = inspect.signature(part).parameters
    known = {name: value for name, value in offered.items() if name in wanted}
    unknown = [name for name in options if name not in wanted]
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in wanted.values())
    if unknown and not takes_any:
        raise ValueError(f"{part.__name__} takes no option {unknown[0]!r}; {nearest(unknown[0], wanted)}")
    return part(**{**known, **options})


def users_part(what: str, word: str, options: Mapping[str, Any], *, kind: type, **offered: Any) -> Any:
    """Makes the user's kernel, strategy, ...; what goes wrong while doing so is told as a fault in the settings.

    Args:
        kind: what it must be.
    """
    try:
        part = import_part(word)
        made = part if _is_made(part, kind) else call_with(part, options, **offered)
    except Exception as error:  # whatever the user's code does
        raise ConfigError(what, [f"{word!r} could not be made: {type(error).__name__}: {error}"]) from error
    if not isinstance(made, kind):
        raise ConfigError(what, [f"{word!r} makes a {type(made).__name__}, which is no {kind.__name__}."])
    return made


def _is_made(part: Any, kind: type) -> bool:
    """Does the word name a field, say, rather than something that makes one?"""
    return not isinstance(part, type) and isinstance(part, kind)
