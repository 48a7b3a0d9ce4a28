"""Parts of the user's own are found, judged by what they are, and only then called."""

import sys

import pytest
from gpytorch.kernels import RBFKernel

from akrig.config.own_parts import check_own_parts, find_part, make_part, own_code
from akrig.config.settings import FieldSettings, KernelSettings
from akrig.errors import ConfigError
from akrig.fields import CHIRP

LAB = """
from gpytorch.kernels import Kernel, RBFKernel, RQKernel
from akrig.fields import CHIRP, Function1D

CALLS = []

def kernel(dim, alpha=2.0):
    CALLS.append("kernel")
    return RQKernel()

def silent(alpha=2.0):
    CALLS.append("silent")
    return RBFKernel()

def promising(alpha=2.0) -> RBFKernel:
    return RBFKernel()

def any_kernel() -> Kernel:
    return RBFKernel()

def odd(nothing: "NoSuchType") -> "NoSuchType":
    CALLS.append("odd")

def wide(dim, hidden=99, dtype=None):
    made = RBFKernel()
    made.hidden, made.dtype_given = hidden, dtype
    return made

def number(dim):
    return 3

class Blind:
    pass

class Planner:
    def plan(self, belief, situation, rng): ...

class Heir(Planner):
    pass
"""


@pytest.fixture
def lab(tmp_path, monkeypatch):
    (tmp_path / "mylab.py").write_text(LAB)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "mylab", raising=False)
    yield
    sys.modules.pop("mylab", None)


def test_what_settings_name_is_listed_and_not_imported(lab):
    content = {"kernel": {"name": "mylab:kernel"}, "strategy": "mylab:Planner", "field": "lake", "seed": 3}
    assert own_code(content) == {"kernel": "mylab:kernel", "strategy": "mylab:Planner"}
    assert "mylab" not in sys.modules


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("kernel", "mylab:kernel"),
        ("kernel", "mylab:promising"),
        ("kernel", "mylab:any_kernel"),
        ("kernel", "mylab:RQKernel"),
        ("kernel", "gpytorch.kernels:PeriodicKernel"),
        ("strategy", "mylab:Planner"),
        ("strategy", "mylab:Heir"),
        ("strategy", "akrig.strategies:Myopic"),
        ("field", "mylab:CHIRP"),
    ],
)
def test_what_fits_is_found(part, name, lab):
    assert callable(find_part(part, name)) or find_part(part, name) is CHIRP


@pytest.mark.parametrize(
    ("part", "name", "said"),
    [
        ("kernel", "mylab:silent", "it takes none of what akrig offers (dim, generator) and does not say that it"),
        ("kernel", "mylab:odd", "as in `def odd() -> Kernel`"),
        ("kernel", "mylab:Planner", "it is a class that is no gpytorch Kernel"),
        ("kernel", "mylab:CALLS", "it is not a class or function that makes one"),
        ("kernel", "mylab:CHIRP", "it is not a class or function that makes one"),
        ("strategy", "mylab:Blind", "it is a class without plan(...)"),
        ("strategy", "mylab:kernel", "it takes none of what akrig offers (num_candidates)"),
        ("field", "mylab:Blind", "it is a class without __call__(...)"),
        ("vehicle", "mylab:Planner", "it is a class without follow(...)"),
        ("sensor", "os:system", "it is not a class or function that makes one"),
    ],
)
def test_what_does_not_fit_is_told_and_not_called(part, name, said, lab):
    with pytest.raises(ValueError, match=f"^{name!r} is no {part}: ") as caught:
        find_part(part, name)
    assert said in str(caught.value)
    assert "mylab" not in sys.modules or sys.modules["mylab"].CALLS == []


def test_all_that_does_not_fit_is_told_at_once(lab):
    with pytest.raises(ConfigError) as caught:
        check_own_parts({"kernel": "os:system", "strategy": "mylab:Blind", "pilot": "nolab:Mine"})
    assert [problem.partition(":")[0] for problem in caught.value.problems] == ["kernel", "strategy", "pilot"]


def test_a_part_is_made_with_what_it_names_and_must_be_of_its_kind(lab):
    assert isinstance(make_part("kernel", KernelSettings(name="mylab:promising", options={"alpha": 3.0})), RBFKernel)
    assert make_part("field", FieldSettings(name="mylab:CHIRP"), seed=0) is CHIRP
    with pytest.raises(ConfigError, match="'mylab:number' makes a int, which is no Kernel"):
        make_part("kernel", KernelSettings(name="mylab:number"), dim=2)


def test_settings_of_akrigs_own_parts_are_not_forced_on_the_users(lab):
    """`hidden` is a word of akrig's networks, and `dtype` of its kernels: a part of one's own has its own defaults."""
    made = make_part("kernel", KernelSettings(name="mylab:wide", hidden=3), dim=2, dtype="float64")
    assert (made.hidden, made.dtype_given) == (99, None)
