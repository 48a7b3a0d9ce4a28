"""Shapes and types of every annotated function are checked while tests run."""

import atexit
import os
import shutil
import signal
import tempfile
from contextlib import suppress

# Every core has a worker of pytest already: a second thread of theirs would only wait, busily, for the first.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("NUMBA_NUM_THREADS", "2")

os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="akrig-state-")  # for the secret that signs the tests' runs

from tests import typecheck

typecheck.install()

import numpy as np  # noqa: E402
import pytest  # noqa: E402
import torch  # noqa: E402
from hypothesis import settings  # noqa: E402

from tests.forked import Forked  # noqa: E402
from tests.sketches import save_sheet  # noqa: E402

atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)

settings.register_profile("akrig", deadline=None, max_examples=25, derandomize=True)
settings.load_profile("akrig")


# Those that wait for a boat come before those that keep the processor busy.
LONGEST = (
    "tests/ardupilot/test_survey",
    "tests/survey/test_faults",
    "tests/survey/test_people",
    "tests/survey/test_kill",
    "tests/live/test_attacks",
    "tests/live/test_page_survey",
    "tests/study/test_cluster",
    "tests/study/test_slurm",
    "tests/survey/link/test_vehicle",
    "tests/test_wheel",
    "tests/gp/test_combination",
    "tests/runs/test_resume",
    "tests/live/test_report_in_browser",
    "tests/plots/test_report",
    "tests/gp/test_regression",
    "tests/fuzz/",
    "tests/live/test_page",
    "tests/test_cli.py",
    "tests/test_package",
    "tests/paper/functions/test_step",
    "tests/test_one_file",
    "tests/test_examples",
    "tests/cli/test_trust",
    "tests/strategies/routes/test_route",
    "tests/survey/test_ways",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, so that no worker is left with them when the others are done."""
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    ranks = (rank for rank, start in enumerate(LONGEST) if item.nodeid.startswith(start))
    return next(ranks, len(LONGEST))


@pytest.fixture(autouse=True)
def checked_types():
    typecheck.begin_test()
    yield
    typecheck.end_test()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture
def points(generator) -> torch.Tensor:
    return torch.rand(40, 2, dtype=torch.float64, generator=generator) * 2 - 1


@pytest.fixture
def sketched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are saved as white sheets: for tests that read the words and numbers beside them."""
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", save_sheet)


@pytest.fixture
def unchecked(checked_types):
    """As users run it: no run-time type checks, so that our own messages for wrong arguments are seen."""
    typecheck.end_test()


@pytest.fixture
def processes():
    """Killed in the end, whatever happens."""
    started: list[Forked] = []
    yield started
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
