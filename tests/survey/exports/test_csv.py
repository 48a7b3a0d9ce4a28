import csv

import numpy as np
import pytest

from akrig.fields.soundings import read_soundings
from akrig.frame import LocalFrame
from akrig.survey.exports.csv import SoundingRow, write_soundings
from tests.survey.exports.lakes import PLACES

ROWS = [
    SoundingRow(1649542477.72, (12.5, -7.25), 4.321, 4.121, "used"),
    SoundingRow(1649542478.72, (13.5, -7.25), 4.4, 4.2, "kept", "nearer than 1 m to the last one used"),
    SoundingRow(1649542479.72, None, None, 4.2, "rejected", "no fix, none at all"),
    SoundingRow(1649542480.72, (14.5, -7.25), 94.4, 94.2, "rejected", "jump"),
]


@pytest.mark.parametrize("origin", PLACES, ids=str)
def test_soundings_come_back_where_they_were(tmp_path, origin):
    frame = LocalFrame(*origin)
    write_soundings(tmp_path / "soundings.csv", ROWS, frame=frame)
    found = read_soundings(tmp_path / "soundings.csv")
    assert frame.to_metres(found.lonlat) == pytest.approx(np.array([[12.5, -7.25], [13.5, -7.25]]), abs=0.002)
    assert found.depth.tolist() == [4.321, 4.4]
    assert found.time == pytest.approx([1649542477.72, 1649542478.72], abs=1e-6)


def test_what_is_not_known_is_empty_and_reasons_are_kept(tmp_path):
    write_soundings(tmp_path / "soundings.csv", ROWS, frame=LocalFrame(8.0, 47.0))
    with (tmp_path / "soundings.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["time"] == "2022-04-09T22:14:37.720Z"
    assert len(rows[0]["latitude"].split(".")[1]) == 8
    assert rows[2] == {
        "time": "2022-04-09T22:14:39.720Z",
        "latitude": "",
        "longitude": "",
        "depth_m": "",
        "raw_depth_m": "4.200",
        "status": "rejected",
        "reason": "no fix, none at all",
    }


def test_no_soundings_are_a_header(tmp_path):
    write_soundings(tmp_path / "soundings.csv", [], frame=LocalFrame(8.0, 47.0))
    assert (tmp_path / "soundings.csv").read_text().count("\n") == 1


def test_a_sounding_that_was_used_is_known(unchecked):
    with pytest.raises(ValueError, match="has a position and a depth"):
        SoundingRow(0.0, None, 1.0, 1.0, "used")
    with pytest.raises(ValueError, match="used, kept, rejected; got 'lost'"):
        SoundingRow(0.0, None, 1.0, 1.0, "lost")
    with pytest.raises(ValueError, match="has a time"):
        SoundingRow(np.nan, None, 1.0, 1.0, "kept")
