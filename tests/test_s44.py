"""IHO S-44, edition 6.1.0, table 1: what an order allows, and which of them a depth meets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from akrig.s44 import BY_NAME, ORDERS, SharedError, best_orders

# Metres allowed at 0, 10, 40 and 100 metres of depth, worked out by hand from the table's a and b.
TABLE = {
    "exclusive": [0.15, 0.168, 0.335, 0.765],
    "special": [0.25, 0.261, 0.391, 0.791],
    "1a": [0.5, 0.517, 0.721, 1.393],
    "1b": [0.5, 0.517, 0.721, 1.393],
    "2": [1.0, 1.026, 1.359, 2.508],
}


@pytest.mark.parametrize("name", TABLE)
def test_it_allows_what_the_standard_does(name):
    assert BY_NAME[name].allowed(np.array([0.0, 10.0, 40.0, 100.0])) == pytest.approx(TABLE[name], abs=6e-4)


def test_it_is_met_if_95_percent_of_errors_are_allowed():
    order, depth = BY_NAME["1b"], np.full(200, 12.0)
    std = np.linspace(0.01, 1.0, 200)
    inside = 2 * norm.cdf(order.allowed(depth) / std) - 1
    clear = np.abs(inside - 0.95) > 1e-4  # 1.96 is rounded
    assert np.array_equal(order.is_met(depth, std)[clear], (inside >= 0.95)[clear])


@given(st.floats(0, 300), st.floats(1e-3, 3))
def test_the_best_order_is_the_strictest_that_is_met(depth, std):
    (code,) = best_orders(np.array([depth]), np.array([std]))
    met = [order.code for order in ORDERS if 1.96 * std <= np.sqrt(order.a**2 + (order.b * depth) ** 2)]
    assert (np.isnan(code) and not met) or code == min(met)


def test_what_all_soundings_share_is_added_as_independent_errors_are():
    depth, std = np.array([0.0, 10.0]), np.array([0.3, 0.3])
    assert SharedError().added(depth, std) == pytest.approx(std)
    assert SharedError(0.4, 0.12).added(depth, std) == pytest.approx([0.5, 1.3])
    assert SharedError().added(depth, std, noise_variance=0.16) == pytest.approx([0.5, 0.5])
