"""Maps as they travel, and values between their points."""

import json
import struct

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator

from akrig.live.maps import Map, encoded, interpolated, read_snapshot


@pytest.fixture
def map(rng) -> Map:
    return Map(7, {name: rng.normal(size=(5, 9)).astype(np.float32) for name in ("mean", "std")})


def test_floats_arrive_as_they_were(map):
    data = encoded(map)
    (size,) = struct.unpack("<I", data[:4])
    header = json.loads(data[4 : 4 + size])
    assert (4 + size) % 4 == 0
    assert header == {"readings": 7, "rows": 5, "columns": 9, "layers": ["mean", "std"]}
    values = np.frombuffer(data[4 + size :], dtype="<f4").reshape(2, 5, 9)
    np.testing.assert_array_equal(values[1], map.layers["std"])


def test_between_grid_points_as_scipy_does(map, rng):
    peer = RegularGridInterpolator((np.linspace(0, 1, 5), np.linspace(0, 1, 9)), map.layers["mean"].astype(float))
    for east, north in [*rng.uniform(size=(20, 2)), (0, 0), (1, 1), (1, 0.5)]:
        assert interpolated(map, east, north)["mean"] == pytest.approx(peer([[north, east]])[0], abs=1e-9)


def test_nothing_is_known_beside_a_hole(map):
    map.layers["mean"][2, 3] = np.nan
    assert interpolated(map, 3 / 8, 2 / 4)["mean"] is None


def test_a_file_that_is_no_snapshot_is_refused(tmp_path, rng):
    with (tmp_path / "a.npz").open("wb") as file:
        np.savez(file, mean=rng.normal(size=(3, 3)), std=rng.normal(size=(2, 2)))
    with pytest.raises(ValueError, match="not a snapshot"):
        read_snapshot(1, tmp_path / "a.npz")
