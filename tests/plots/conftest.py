import pytest

from akrig.journal.record import Record
from tests.plots.records import make_record


@pytest.fixture(scope="session")
def attentive() -> Record:
    return make_record("attentive")


@pytest.fixture(scope="session")
def rbf() -> Record:
    return make_record("rbf")


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")
