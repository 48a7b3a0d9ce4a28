"""The folder of a survey: made before its boat is called, and gone again if the boat never came."""

import secrets
import shutil
from pathlib import Path

from akrig.config import Settings, to_toml
from akrig.errors import AkrigError
from akrig.journal.events import read_journal
from akrig.journal.folder import RunFolder
from akrig.runs.run import versions

BEFORE_THE_BEGINNING = ("mission", "notice", "home", "command", "fault")  # events of a survey that waits for its boat


def create_survey(settings: Settings, path: Path) -> RunFolder:
    """For settings that are resolved; takes the place of a survey that never had a boat."""
    if path.is_dir() and (path / "config.toml").exists():
        discard_unbegun(RunFolder(path))
    about = {"quantity": "depth", "units": "m", **versions()}
    return RunFolder.create(path, to_toml(settings, about=about))


def has_begun(folder: RunFolder) -> bool:
    """Is there anything in it that could not be had again?"""
    try:
        events = read_journal(folder.journal).events
    except AkrigError:
        return True  # damaged, but something
    if not folder.journal.exists():
        return bool({path.name for path in folder.path.iterdir()} - {"config.toml", ".lock"})
    return any(event["event"] not in BEFORE_THE_BEGINNING for event in events)


def discard_unbegun(folder: RunFolder) -> None:
    """Nothing was measured and nothing planned: it would only be in the way of the next try."""
    if has_begun(folder):
        return
    with folder.locked():
        aside = folder.path.with_name(f".{folder.path.name}.{secrets.token_hex(4)}.gone")
        folder.path.rename(aside)
    shutil.rmtree(aside, ignore_errors=True)
