"""The journal keeps what it was told, notices damage, and says so."""

import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.errors import BrokenJournal, JournalNotWritten
from akrig.journal import events
from akrig.journal.events import FORMAT, Content, Journal, from_line, read_journal, to_line
from akrig.survey.start import last_time
from akrig.types import Measurement, Plan

NEW = Content([], [], 0)
EPOCH = {
    "event": "epoch", "index": 0, "loss": None, "position": [0.0, 0.0], "heading": 0.0, "readings": 3, "distance": 1.0,
    "time": 2.0, "vehicle": {},
}  # fmt: skip


def write(path, *, epochs=2, **settings) -> None:
    journal = Journal(path, content=NEW, **settings)
    journal.begin("0.1.0")
    for index in range(epochs):
        journal.plan(Plan(np.array([[index / 3, 0.1]])))
        for k in range(3):
            journal.measurement(Measurement(index + k / 7, (k / 3, -1e-17), 100 / (k + 3)))
        journal.settle({**EPOCH, "index": index})
    journal.close()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_come_back_bit_for_bit(value):
    event = {"event": "measurement", "value": value}
    assert from_line(to_line(event).encode())["value"] == value


def test_lines_are_json_that_anyone_can_read(tmp_path):
    write(tmp_path / "j")
    events = [json.loads(line) for line in (tmp_path / "j").read_text().splitlines()]
    assert [event["event"] for event in events][:4] == ["mission", "plan", "measurement", "measurement"]
    assert events[0]["format"] == FORMAT


def test_what_was_written_is_read(tmp_path):
    write(tmp_path / "j")
    content = read_journal(tmp_path / "j")
    assert len(content.events) == len(content.lines) == 1 + 2 * 5
    assert content.num_settled == 11
    assert content.torn == 0


def test_no_journal_is_an_empty_one(tmp_path):
    assert read_journal(tmp_path / "j") == NEW


def test_a_last_line_torn_anywhere_is_dropped(tmp_path):
    path = tmp_path / "j"
    write(path)
    whole = path.read_bytes()
    last = whole[:-1].rfind(b"\n") + 1
    for end in range(last, len(whole)):
        path.write_bytes(whole[:end])
        content = read_journal(path)
        assert (len(content.events), content.torn) == (10, end - last)
    path.write_bytes(whole[:-5])
    Journal(path, content=read_journal(path)).close()
    assert path.read_bytes() == whole[:last]


@pytest.mark.parametrize("damage", ["digit", "missing brace", "binary", "not ours"])
def test_a_broken_middle_is_named(damage, tmp_path):
    path = tmp_path / "j"
    write(path)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[3] = {
        "digit": lines[3].replace(b"0.14285714285714285", b"0.14285714285714385"),
        "missing brace": lines[3][1:],
        "binary": b"\xff\xfe\x00\n",
        "not ours": b'{"event":"measurement"}\n',
    }[damage]
    path.write_bytes(b"".join(lines))
    with pytest.raises(BrokenJournal, match=r"line 4 is damaged.*Restore it from a copy"):
        read_journal(path)


def test_a_journal_from_a_newer_akrig_is_refused(tmp_path):
    (tmp_path / "j").write_text(to_line({"event": "mission", "format": FORMAT + 1, "akrig": "9.0"}))
    with pytest.raises(BrokenJournal, match=r"written by akrig 9.0 in format 2.*install the newer akrig"):
        read_journal(tmp_path / "j")


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "j").write_text(to_line({"event": "plan"}))
    with pytest.raises(BrokenJournal, match="does not begin like a journal"):
        read_journal(tmp_path / "j")


