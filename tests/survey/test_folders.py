"""A survey that never had its boat is not in the way of the next try; one that has anything in it is never touched."""

import pytest

from akrig.errors import RunFolderError
from akrig.journal.events import Journal, read_journal
from akrig.journal.folder import RunFolder
from akrig.survey.folders import create_survey, discard_unbegun, has_begun
from akrig.survey.settings import load_survey
from tests.survey.harbour import write_pond


@pytest.fixture
def folder(tmp_path) -> RunFolder:
    return create_survey(load_survey(write_pond(tmp_path)), tmp_path / "run")


def noted(folder: RunFolder, *events: dict) -> None:
    journal = Journal(folder.journal, sync="reading", content=read_journal(folder.journal))
    journal.begin("0")
    for event in events:
        journal.note(event)
    journal.close()


NOTICE = {"event": "notice", "time": 0.0, "unix": 0.0, "level": "info", "message": "Waiting for the boat."}


def test_the_next_try_takes_the_place_of_one_that_only_waited(folder, tmp_path):
    noted(folder, NOTICE)
    assert not has_begun(folder)
    again = create_survey(load_survey(tmp_path / "pond.toml"), folder.path)
    assert not again.journal.exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("kind", ["sounding", "rejected", "plan", "measurement", "epoch", "end"])
def test_whatever_was_heard_or_planned_stays(folder, tmp_path, kind):
    noted(folder, NOTICE, {"event": kind})
    before = folder.journal.read_bytes()
    discard_unbegun(folder)
    with pytest.raises(RunFolderError, match="akrig resume"):
        create_survey(load_survey(tmp_path / "pond.toml"), folder.path)
    assert folder.journal.read_bytes() == before


def test_a_damaged_journal_is_not_thrown_away(folder, tmp_path):
    noted(folder, NOTICE)
    folder.journal.write_bytes(b"{}\n" + folder.journal.read_bytes())
    assert has_begun(folder)


def test_a_folder_that_another_process_waits_in_stays(folder, tmp_path):
    noted(folder, NOTICE)
    with folder.locked(), pytest.raises(RunFolderError):
        discard_unbegun(RunFolder.open(folder.path))
    assert folder.journal.exists()


def test_a_folder_with_nothing_but_its_settings_has_not_begun(folder, tmp_path):
    assert not has_begun(folder)
    assert create_survey(load_survey(tmp_path / "pond.toml"), folder.path).config.exists()
