"""Shapes and types of every annotated function are checked while tests run."""

import atexit
import os
import shutil
import tempfile

# Every core has a worker of pytest already: a second thread of theirs would only wait, busily, for the first.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("NUMBA_NUM_THREADS", "2")

os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="akrig-state-")  # for the secret that signs the tests' runs

from jaxtyping import install_import_hook

import tests.typecheck  # noqa: F401 - so that the hook finds it

# All but kernels.ops, whose functions numba compiles.
CHECKED = [
    "akrig.errors",
    "akrig.geometry",
    "akrig.types",
    "akrig.fields",
    "akrig.randomness",
    "akrig.mission",
    "akrig.metrics",
    "akrig.journal",
    "akrig.strategies",
    "akrig.vehicles",
    "akrig.config.build",
    "akrig.config.load",
    "akrig.config.models",
    "akrig.config.names",
    "akrig.config.own_parts",
    "akrig.survey.logs.replay",
    "akrig.config.strategies",
    "akrig.config.trust",
    "akrig.config.vehicles",
    "akrig.runs",
    "akrig.gp.attention",
    "akrig.gp.adam",
    "akrig.gp.fingerprint",
    "akrig.gp.inference",
    "akrig.gp.normalize",
    "akrig.gp.process",
    "akrig.gp.regression",
    "akrig.gp.solver",
    "akrig.gp.storage",
    "akrig.gp.training",
    "akrig.kernels.attentive",
    "akrig.kernels.attentive_gram",
    "akrig.kernels.deep",
    "akrig.kernels.gibbs",
    "akrig.kernels.gram",
    "akrig.kernels.network",
    "akrig.kernels.unit_rows",
]
install_import_hook(CHECKED, "tests.typecheck.checked")

import threading  # noqa: E402

import numpy as np  # noqa: E402
import pytest  # noqa: E402
import torch  # noqa: E402
from hypothesis import settings  # noqa: E402
from jaxtyping import config  # noqa: E402
from PIL import Image  # noqa: E402

CHECKED_SECONDS = 0.2
config.update("jaxtyping_disable", True)
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
    "tests/fuzz/",
    "tests/study/test_cluster",
    "tests/study/test_slurm",
    "tests/survey/link/test_vehicle",
    "tests/test_cli.py",
    "tests/cli/test_outputs",
    "tests/cli/test_own_code",
    "tests/runs/test_resume",
    "tests/live/test_page",
    "tests/plots/test_report",
    "tests/gp/test_regression",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, so that no worker is left with them when the others are done."""
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    ranks = (rank for rank, start in enumerate(LONGEST) if item.nodeid.startswith(start))
    return next(ranks, len(LONGEST))


@pytest.fixture(autouse=True)
def checked_at_first():
    """Types are checked in the first moments of every test: in a loop of thousands, the rest would tell nothing new."""
    config.update("jaxtyping_disable", False)
    timer = threading.Timer(CHECKED_SECONDS, config.update, ("jaxtyping_disable", True))
    timer.daemon = True
    timer.start()
    yield
    timer.cancel()
    config.update("jaxtyping_disable", True)  # what modules share is made unchecked


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
    from matplotlib.figure import Figure

    def sheet(figure, target, *, format, **options):
        width, height = figure.get_size_inches()
        Image.new("RGB", (int(100 * width), int(100 * height)), "white").save(target, format)

    monkeypatch.setattr(Figure, "savefig", sheet)


@pytest.fixture
def unchecked(checked_at_first):
    """As users run it: no run-time type checks, so that our own messages for wrong arguments are seen."""
    config.update("jaxtyping_disable", True)
