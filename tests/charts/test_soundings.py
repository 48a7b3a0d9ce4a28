"""What becomes of a log before a map is made of it."""

import numpy as np
import pytest

from akrig.charts.soundings import load_chart_data, read_chart_data, write_chart_data
from akrig.errors import AkrigError
from akrig.frame import LocalFrame
from tests.charts.lakes import depth, lines, write_readings, write_soundings


def test_soundings_far_from_all_others_and_spikes_are_left_out_and_counted(tmp_path):
    X, y = lines()
    X = np.vstack([X, [[9000.0, 0.0], [9001.0, 3.0]]])
    y = np.concatenate([y, [8.0, 8.0]])
    y[100] = 60.0
    data = read_chart_data(write_soundings(tmp_path / "lake.csv", X, y))
    assert data.note == "lake.csv: 272 soundings, left out: 1 spikes; left out: 2 far from all others."
    assert len(data) == 269
    assert np.abs(data.X).max() < 200
    assert (data.quantity, data.units) == ("depth", "m")


def test_ways_are_in_order_and_in_the_wanted_metres(tmp_path):
    X, y = lines()
    order = np.random.default_rng(1).permutation(len(y))
    data = read_chart_data(write_soundings(tmp_path / "lake.csv", X[order], y[order]), frame=LocalFrame(8.5, 47.3))
    assert np.abs(data.y - depth(data.X)).max() < 0.5
    assert (np.diff(data.legs) >= 0).all()
    assert np.median(np.linalg.norm(np.diff(data.X, axis=0), axis=1)) < 15  # neighbours on a line, 10 m apart


def test_they_are_kept_to_the_last_digit(tmp_path):
    data = read_chart_data(write_readings(tmp_path / "table.csv", *lines()))
    assert data.frame is None
    write_chart_data(tmp_path / "kept.npz", data)
    again = load_chart_data(tmp_path / "kept.npz")
    for name in ("X", "y", "legs"):
        assert np.array_equal(getattr(again, name), getattr(data, name))
    assert (again.frame, again.quantity, again.units, again.note) == (None, "value", "", data.note)


def test_a_damaged_copy_is_one_sentence(tmp_path):
    (tmp_path / "kept.npz").write_bytes(b"PK\3\4" + b"rubbish" * 99)
    with pytest.raises(AkrigError, match="delete it, and call the same command again"):
        load_chart_data(tmp_path / "kept.npz")


def test_an_island_of_soundings_is_no_stray_one(tmp_path, rng):
    """A hundred of a thousand, kilometres away, are a water of their own."""
    X, y = lines(20, 50)
    far = rng.uniform(0, 50, (100, 2)) + np.array([3000.0, 0.0])
    data = read_chart_data(write_soundings(tmp_path / "two.csv", np.vstack([X, far]), np.concatenate([y, depth(far)])))
    assert "far from all others" not in data.note
    assert len(data) == 1100
