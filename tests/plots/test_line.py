import numpy as np
import pytest

from akrig.paper.functions.step import Fit
from akrig.plots.line import fitted_lines_figure, save_fitted_lines
from akrig.plots.style import style
from akrig.types import Prediction, Samples


@pytest.fixture
def fits():
    X = np.linspace(0, 1, 30)[:, None]
    prediction = Prediction(np.sin(X[:, 0]), np.full(30, 0.04))
    samples = Samples(X[::5], np.sin(X[::5, 0]))
    shares = np.full((30, 4), 0.25)
    plain = Fit("plain", X, np.sin(X[:, 0]), samples, prediction)
    full = Fit("full", X, np.sin(X[:, 0]), samples, prediction, np.linspace(0.1, 1, 4), shares, shares)
    return [plain, full]


def test_each_model_gets_a_panel_and_weights_and_memberships_theirs(fits):
    with style():
        figure = fitted_lines_figure(fits, jumps=[0.5])
        panels = [axis for axis in figure.axes if axis.get_ylabel() not in ("", "lengthscale")]
        assert [axis.get_ylabel() for axis in panels] == ["y", "y", "weights w", "member-\nships z"]
        assert [axis.get_title(loc="left") for axis in panels][:2] == ["plain", "full"]
        band = panels[0].collections[0].get_paths()[0].vertices
        assert band[:, 1].max() == pytest.approx(np.sin(1) + 0.4)


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_the_files_ending_decides_the_format_and_nothing_else_is_left(fits, ending, tmp_path):
    path = tmp_path / f"figure.{ending}"
    save_fitted_lines(path, fits)
    begins = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[ending]
    assert path.read_bytes().startswith(begins)
    assert list(tmp_path.iterdir()) == [path]
