"""Readings leg by leg, as run folders and tables hold them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.geometry import Pose
from akrig.journal.events import Content, Journal
from akrig.journal.folder import RunFolder
from akrig.journal.legs import UnreadableLog, read_legs, read_table, write_table
from akrig.journal.record import epoch_event
from akrig.types import Budget, Epoch, Measurement, Plan, Samples

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64)


def test_a_run_folder_has_the_legs_of_its_finished_epochs(tmp_path):
    folder = RunFolder.create(tmp_path / "run", "")
    legs = [[Measurement(k + i / 3, (i, k), i * k) for i in range(4)] for k in range(3)]
    journal = Journal(folder.journal, content=Content([], [], 0))
    journal.begin("0")
    plan = Plan(np.array([[0.0, 1.0]]))
    for index, leg in enumerate(legs):
        journal.plan(plan)
        for measurement in leg:
            journal.measurement(measurement)
        if index < 2:  # the last was interrupted
            used = Budget(4.0 * (index + 1), 0.0, 0.0)
            epoch = Epoch(index, plan, Samples.of(leg, dim=2), 0.0, {}, Pose((0, 0)), used)
            journal.settle(epoch_event(epoch, {}))
    journal.close()
    assert read_legs(folder.path) == legs[:2]


@given(st.lists(st.tuples(FINITE, FINITE, FINITE, FINITE), min_size=1, max_size=130))
def test_a_table_reads_back_as_it_was_written_in_legs_of_ten(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("table") / "readings.csv"
    readings = [Measurement(time, (x, y), value) for x, y, value, time in rows]
    write_table(path, readings)
    legs = read_legs(path)
    assert [reading for leg in legs for reading in leg] == readings
    assert [len(leg) for leg in legs[:-1]] == [50, *[10] * (len(legs) - 2)][: len(legs) - 1]


def test_without_times_readings_are_counted(tmp_path):
    (tmp_path / "t.csv").write_text("x,y,value\n1,2,3\n4,5,6\n")
    assert read_table(tmp_path / "t.csv") == [Measurement(0, (1, 2), 3), Measurement(1, (4, 5), 6)]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"x,y\n1,2\n", "has no column value"),
        (b"x,y,value\n1,2,3\n1,nan,3\n", "line 3 is not a reading"),
        (b"x,y,value\n", "holds no readings"),
        (b"\xff\xfe\x00", "is not a text file in UTF-8"),
    ],
)
def test_what_is_no_table_is_one_sentence(content, said, tmp_path):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(UnreadableLog, match=said):
        read_legs(tmp_path / "t.csv")


def test_a_table_that_is_gone_is_one_sentence(tmp_path):
    with pytest.raises(UnreadableLog, match="cannot be read"):
        read_legs(tmp_path / "gone.csv")
