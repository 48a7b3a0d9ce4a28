"""A run folder as the page sees it."""

import os
import shutil
import time

import numpy as np
import pytest

from akrig.errors import AkrigError, RunFolderError
from akrig.journal.folder import RunFolder
from akrig.journal.record import read_record
from akrig.live.run_view import RunView


@pytest.fixture
def folder(run, tmp_path) -> RunFolder:
    """A copy to spoil."""
    shutil.copytree(run, tmp_path / "run")
    return RunFolder(tmp_path / "run")


def seen(folder: RunFolder) -> RunView:
    view = RunView(folder)
    view.check()
    return view


def test_it_sees_what_the_record_tells(folder):
    view, record = seen(folder), read_record(folder.path)
    np.testing.assert_allclose(view.streams.readings["x"], record.samples.X[:, 0], atol=0.006)
    np.testing.assert_allclose(view.streams.readings["v"], record.samples.y, rtol=1e-5)
    assert len(view.streams.epochs) == len(record.epochs)
    np.testing.assert_allclose(view.streams.scores["rmse"], record.scores["rmse"], rtol=1e-5)
    assert view.streams.frames["readings"] == [snapshot.readings for snapshot in record.snapshots]
    assert view.status["state"] == "over"
    assert view.newest_checkpoint == record.epochs[-1].index


def test_the_last_scores_count_however_long_a_mission_is(folder):
    """A page shows those that are not from later than its moment, and the latest moment is the end of the mission."""
    header, *rows = folder.scores.read_text().splitlines()
    column = header.split(",").index("time")
    late = [
        ",".join([*row.split(",")[:column], f"{718129.64 + k!r}", *row.split(",")[column + 1 :]])
        for k, row in enumerate(rows)
    ]
    folder.scores.write_text("\n".join([header, *late, ""]))
    assert seen(folder).streams.scores["t"] == [round(718129.64 + k, 2) for k in range(len(rows))]


def test_a_running_mission_is_told_from_a_stopped_one(folder):
    lines = folder.journal.read_text().splitlines(keepends=True)
    folder.journal.write_text("".join(lines[:-1]))
    assert lines[-1].startswith('{"event":"end"')
    assert seen(folder).status["state"] == "stopped"
    with folder.locked():
        assert seen(folder).status["state"] == "running"


def test_looking_never_takes_the_lock(folder):
    view = seen(folder)
    with folder.locked():
        view.poll()
    assert not os.path.exists("/proc/locks") or view.status["state"] == "over"


def test_tables_that_are_taken_back_are_taken_back_here(folder):
    view = seen(folder)
    rows = folder.scores.read_text().splitlines(keepends=True)
    count, cursor = len(view.streams.scores), view.streams.cursors
    time.sleep(0.02)
    folder.scores.write_text("".join(rows[:-3]))
    view.poll()
    assert len(view.streams.scores) == count - 3
    assert view.streams.since(cursor)["scores"]["from"] == count - 3


def test_a_damaged_snapshot_is_left_out_and_comes_when_it_is_whole(folder):
    readings, path = folder.list_snapshots()[1]
    whole = path.read_bytes()
    path.write_bytes(whole[:40])
    view = seen(folder)
    assert readings not in view.streams.frames["readings"]
    time.sleep(0.02)
    path.write_bytes(whole)
    view.poll()
    assert view.streams.frames["readings"] == [n for n, _ in folder.list_snapshots()]


def test_a_snapshot_that_leads_out_of_the_folder_is_not_opened(folder, tmp_path):
    readings, path = folder.list_snapshots()[0]
    path.rename(tmp_path / "elsewhere.npz")
    path.symlink_to(tmp_path / "elsewhere.npz")
    with pytest.raises(RunFolderError, match="leads out"):
        seen(folder)
    assert readings not in [known for known, _ in folder.list_snapshots()]


@pytest.mark.parametrize("name", ["journal.jsonl", "scores.csv", "telemetry.jsonl"])
def test_a_file_that_is_made_to_lead_out_while_it_is_viewed_is_not_opened(name, folder, tmp_path):
    view = seen(folder)
    (tmp_path / "private").write_text("private\n1\n")
    (folder.path / name).unlink(missing_ok=True)
    (folder.path / name).symlink_to(tmp_path / "private")
    view.poll()
    assert "leads out" in view.status["trouble"]


def test_a_journal_that_breaks_while_it_is_viewed_is_told(folder):
    view = seen(folder)
    count = len(view.streams.readings)
    with folder.journal.open("a") as file:
        file.write('{"event":"measurement"}\n')
    view.poll()
    assert "is damaged" in view.status["trouble"]
    assert len(view.streams.readings) == count


def foreign(folder: RunFolder) -> None:
    folder.config.write_text("[tool.other]\nname = 'x'\n")


def binary(folder: RunFolder) -> None:
    folder.config.write_bytes(os.urandom(300))


def broken(folder: RunFolder) -> None:
    folder.journal.write_bytes(b"0" + folder.journal.read_bytes())


def a_line(folder: RunFolder) -> None:
    text = folder.config.read_text()
    begin, end = text.index("[workspace]"), text.index("[kernel]")
    folder.config.write_text(f"{text[:begin]}[workspace]\nlower = [0.0]\nupper = [1.0]\n\n{text[end:]}")


@pytest.mark.parametrize("spoil", [foreign, binary, broken, a_line])
def test_a_folder_that_cannot_be_shown_is_told_in_one_sentence(folder, spoil):
    spoil(folder)
    with pytest.raises(AkrigError) as error:
        seen(folder)
    assert len(str(error.value)) < 400
    assert str(error.value).endswith((".", "copy."))


def test_a_folder_without_a_journal_waits(folder):
    folder.journal.unlink()
    view = seen(folder)
    assert len(view.streams.readings) == 0
    assert view.status["state"] == "waiting"
