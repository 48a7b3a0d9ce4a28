"""Importing akrig, and what its documents promise."""

import re
import subprocess
import sys
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
