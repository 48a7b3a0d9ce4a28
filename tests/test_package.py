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
