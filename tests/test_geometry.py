import numpy as np
import pytest

from akrig import Box


def test_grid_covers_the_box_corners_included():
    grid = Box((0, -1), (2, 1)).grid(3, 2)
    assert grid.tolist() == [[0, -1], [0, 1], [1, -1], [1, 1], [2, -1], [2, 1]]


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [
        ((0, 0), (1,), "lower < upper"),
        ((0,), (0,), "lower < upper"),
        ((), (), "lower < upper"),
        ((0,), (np.inf,), "finite"),
        ((np.nan,), (1,), "lower < upper"),
    ],
)
def test_impossible_boxes_are_refused(lower, upper, message):
    with pytest.raises(ValueError, match=message):
        Box(lower, upper)


def test_a_grid_needs_a_count_per_dimension():
    with pytest.raises(ValueError, match="2 counts"):
        Box((0, 0), (1, 1)).grid(3)
