"""Importing akrig, and what is declared about it."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import akrig

ROOT = Path(__file__).parent.parent


def test_import_loads_nothing_heavy():
    code = "import sys, akrig; print([m for m in ('torch', 'numpy', 'gpytorch', 'numba') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_every_public_name_can_be_had():
    for name in akrig.__all__:
        assert getattr(akrig, name) is not None
    assert set(akrig.__all__) <= set(dir(akrig))
    with pytest.raises(AttributeError, match="no attribute 'Kernels'"):
        akrig.Kernels  # noqa: B018


def test_what_is_imported_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [
        *project["dependencies"],
        *(line for lines in project["optional-dependencies"].values() for line in lines),
    ]
    declared = set(map(name_of, wanted))
    providers = packages_distributions()
    for name in sorted(imported_modules(ROOT / "src") - set(sys.stdlib_module_names) - {"akrig"}):
        assert declared & {found.lower().replace("_", "-") for found in providers[name]}, name


def test_missions_need_no_extra(tmp_path):
    """With nothing but the dependencies: a mission, its map and its report."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extra = {name_of(line) for lines in project["optional-dependencies"].values() for line in lines} - {"akrig"}
    found = packages_distributions().items()
    hidden = [module for module, names in found if {name.lower().replace("_", "-") for name in names} <= extra]
    assert {"pyproj", "starlette", "dask"} <= set(hidden)
    command = ["run", "--field", "ridges", "--strategy", "random", "--budget", "60", "--out", str(tmp_path / "run")]
    command += ["--set", "scoring.grid=[12, 12]", "--set", "scoring.map_grid=[16, 16]"]
    code = f"import sys; sys.modules.update(dict.fromkeys({hidden})); from akrig.cli import main; main({command})"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=tmp_path)
    assert (tmp_path / "run" / "map.nc").exists()
    assert (tmp_path / "run" / "report.html").exists()


def name_of(requirement: str) -> str:
    return re.split(r"[\[<>=]", requirement)[0].lower().replace("_", "-")


def test_extras_compose():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert extras["dev"][0] == "akrig[live,field,cluster]"
    named = {name_of(line) for lines in extras.values() for line in lines}
    assert len(named) == sum(map(len, extras.values())), "Something is declared in two extras."


def test_paths_in_the_settings_of_tools_are_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    patterns = project["tool"]["ruff"]["lint"]["per-file-ignores"]
    assert not [pattern for pattern in patterns if not list(ROOT.glob(pattern))]
    includes = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert not [path for path in includes if not (ROOT / path).exists()]
    engine = re.search(r"ENGINE := \$\(addprefix tests/,(.*?)\)", (ROOT / "Makefile").read_text(), re.DOTALL)
    assert engine is not None
    assert not [name for name in engine[1].replace("\\", "").split() if not (ROOT / "tests" / name).exists()]


def imported_modules(folder: Path) -> set[str]:
    nodes = [node for file in folder.rglob("*.py") for node in ast.walk(ast.parse(file.read_text()))]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    return {name.partition(".")[0] for name in names}


def test_compiled_code_is_cached_between_runs():
    """A process that finds the compiled loops on disk compiles none of them again."""
    code = """
import warnings; warnings.simplefilter("ignore")
import numpy as np, torch
from gpytorch.kernels import ScaleKernel
from numba.core.dispatcher import Dispatcher
from akrig import AttentiveKernel, GPRegression, Samples
from akrig.gp import posterior
from akrig.kernels.ops.fused import attentive, network
X = np.random.default_rng(0).uniform(size=(20, 2))
model = GPRegression(ScaleKernel(AttentiveKernel.with_network(2)))
model.observe(Samples(X, X[:, 0])); model.fit(2); model.predict(X)
loops = [f for m in (attentive, network, posterior) for f in vars(m).values() if isinstance(f, Dispatcher)]
print(sum(sum(f.stats.cache_misses.values()) for f in loops), sum(sum(f.stats.cache_hits.values()) for f in loops))
"""
    for _ in range(2):  # the first may find none on disk
        misses, hits = map(int, subprocess.check_output([sys.executable, "-c", code], text=True).split())
        if misses == 0:
            break
    assert misses == 0
    assert hits >= 5
