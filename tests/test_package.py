"""Importing akrig, and what its documents promise."""

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
    declared = {re.split(r"[\[<>=]", line)[0].lower().replace("_", "-") for line in wanted}
    providers = packages_distributions()
    for name in sorted(imported_modules(ROOT / "src") - set(sys.stdlib_module_names) - {"akrig"}):
        assert declared & {found.lower().replace("_", "-") for found in providers[name]}, name


def imported_modules(folder: Path) -> set[str]:
    nodes = [node for file in folder.rglob("*.py") for node in ast.walk(ast.parse(file.read_text()))]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("document", ["README.md", "docs/start.md", "docs/extending.md"])
def test_the_documents_python_runs(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)
    assert blocks
    exec("\n".join(blocks), {})


@pytest.mark.parametrize("document", sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")]), ids=lambda p: p.name)
def test_the_documents_links_lead_somewhere(document):
    for link in re.findall(r"\]\(([^)#]+)\)", document.read_text()):
        assert link.startswith("https://") or (document.parent / link).exists(), link


def test_compiled_code_is_cached_between_runs():
    """A process that finds the compiled loops on disk compiles none of them again."""
    code = """
import warnings; warnings.simplefilter("ignore")
import numpy as np, torch
from gpytorch.kernels import ScaleKernel
from numba.core.dispatcher import Dispatcher
from akrig import AttentiveKernel, GPRegression, Samples
from akrig.gp import posterior
from akrig.kernels.ops import fused, fused_network
X = np.random.default_rng(0).uniform(size=(20, 2))
model = GPRegression(ScaleKernel(AttentiveKernel.with_network(2)))
model.observe(Samples(X, X[:, 0])); model.fit(2); model.predict(X)
loops = [f for m in (fused, fused_network, posterior) for f in vars(m).values() if isinstance(f, Dispatcher)]
print(sum(sum(f.stats.cache_misses.values()) for f in loops), sum(sum(f.stats.cache_hits.values()) for f in loops))
"""
    runs = [subprocess.check_output([sys.executable, "-c", code], text=True).split() for _ in range(2)]
    misses, hits = map(int, runs[1])
    assert misses == 0
    assert hits >= 5
