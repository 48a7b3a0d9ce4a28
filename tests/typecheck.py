"""Types and shapes of every annotated function, checked while tests run: the first calls of each, in every test."""

import inspect
import typing
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import partial, wraps
from typing import Any

import jaxtyping
from beartype import BeartypeConf, beartype
from beartype.roar import BeartypeDecorHintException
from jaxtyping import _import_hook, install_import_hook, jaxtyped

CALLS = 20  # of a function in one test that are checked: in a loop of thousands, the rest would tell nothing new
COMPILED = ("njit", "compiled_loop")  # numba's decorators, which want functions as they are written

check_types = beartype(conf=BeartypeConf(is_pep484_tower=True))  # whole numbers are welcome where floats are
_num_tests = 0
_test = 0  # the number of the one that runs; 0 outside of tests: what modules share is made unchecked


def install() -> None:
    """From now on, modules of akrig are imported with their checks."""
    _import_hook._is_no_type_check = _is_left_alone
    jaxtyping.jaxtyped = _decorated
    install_import_hook("akrig", "tests.typecheck.check_types")


def begin_test() -> None:
    global _test, _num_tests
    _num_tests += 1
    _test = _num_tests


def end_test() -> None:
    global _test
    _test = 0


def _is_left_alone(node: Any, known: Callable[[Any], bool] = _import_hook._is_no_type_check) -> bool:
    return known(node) or getattr(getattr(node, "func", node), "id", None) in COMPILED


def _decorated(function: Any = None, *, typechecker: Any) -> Any:
    """In place of jaxtyping's own, which checks every call."""
    if function is None:
        return partial(_decorated, typechecker=typechecker)
    if inspect.isclass(function):
        made = vars(function).get("__init__")
        if is_dataclass(function) and made is not None and not hasattr(made, "__wrapped__"):
            function.__init__ = _first_calls_checked(made)
        return function
    return _first_calls_checked(function) if function.__annotations__ else function


def _first_calls_checked(function: Callable) -> Callable:
    test, left, checking = 0, 0, None

    @wraps(function)
    def wrapper(*args, **kwargs):
        nonlocal test, left, checking
        if not _test:
            return function(*args, **kwargs)
        if test != _test:
            test, left = _test, CALLS
        if not left:
            return function(*args, **kwargs)
        left -= 1
        checking = checking or _checking(function)
        return checking(*args, **kwargs)

    return wrapper


def _checking(function: Callable) -> Callable:
    """Made when it is first called: names that annotations mention may be defined after the function is."""
    try:
        typing.get_type_hints(function)
        return jaxtyped(function, typechecker=check_types)
    except (NameError, BeartypeDecorHintException):  # names, and protocols, for the static checker only
        return function
