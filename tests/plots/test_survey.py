"""A survey's report tells what happened on the water; other missions have nothing to tell."""

from collections import Counter
from dataclasses import replace

from akrig.plots.report_sections import happenings
from tests.plots.records import make_record


def surveyed(record):
    settings = {**record.settings, "survey": {"area": {"name": "pond"}}}
    notices = [
        {"event": "notice", "time": 75.0, "level": "alarm", "message": "The battery is at 19 %: the boat comes home."},
        {"event": "command", "time": 3700.0, "command": "hold", "accepted": False, "answer": "no <boat>"},
    ]
    return replace(record, settings=settings, notices=notices, soundings=Counter(accepted=97, jump=2, **{"no echo": 1}))


def test_other_missions_have_nothing_to_tell():
    assert happenings(make_record(readings=40)) == []


def test_notices_orders_and_refused_soundings_are_told():
    text = "".join(happenings(surveyed(make_record(readings=40))))
    assert "1:15" in text
    assert "0:01:15" not in text  # as on the page
    assert "The battery is at 19 %" in text
    assert "1:01:40" in text
    assert "Refused: no &lt;boat&gt;." in text
    assert "100 soundings were heard" in text
    assert "97" in text
    assert "Rejected: jump (2); no echo (1)." in text


def test_the_area_names_the_field():
    assert surveyed(make_record(readings=40)).field_name == "pond"
