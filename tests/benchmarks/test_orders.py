"""What is counted of maps that say how sure they are."""

import numpy as np
import pytest

from akrig.s44 import ORDERS
from benchmarks.orders import table, tallies


def by_name(found):
    return {order.name: tally for order, tally in found.items()}


def test_a_cell_keeps_an_order_by_its_error_at_the_true_depth():
    mean, truth = np.array([10.0, 10.0, 10.0, 10.0, 5.0]), np.array([10.4, 10.6, 10.0, 10.6, np.nan])
    found = by_name(tallies(mean, np.array([0.2, 0.2, 0.4, 0.01, 0.1]), truth))
    one = found["1b"]  # allows 0.52 m: 0.265 m of standard deviation
    assert (one.cells, one.said, one.kept, one.within) == (4, 3, 1, 2)
    two = found["2"]
    assert (two.said, two.kept, two.within) == (4, 4, 4)
    assert found["exclusive"].said == 1


def test_of_a_gaussian_that_knows_itself_95_percent_are_kept_where_it_is_just_sure_enough(rng):
    depth = rng.uniform(5, 50, 40_000)
    std = ORDERS[2].allowed(depth) / 1.96 * (1 - 1e-9)
    one = by_name(tallies(depth, std, depth + rng.normal(0, std)))["1b"]
    assert one.said == one.cells
    assert one.kept / one.said == pytest.approx(0.95, abs=0.005)


def test_the_table_has_a_row_for_each_path_and_one_for_all():
    found = tallies(np.full(10, 10.0), np.full(10, 0.2), np.array([10.0] * 9 + [11.0]))
    lines = table({("bay", 700.0, "lawnmower"): [found, found], ("lake", 700.0, "route"): [found]}).splitlines()
    assert lines[2] == "| bay, 0.7 km | lawnmower | 2 | 0 | 0 | 1.00, 0.900 | 1.00, 1.000 |"
    assert "**all**" in lines[-2]
    assert "0.900; 3" in lines[-1]
