"""Tables of shared coordinates against exponentials one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.geometry import Box
from akrig.kernels.ops.fused import attentive
from akrig.kernels.ops.fused.grid import axis_table, grid_cross, shared_coordinates


@given(
    n=st.integers(1, 40),
    counts=st.tuples(st.integers(9, 20), st.integers(9, 20)),
    M=st.integers(1, 11),
    P=st.integers(1, 9),
    seed=st.integers(0, 1000),
)
def test_a_grid_gives_what_single_queries_give(n, counts, M, P, seed):
    rng = np.random.default_rng(seed)
    Xq = rng.permutation(Box((-1, -1), (1, 1)).grid(*counts))
    XT, WT, ZT = rng.uniform(-1, 1, (2, n)), rng.uniform(0, 1, (M, n)), rng.uniform(0, 1, (P, n))
    WqT, ZqT = rng.uniform(0, 1, (M, len(Xq))), rng.uniform(0, 1, (P, len(Xq)))
    exponents = -rng.uniform(0.5, 5000, M)
    expected = ZqT.T @ ZT
    attentive.rbf_cross(Xq, WqT, XT, WT, exponents, expected)
    (x, y), (ix, iy) = shared_coordinates(Xq)
    assert (len(x), len(y)) == counts
    out = ZqT.T @ ZT
    first, second = axis_table(x, XT[0], exponents, WT), axis_table(y, XT[1], exponents, np.ones_like(WT))
    grid_cross(WqT, first, ix, second, iy, out)
    assert np.abs(out - expected).max() < 1e-13 * M * P


@pytest.mark.parametrize(
    "Xq",
    [
        np.random.default_rng(0).uniform(-1, 1, (500, 2)),
        Box((0, 0), (1, 1)).grid(5, 5),
        Box((0,), (1,)).grid(400),
        Box((0, 0, 0), (1, 1, 1)).grid(9, 9, 9),
    ],
    ids=["scattered", "few", "a line", "a cube"],
)
def test_other_queries_are_left_to_the_general_loop(Xq):
    assert shared_coordinates(Xq) is None
