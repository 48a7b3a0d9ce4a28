from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from akrig.metrics import error_correlation
from akrig.plots.calibration import (
    LEVELS,
    calibration_figure,
    cells,
    has_calibration,
    observed_coverage,
    record_correlation,
    reliability,
)
from akrig.types import Prediction
from tests.plots.records import without_truth


def gaussian(record, *, spread, rng):
    """A map whose errors are Gaussian with `spread` times the predicted standard deviation."""
    std = np.broadcast_to(np.linspace(1, 5, 200), (150, 200))
    truth = np.zeros((150, 200))
    layers = {"mean": rng.normal(0, spread * std), "std": std, "truth": truth}
    grid = {"y": np.arange(150.0), "x": np.arange(200.0)}
    dataset = type(record.map)({name: (("y", "x"), layer) for name, layer in layers.items()}, coords=grid)
    return replace(record, map=dataset)


def test_coverage_equals_a_direct_count(attentive):
    truth, mean, std = (attentive.map[name].to_numpy() for name in ("truth", "mean", "std"))
    for level, observed in zip(LEVELS, observed_coverage(attentive), strict=True):
        lower, upper = norm.interval(level, loc=mean, scale=std)
        assert observed == pytest.approx(np.mean((lower <= truth) & (truth <= upper)), abs=2e-3)


def test_a_calibrated_map_lies_on_the_lines(attentive, rng):
    honest = gaussian(attentive, spread=1.0, rng=rng)
    np.testing.assert_allclose(observed_coverage(honest), LEVELS, atol=0.015)
    bins = reliability(honest)
    np.testing.assert_allclose(bins.median, 0.674 * bins.std, rtol=0.08)


def test_a_map_that_is_too_sure_lies_below(attentive, rng):
    assert (observed_coverage(gaussian(attentive, spread=2.0, rng=rng)) < LEVELS).all()


def test_bins_hold_ordered_quartiles(attentive):
    bins = reliability(attentive)
    assert (np.diff(bins.std) > 0).all()
    assert (bins.lower <= bins.median).all()
    assert (bins.median <= bins.upper).all()
    assert len(bins.std) == 12


def test_constant_uncertainty_gives_one_bin_and_no_correlation(attentive):
    constant = attentive.map.copy()
    constant["std"] = constant["std"] * 0 + 3.0
    record = replace(attentive, map=constant, scores={})
    assert len(reliability(record).std) == 1
    assert record_correlation(record) == 0
    calibration_figure([record])


def test_the_correlation_is_that_of_the_scores(attentive):
    layers = {name: attentive.map[name].to_numpy().ravel().astype(float) for name in ("truth", "mean", "std")}
    prediction = Prediction(layers["mean"], layers["std"] ** 2)
    assert record_correlation(attentive) == pytest.approx(error_correlation(prediction, layers["truth"]), abs=1e-4)


def test_unknown_cells_are_left_out(attentive):
    holed = attentive.map.copy(deep=True)
    holed["truth"][0, :5] = np.nan
    assert len(cells(replace(attentive, map=holed)).error) == 24 * 30 - 5


def test_records_are_overlaid_and_the_figure_draws_what_was_computed(attentive, rbf):
    figure = calibration_figure([attentive, rbf, without_truth(rbf)])
    left, right = figure.axes
    lines = {line.get_label(): line for line in left.lines}
    assert set(lines) == {"as it should be", attentive.title, rbf.title}
    np.testing.assert_array_equal(lines[rbf.title].get_ydata(), observed_coverage(rbf))
    assert any(f"{record_correlation(rbf):.2f}" in line.get_label() for line in right.lines)


def test_one_record_has_its_correlation_in_the_title(attentive):
    title = calibration_figure([attentive]).axes[1].get_title(loc="left")
    assert f"{record_correlation(attentive):.2f}" in title


def test_without_a_truth_there_is_nothing_to_hold_the_map_against(attentive):
    unknown = without_truth(attentive)
    assert not has_calibration(unknown)
    with pytest.raises(ValueError, match="no truth"):
        cells(unknown)
    with pytest.raises(ValueError, match="truth is known"):
        calibration_figure([unknown])
