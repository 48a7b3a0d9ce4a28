"""Dense pings become few readings: spikes and stray positions are found, the ground is not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.survey.logs.thinning import cell_indices, cell_medians, is_astray, is_spike, spacing_for


def track(num: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A boat at 1 m/s over a slope, pinging ten times a second."""
    time = np.arange(num) / 10
    X = np.column_stack([time, np.sin(time / 5)])
    return X, 5 + 0.3 * X[:, 0], time


@pytest.mark.parametrize("timed", [True, False])
def test_spikes_are_found_and_nothing_else(timed, rng):
    X, depth, time = track()
    depth += 0.02 * rng.standard_normal(len(depth))
    wrong = rng.choice(len(depth), 20, replace=False)
    depth[wrong] += rng.choice([-1, 1], 20) * rng.uniform(4.0, 30.0, 20)
    assert set(np.flatnonzero(is_spike(X, depth, time if timed else None))) == set(wrong)


def test_a_cliff_is_no_spike():
    X, _, time = track()
    depth = np.where(X[:, 0] < 20, 3.0, 15.0)
    assert not is_spike(X, depth, time).any()


def test_times_need_not_be_sorted(rng):
    X, depth, time = track()
    depth[[50, 300]] += 9
    order = rng.permutation(len(time))
    expected = is_spike(X, depth, time)[order]
    np.testing.assert_array_equal(is_spike(X[order], depth[order], time[order]), expected)


def test_a_handful_of_pings_has_no_spikes():
    assert not is_spike(np.zeros((3, 2)), np.array([1.0, 50.0, 1.0]), None).any()


@pytest.mark.parametrize("where", [0, 7, 39])
def test_a_position_nobody_could_have_been_at_is_astray(where):
    time = np.arange(40.0)
    X = np.column_stack([1.5 * time, np.zeros(40)])
    X[where] += 500
    assert np.flatnonzero(is_astray(X, time)).tolist() == [where]


def test_after_a_long_silence_a_position_may_be_far():
    time = np.concatenate([np.arange(20.0), 300 + np.arange(20.0)])
    X = np.column_stack([time, np.zeros(40)])
    assert not is_astray(X, time).any()


@given(st.integers(0, 10_000), st.sampled_from([0.5, 2.0, 7.0]))
def test_a_reading_is_the_median_of_its_cell(seed, spacing):
    rng = np.random.default_rng(seed)
    X, depth, time = rng.uniform(-20, 20, (200, 2)), rng.uniform(1, 9, 200), rng.permutation(200).astype(float)
    place, value, first = cell_medians(X, depth, time=time, spacing=spacing)
    assert first is not None
    members: dict[tuple, list[int]] = {}
    for k, point in enumerate(X):  # the slow twin
        members.setdefault(tuple(np.floor(point / spacing)), []).append(k)
    expected = sorted((time[ks].min(), *X[ks].mean(axis=0), np.median(depth[ks])) for ks in members.values())
    np.testing.assert_allclose(np.column_stack([first, place, value]), expected)


def test_without_times_cells_come_as_they_appear():
    X = np.array([[5.1, 0.0], [0.2, 0.0], [5.2, 0.0], [9.0, 0.0]])
    place, value, time = cell_medians(X, np.array([1.0, 2.0, 3.0, 4.0]), time=None, spacing=1.0)
    assert value.tolist() == [2.0, 2.0, 4.0]
    np.testing.assert_allclose(place[:, 0], [5.15, 0.2, 9.0])
    assert time is None


@given(st.integers(0, 1000), st.integers(5, 150))
def test_the_spacing_found_is_handy_and_leaves_few_enough(seed, most):
    X = np.random.default_rng(seed).uniform(0, 300, (200, 2))
    spacing = spacing_for(X, most)
    assert spacing is not None
    assert len(np.unique(cell_indices(X, spacing))) <= most
    assert float(f"{spacing:.1e}") == pytest.approx(spacing)  # two digits at most


def test_few_pings_need_no_spacing():
    assert spacing_for(np.zeros((10, 2)), 10) is None
