"""A sounding is written once; whoever reads the journal sees the readings whole, also in journals from before ids."""

import pytest

from akrig.errors import BrokenJournal
from akrig.journal.events import Journal, read_journal, stream_events, to_line
from akrig.types import Measurement

BEGIN = {"event": "mission", "format": 1, "akrig": "0"}


def sounding(k: int, **more) -> dict:
    return {"event": "sounding", "time": k / 7, "unix": 1e9 + k, "position": [k, -k], "raw": 4.0, "value": 5.0, **more}


def rejected(k: int, **more) -> dict:
    return {"event": "rejected", "time": k / 7, "unix": 1e9 + k, "position": None, "raw": 4.0, "reason": "no", **more}


def written(tmp_path, *events: dict):
    path = tmp_path / "journal.jsonl"
    path.write_text("".join(map(to_line, (BEGIN, *events))))
    return path


def readings(path) -> list[dict]:
    events = read_journal(path).events
    assert list(stream_events(path)) == events
    return [event for event in events if event["event"] == "measurement"]


def test_a_reading_refers_to_its_sounding_and_reads_whole(tmp_path):
    path = written(tmp_path, sounding(1, id=1), rejected(2, id=2), sounding(3, id=3))
    journal = Journal(path, sync="reading", content=read_journal(path))
    journal.measurement(Measurement(3 / 7, (3.0, -3.0), 5.0, 3))
    journal.close()
    assert '"sounding":3' in path.read_text().splitlines()[-1]
    assert "value" not in path.read_text().splitlines()[-1]
    assert readings(path) == [{"event": "measurement", "sounding": 3, "time": 3 / 7, "position": [3, -3], "value": 5.0}]


def test_without_ids_soundings_are_numbered_and_readings_known_by_their_time(tmp_path):
    used = {"event": "measurement", "time": 3 / 7, "position": [3, -3], "value": 5.0}
    path = written(tmp_path, sounding(1), rejected(2), sounding(3), used, sounding(4))
    assert readings(path) == [{**used, "sounding": 3}]
    assert [event["id"] for event in read_journal(path).events if "id" in event] == [1, 2, 3, 4]


def test_an_old_journal_goes_on_with_ids(tmp_path):
    used = {"event": "measurement", "time": 1 / 7, "position": [1, -1], "value": 5.0}
    path = written(tmp_path, sounding(1), used, sounding(2, id=2), {"event": "measurement", "sounding": 2})
    assert [reading["sounding"] for reading in readings(path)] == [1, 2]


def test_readings_of_no_sounding_stay_as_they_are(tmp_path):
    used = {"event": "measurement", "time": 0.5, "position": [1.0, 2.0], "value": 5.0}
    assert readings(written(tmp_path, used, sounding(4), used)) == [used, used]


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([{"event": "measurement", "sounding": 1}], "there is no sounding 1"),
        ([rejected(1, id=1), {"event": "measurement", "sounding": 1}], "there is no sounding 1"),
        ([sounding(1, id=1), *[{"event": "measurement", "sounding": 1}] * 2], "there is no sounding 1"),
        ([sounding(1, id=2), sounding(2, id=2)], "sounding 2 comes after sounding 2"),
        ([sounding(1, id="one")], "sounding one"),
        ([{"event": "sounding", "id": 1}, {"event": "measurement", "sounding": 1}], "its sounding has no time"),
        ([sounding(1, id=1), {"event": "measurement", "sounding": [1]}], "there is no sounding"),
    ],
)
def test_what_refers_to_nothing_does_not_make_sense(events, said, tmp_path):
    with pytest.raises(BrokenJournal, match=f"does not make sense .*{said}"):
        read_journal(written(tmp_path, *events))
