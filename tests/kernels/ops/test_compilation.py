"""Compiled loops are never older than their sources."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import akrig

SOURCES = Path(akrig.__file__).parent
LOOPS = Path("akrig", "kernels", "ops")

CALL = """
import numpy as np
from akrig.kernels.ops.fused import rbf
out = np.ones((1, 1))
rbf.rbf_cross_features(np.zeros((1, 1)), np.ones((1, 1)), -1.0, out)
stats = rbf.rbf_cross_features.stats
print(out[0, 0], sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


@pytest.fixture
def copy(tmp_path) -> Path:
    """The loops alone, in packages without torch."""
    shutil.copytree(SOURCES.parent / LOOPS, tmp_path / LOOPS, ignore=shutil.ignore_patterns("__pycache__"))
    for package in (LOOPS.parent, LOOPS.parent.parent):
        (tmp_path / package / "__init__.py").touch()
    return tmp_path


def call(folder: Path) -> tuple[float, int, int]:
    environment = {"PATH": "", "PYTHONPATH": str(folder), "PYTHONWARNINGS": "ignore"}
    out = subprocess.check_output([sys.executable, "-c", CALL], text=True, cwd=folder, env=environment)
    value, hits, misses = out.split()
    return float(value), int(hits), int(misses)


@pytest.mark.parametrize(
    ("file", "before", "after", "expected"),
    [
        # What is inlined into the loop, and what is called by it: both in files of their own.
        ("exponential.py", "return power_of_whole(t) * power_of_fraction(f)", "return 7.0 + 0.0 * f", 7.0),
        ("distances.py", "out[j] += difference * difference", "out[j] += 2.0 * difference * difference", 0.25),
    ],
)
def test_edited_source_is_compiled_again_into_the_loops_of_other_files(copy, file, before, after, expected):
    assert call(copy) == (0.5, 0, 1)
    assert call(copy) == (0.5, 1, 0)
    path = copy / LOOPS / file
    source = path.read_text()
    assert source.count(before) == 1
    path.write_text(source.replace(before, after))
    assert call(copy) == (expected, 0, 1)
    path.write_text(source)
    assert call(copy)[0] == 0.5


def test_no_loop_is_kept_by_numbas_own_key():
    """Which knows nothing of the files that are compiled into it."""
    for path in SOURCES.rglob("*.py"):
        assert path.name == "compilation.py" or "cache=True" not in path.read_text(), path
