"""Files of a run, made when somebody asks for them: functions for the model's process.

All is written into a folder of its own that is gone afterwards: nothing here writes into a run folder, and nothing that
one names is imported.
"""

import math
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from akrig.errors import AkrigError
from akrig.journal.folder import RunFolder
from akrig.live.model_worker import load_model, without_own_code

MOST_CELLS = 400_000  # of a map: a finer one is written when the survey is over
LARGEST_SOURCE = 300_000_000  # bytes of a journal or of telemetry
LARGEST = 64_000_000  # bytes of a file


class TooLarge(AkrigError, RuntimeError):
    """For a page; the command line has no such limits."""


def export(name: str, run: Path, saved: Path | None) -> bytes:
    """One of `EXPORTS`.

    Args:
        saved: the model; `None` if the export needs none.
    """
    from akrig.config import read_settings
    from akrig.format_parts import EXPORTS
    from akrig.survey.exports.data import SurveyData, cell_of
    from akrig.survey.settings import area_of

    part, folder = EXPORTS[name], RunFolder.open(run)
    for file in (folder.journal, folder.telemetry):
        if set(part.needs) - {"model"} and file.exists():
            _bounded(file)
    settings = without_own_code(read_settings(folder.config), "field")
    model = None if saved is None else load_model(folder.config, saved, saved.stat().st_mtime_ns)
    area = area_of(settings.surveyed)
    cell = max(cell_of(settings.surveyed, area), math.sqrt(math.prod(area.extent.size) / MOST_CELLS))
    data = SurveyData(settings, folder=folder, model=model, cell=cell)
    return _written(part.file, lambda path: part.maker(path, data))


def export_report(run: Path, journal: Path) -> bytes:
    """Without where the run lies on the disk, which is nobody's business."""
    from akrig.journal.record import read_record
    from akrig.plots.report import write_report

    _bounded(journal)
    record = replace(read_record(run), path=Path(run.resolve().name))
    return _written("report.html", lambda path: write_report([record], path))


def _bounded(path: Path) -> Path:
    if path.stat().st_size > LARGEST_SOURCE:
        raise TooLarge(f"{path.name} is too large to make files of for a page; use the command line.")
    return path


def _written(name: str, write: Callable[[Path], object]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="akrig-") as folder:
        path = Path(folder) / name
        write(path)
        if path.stat().st_size > LARGEST:
            raise TooLarge(f"{name} is too large for a page; use the command line.")
        return path.read_bytes()
