"""A journal being written is never misread."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.errors import BrokenJournal
from akrig.journal.events import from_line, read_journal, to_line
from akrig.live.tail import JournalTail, Tail, telemetry_states

BEGIN = {"event": "mission", "format": 1, "akrig": "0"}
EVENTS = [BEGIN] + [{"event": "measurement", "time": k / 7, "position": [k, -k], "value": 0.1 * k} for k in range(12)]
DATA = "".join(to_line(event) for event in EVENTS).encode()


@given(cuts=st.lists(st.integers(0, len(DATA)), max_size=8))
def test_a_journal_written_in_pieces_reads_as_one(tmp_path_factory, cuts):
    path = tmp_path_factory.mktemp("tail") / "journal.jsonl"
    tail, seen, before = JournalTail(path), [], 0
    for cut in [*sorted(cuts), len(DATA)]:
        with path.open("ab") as file:
            file.write(DATA[before:cut])
        before = cut
        seen += tail.read()[0]
        assert seen == read_journal(path).events[: len(seen)]
    assert seen == EVENTS


@given(place=st.integers(0, len(DATA) - 1), change=st.integers(1, 255))
def test_no_changed_byte_goes_unnoticed(tmp_path_factory, place, change):
    path = tmp_path_factory.mktemp("tail") / "journal.jsonl"
    path.write_bytes(DATA[:place] + bytes([DATA[place] ^ change]) + DATA[place + 1 :])
    try:
        seen = JournalTail(path).read()[0]
    except BrokenJournal:
        return
    assert seen == EVENTS[: len(seen)]  # a changed last line end: the line waits
    assert len(seen) >= len(EVENTS) - 1


@given(st.dictionaries(st.text(max_size=5), st.floats() | st.text(max_size=9) | st.none(), max_size=4))
def test_lines_read_as_they_were_written(content):
    content.pop("crc", None)
    assert repr(from_line(to_line({**content, "event": "x"}).encode())) == repr({**content, "event": "x"})


def test_a_journal_that_was_cut_and_goes_on_differently_is_read_anew(tmp_path):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(DATA)
    tail = JournalTail(path)
    tail.read()
    other = [*EVENTS[:5], {"event": "end", "reason": "budget"}]
    path.write_text("".join(to_line(event) for event in other))
    assert tail.read() == (other, True)
    assert tail.read() == ([], False)


def test_a_torn_line_that_resuming_drops_is_not_missed(tmp_path):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(DATA + b'{"event":"measur')
    tail = JournalTail(path)
    assert tail.read()[0] == EVENTS
    end = {"event": "end", "reason": "budget"}
    path.write_bytes(DATA + to_line(end).encode())
    assert tail.read() == ([end], False)


def test_what_is_no_journal_is_told_in_one_sentence(tmp_path):
    path = tmp_path / "journal.jsonl"
    path.write_text(to_line({"event": "epoch"}))
    with pytest.raises(BrokenJournal, match="does not begin like a journal"):
        JournalTail(path).read()
    path.write_text(to_line({**BEGIN, "format": 99}))
    with pytest.raises(BrokenJournal, match="install the newer akrig"):
        JournalTail(path).read()
    for format in ("x", [1], None):
        path.write_text(to_line({**BEGIN, "format": format}))
        with pytest.raises(BrokenJournal, match="does not say in which format it was written"):
            JournalTail(path).read()


def test_a_file_that_is_not_there_yet_is_empty(tmp_path):
    tail = Tail(tmp_path / "later")
    assert tail.read() == []
    (tmp_path / "later").write_text("a\nb\nc")
    assert tail.read() == [b"a", b"b"]


def test_telemetry_lines_that_a_crash_spoilt_are_left_out():
    assert telemetry_states([b'{"time":1.0,"x":2}', b'{"time":2.0{"time":3.0}', b"[]", b"{}"]) == [
        {"time": 1.0, "x": 2}
    ]
