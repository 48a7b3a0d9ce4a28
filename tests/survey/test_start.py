"""A stretch of a survey goes on where the last one ended, also in a journal from before soundings had ids."""

import pytest

from akrig.journal.events import read_journal, to_line
from akrig.survey.results import sounding_rows
from akrig.survey.start import last_id, last_time, unused_soundings


def journal(tmp_path, *, has_ids: bool) -> list[dict]:
    """Eight soundings, the third rejected; the second and the fifth were used."""
    events: list[dict] = [{"event": "mission", "format": 1, "akrig": "0"}]
    for k in range(1, 9):
        heard = {"time": k / 7, "unix": 1e9 + k, "position": [float(k), 0.0], "raw": 4.0}
        heard |= {"event": "rejected", "reason": "jump"} if k == 3 else {"event": "sounding", "value": 5.0 + k}
        events.append({**heard, "id": k} if has_ids else heard)
        if k in (2, 5):
            whole = {"time": k / 7, "position": [float(k), 0.0], "value": 5.0 + k}
            events.append({"event": "measurement", **({"sounding": k} if has_ids else whole)})
    (tmp_path / "journal.jsonl").write_text("".join(map(to_line, events)))
    return read_journal(tmp_path / "journal.jsonl").events


@pytest.mark.parametrize("has_ids", [True, False])
def test_what_was_heard_and_not_used_comes_first_and_ids_go_on(tmp_path, has_ids):
    events = journal(tmp_path, has_ids=has_ids)
    assert [(reading.id, reading.value) for reading in unused_soundings(events)] == [(6, 11.0), (7, 12.0), (8, 13.0)]
    assert (last_id(events), last_time(events)) == (8, 8 / 7)


@pytest.mark.parametrize("has_ids", [True, False])
def test_every_sounding_is_exported_with_what_became_of_it(tmp_path, has_ids):
    rows = sounding_rows(journal(tmp_path, has_ids=has_ids))
    assert [row.status for row in rows] == ["kept", "used", "rejected", "kept", "used", "kept", "kept", "kept"]


def test_a_survey_that_has_not_begun():
    assert (unused_soundings([]), last_id([]), last_time([])) == ([], 0, 0.0)
