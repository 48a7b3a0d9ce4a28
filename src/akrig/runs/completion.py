"""Whether there is anything left to do in a run folder."""

from akrig.config import Settings
from akrig.errors import RunFolderError
from akrig.journal.folder import RunFolder
from akrig.journal.record import read_record

COMPLETE = ("budget", "target")  # why a mission is over that needs no more readings


def readings_if_complete(folder: RunFolder, settings: Settings) -> int | None:
    """How many there are, if the mission is complete and all that it leaves behind can be read; else `None`."""
    left_behind = [folder.journal, folder.scores, folder.map]
    left_behind += [folder.results / "map.tif"] if settings.survey is not None else []
    left_behind += [folder.path / "next.json"] if settings.vehicle.part.replays else []
    if not all(path.exists() for path in left_behind):
        return None
    try:
        record = read_record(folder.path)
    except RunFolderError:  # the map is damaged: it can be made again
        return None
    over = record.ended in COMPLETE and bool(record.epochs) and not record.torn
    if over and settings.survey is None:  # a budget that was raised since leaves something to do
        over = settings.budget.budget.minus(record.epochs[-1].used).is_spent
    return len(record.samples) if over else None