MEASUREMENT = {"event": "measurement", "time": 1.0, "position": [0.0, 1.0], "value": 3.0}


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({**MEASUREMENT, "value": float("nan")}, "the value of its measurement cannot be nan"),
        ({**MEASUREMENT, "value": 1e300}, "cannot be 1e\\+300"),
        ({**MEASUREMENT, "value": "deep"}, "cannot be 'deep'"),
        ({**MEASUREMENT, "value": True}, "cannot be True"),
        ({**MEASUREMENT, "position": [1.0, [2.0]]}, "cannot be list"),
        ({**MEASUREMENT, "position": []}, "cannot be list"),
        ({"event": "measurement", "time": 1.0, "value": 3.0}, "its measurement has no position"),
        ({"event": "plan", "waypoints": [[1.0, 2.0], [3.0]]}, "the waypoints of its plan"),
        ({"event": "end"}, "its end has no reason"),
        ({"event": 7}, "it is no event"),
        ({**EPOCH, "index": -1}, "the index of its epoch cannot be -1"),
        ({**EPOCH, "readings": 10**40}, "the readings of its epoch"),
    ],
)
@pytest.mark.parametrize("is_last", [True, False])
def test_a_good_checksum_does_not_make_sense_of_a_line(event, said, is_last, tmp_path):
    write(tmp_path / "j", epochs=1)
    with (tmp_path / "j").open("a") as file:
        file.write(to_line(event) + ("" if is_last else to_line(MEASUREMENT)))
    with pytest.raises(BrokenJournal, match=f"line 7 does not make sense .*{said}"):
        read_journal(tmp_path / "j")


def test_places_have_as_many_coordinates_all_the_way(tmp_path):
    write(tmp_path / "j", epochs=1)
    with (tmp_path / "j").open("a") as file:
        file.write(to_line({**MEASUREMENT, "position": [0.0, 1.0, 2.0]}))
    with pytest.raises(BrokenJournal, match="places of 2 and of 3 coordinates"):
        read_journal(tmp_path / "j")


def test_a_line_that_is_nested_too_deeply_is_damaged(tmp_path):
    write(tmp_path / "j", epochs=1)
    with (tmp_path / "j").open("a") as file:
        file.write('{"event":' + "[" * 100_000 + "\n" + to_line(MEASUREMENT))
    with pytest.raises(BrokenJournal, match="line 7 is damaged"):
        read_journal(tmp_path / "j")


@pytest.mark.parametrize(("sync", "on_disk"), [("reading", 3), ("epoch", 1)])
def test_a_reading_is_on_disk_when_promised(sync, on_disk, tmp_path):
    journal = Journal(tmp_path / "j", content=NEW, sync=sync)
    journal.begin("0.1.0")
    journal.plan(Plan(np.zeros((1, 2))))
    journal.measurement(Measurement(0, (0, 0), 1.0))
    assert len(read_journal(tmp_path / "j").events) == on_disk
    journal.settle(EPOCH)
    assert len(read_journal(tmp_path / "j").events) == 4
    journal.close()


@pytest.mark.parametrize(("sync", "expected"), [("reading", [3, 4, 5, 6, 8]), ("epoch", [1, 1, 1, 1, 2])])
def test_what_cannot_be_repeated_is_forced_to_disk_at_once(sync, expected, tmp_path, monkeypatch):
    forced = []
    journal = Journal(tmp_path / "j", content=NEW, sync=sync)
    monkeypatch.setattr(events.os, "fsync", forced.append)
    monkeypatch.setattr(events.time, "monotonic", lambda: journal._synced_at)
    journal.begin("0.1.0")
    journal.plan(Plan(np.zeros((1, 2))))
    journal.measurement(Measurement(0, (0, 0), 1.0))
    counts = [len(forced)]
    for _ in range(3):
        journal.settle(EPOCH)
        counts.append(len(forced))
    journal.settle(EPOCH)
    journal.settle({"event": "end"})
    assert [*counts, len(forced)] == expected
    monkeypatch.undo()
    journal.close()


