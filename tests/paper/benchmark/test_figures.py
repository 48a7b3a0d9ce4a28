import matplotlib.pyplot as plt
import numpy as np
import pytest

from akrig.paper.benchmark.figures import benchmark_curves_figure, differences_figure
from akrig.plots.style import kernel_lines

SAMPLES = np.arange(50, 710, 10)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def band(level):
    mean = level * (1 + np.exp(-(SAMPLES - 50) / 100))
    return SAMPLES, mean, 0.05 * mean


def test_a_panel_for_every_field_and_metric_and_one_legend():
    panels = {(m, f): {"rbf": band(2), "attentive": band(1)} for m in ("smse", "msll") for f in ("a", "b", "c")}
    figure = benchmark_curves_figure(panels, rows={"smse": "SMSE", "msll": "MSLL"}, columns=["a", "b", "c"])
    assert [axis.get_title(loc="left") for axis in figure.axes] == ["a", "b", "c", "", "", ""]
    assert all(len(axis.lines) == 2 for axis in figure.axes)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["rbf", "attentive"]


def test_a_panel_without_runs_stays_empty():
    figure = benchmark_curves_figure({("smse", "a"): {"rbf": band(1)}}, rows={"smse": "SMSE"}, columns=["a", "b"])
    assert [len(axis.lines) for axis in figure.axes] == [1, 0]


def test_a_huge_beginning_does_not_flatten_the_rest():
    samples, mean, std = band(1)
    mean = np.where(samples < 70, 1000.0, mean)
    figure = benchmark_curves_figure(
        {("nlpd", "a"): {"rbf": (samples, mean, std)}}, rows={"nlpd": "NLPD"}, columns=["a"]
    )
    assert figure.axes[0].get_ylim()[1] < 10


def test_kernels_differ_in_pattern_too_and_own_kernels_from_each_other():
    lines = kernel_lines(["rbf", "attentive", "gibbs", "deep", "mine", "yours"])
    patterns = [str(line["linestyle"]) for line in lines.values()]
    assert len(set(patterns[:4])) == 4
    assert lines["mine"]["linestyle"] != lines["yours"]["linestyle"]
    assert kernel_lines(["deep"])["deep"] == lines["deep"]


def test_far_differences_are_framed():
    differences = {
        ("random", "a"): {("SMSE", "rbf"): 0.5, ("SMSE", "deep"): -3.5},
        ("active", "a"): {("SMSE", "rbf"): 12.0},
    }
    figure = differences_figure(differences, within=3.0)
    axis = figure.axes[0]
    assert len(axis.patches) == 2
    assert {"+0.5", "\u22123.5", "+12"} <= {text.get_text() for text in axis.texts}
    assert [label.get_text() for label in axis.get_yticklabels()] == ["random  a", "active  a"]
