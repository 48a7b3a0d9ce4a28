"""Whether there is anything left to do in a run folder."""

from pathlib import Path

from akrig.config import Settings
from akrig.errors import RunFolderError
from akrig.journal.folder import RunFolder
from akrig.journal.record import read_record

COMPLETE = ("budget", "target")  # why a mission is over that needs no more readings


def readings_if_complete(folder: RunFolder, settings: Settings) -> int | None:
    """How many there are, if the mission is complete and all that it leaves behind can be read; else `None`."""
    if not all(path.exists() for path in _left_behind(folder, settings)):
        return None
    try:
        record = read_record(folder.path)
    except RunFolderError:  # the map is damaged: it can be made again
        return None
    over = record.ended in COMPLETE and bool(record.epochs) and not record.torn
    if over and settings.survey is None:  # a budget that was raised since leaves something to do
        over = settings.budget.budget.minus(record.epochs[-1].used).is_spent
    return len(record.samples) if over else None


def _left_behind(folder: RunFolder, settings: Settings) -> list[Path]:
    files = [folder.journal, folder.scores, folder.map]
    if settings.survey is not None:
        files.append(folder.results / "map.tif")
    if settings.vehicle.part.replays:
        files.append(folder.path / "next.json")
    return files