def test_epochs_are_forced_to_disk_once_a_second(tmp_path, monkeypatch):
    forced, clock = [], iter(np.arange(0.0, 100.0, 0.3))
    monkeypatch.setattr(events.time, "monotonic", lambda: next(clock))
    journal = Journal(tmp_path / "j", content=NEW)
    monkeypatch.setattr(events.os, "fsync", forced.append)
    for _ in range(20):
        journal.settle(EPOCH)
    assert 4 <= len(forced) <= 6
    monkeypatch.undo()
    journal.close()


def test_a_repeated_leg_is_not_written_twice(tmp_path):
    path = tmp_path / "j"
    write(path, sync="reading")
    whole = path.read_bytes()
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[:8]))  # one reading into epoch 1
    journal = Journal(path, content=read_journal(path))
    journal.plan(Plan(np.array([[1 / 3, 0.1]])))
    for k in range(3):
        journal.measurement(Measurement(1 + k / 7, (k / 3, -1e-17), 100 / (k + 3)))
    journal.settle({**EPOCH, "index": 1})
    journal.close()
    assert path.read_bytes() == whole


def test_a_leg_that_comes_out_differently_is_refused(tmp_path):
    path = tmp_path / "j"
    write(path, sync="reading")
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:8]))
    before = path.read_bytes()
    journal = Journal(path, content=read_journal(path))
    with pytest.raises(BrokenJournal, match="comes out differently when repeated"):
        journal.plan(Plan(np.array([[0.5, 0.1]])))
    journal.close()
    assert path.read_bytes() == before


def test_a_full_disk_loses_nothing_and_leaves_no_half_line(tmp_path):
    """The system itself refuses to let the file grow beyond 600 bytes, in the middle of a line."""
    code = """
import resource, signal, sys
from tests.journal.test_events import write
from akrig.errors import JournalNotWritten
from pathlib import Path
resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))
try:
    write(Path(sys.argv[1]), epochs=9, sync="reading")
except JournalNotWritten as error:
    print(error)
"""
    path = tmp_path / "run" / "j"
    path.parent.mkdir()
    result = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=120)
    assert "could not be written (File too large); all that was written before is safe" in result.stdout, result.stderr
    assert f"`akrig resume {path.parent}`" in result.stdout
    content = read_journal(path)
    assert content.torn == 0
    assert content.lines
    assert 450 < os.path.getsize(path) <= 600


def test_no_space_left_is_said_in_words(tmp_path, monkeypatch):
    def full(file, data):
        raise OSError(28, os.strerror(28))

    journal = Journal(tmp_path / "j", content=NEW)
    monkeypatch.setattr("akrig.journal.events.os.write", full)
    with pytest.raises(JournalNotWritten, match="No space left on device"):
        journal.begin("0.1.0")
    journal.close()


def test_notes_from_another_thread_never_mix_with_the_mission(tmp_path):
    path = tmp_path / "journal.jsonl"
    journal = Journal(path, sync="reading", content=read_journal(path))
    journal.begin("1")
    count = 200

    def note() -> None:
        for number in range(count):
            journal.note({"event": "note of a later akrig", "number": number})

    beside = threading.Thread(target=note)
    beside.start()
    for number in range(count):
        journal.measurement(Measurement(float(number), (0.0, 1.0), 2.0))
    beside.join()
    journal.close()
    events = read_journal(path).events
    assert [event["number"] for event in events if event["event"].startswith("note")] == list(range(count))
    assert [event["time"] for event in events if event["event"] == "measurement"] == list(range(count))


def test_what_was_heard_before_the_boat_told_the_date_is_read(tmp_path):
    notice = {"event": "notice", "time": float("nan"), "unix": float("nan"), "level": "info", "message": "Connected."}
    (tmp_path / "j").write_text(to_line({"event": "mission", "format": 1, "akrig": "0"}) + to_line(notice))
    events = read_journal(tmp_path / "j").events
    assert events[1]["message"] == "Connected."
    assert last_time(events) == 0.0
