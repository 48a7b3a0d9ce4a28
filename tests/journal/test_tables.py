import numpy as np

from akrig.journal.tables import Table, read_columns


def test_a_table_goes_on_in_the_columns_that_it_began_with(tmp_path):
    """A run that is resumed by another akrig, which has more scores, or no longer all of them."""
    path = tmp_path / "scores.csv"
    Table(path, keep_through=-1).append({"epoch": 0, "rmse": 2.0, "mae": 1.0})
    Table(path, keep_through=0).append({"epoch": 1, "mae": 0.5, "coverage": 0.9, "rmse": 1.5})
    Table(path, keep_through=1).append({"epoch": 2, "rmse": 1.25})
    columns = read_columns(path)
    assert columns["epoch"].tolist() == [0, 1, 2]
    assert columns["rmse"].tolist() == [2.0, 1.5, 1.25]
    np.testing.assert_array_equal(columns["mae"], [1.0, 0.5, np.nan])
    assert "coverage" not in columns
