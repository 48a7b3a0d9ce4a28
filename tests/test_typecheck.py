"""What is checked while the other tests run."""

import sys
from importlib import import_module

import numpy as np
import pytest
from jaxtyping import TypeCheckError, _import_hook

from akrig.gp.posterior import project_rows
from akrig.strategies.candidates import rescaled
from akrig.words import plural
from tests import typecheck


def test_every_module_is_checked():
    """Of every room."""
    for room in ("live.app", "paper.benchmark.tables", "plots.maps", "study.summary", "survey.link.state", "cli.run"):
        import_module(f"akrig.{room}")
    names = [name for name in sys.modules if name.startswith("akrig.") and not name.startswith("akrig.__")]
    assert len(names) > 100
    assert [name for name in names if not isinstance(sys.modules[name].__loader__, _import_hook._JaxtypingLoader)] == []


def test_types_and_shapes_are_checked_at_each_tests_first_calls():
    with pytest.raises(TypeCheckError, match="plural"):
        plural("three", "leg")
    with pytest.raises(TypeCheckError, match="rescaled"):
        rescaled(np.zeros((2, 2)))
    for _ in range(typecheck.CALLS):
        assert plural(3, "leg") == "3 legs"
    assert plural("three", "leg") == "three legs"  # thousands of calls tell nothing new


def test_and_again_in_the_next():
    with pytest.raises(TypeCheckError, match="plural"):
        plural("three", "leg")


def test_as_users_run_it(unchecked):
    assert plural("three", "leg") == "three legs"


def test_compiled_loops_are_left_as_they_are():
    assert hasattr(project_rows, "signatures")
