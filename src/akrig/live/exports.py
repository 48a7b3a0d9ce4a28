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
from akrig.live.model_worker import load_model, without_own_code

MOST_CELLS = 400_000  # of a map: a finer one is written when the survey is over
LARGEST_SOURCE = 300_000_000  # bytes of a journal or of telemetry
LARGEST = 64_000_000  # bytes of a file


class TooLarge(AkrigError, RuntimeError):
    """For a page; the command line has no such limits."""


def export_geotiff(config: Path, saved: Path) -> bytes:
    from akrig.survey.exports.geotiff import write_depth_geotiff
    from akrig.survey.exports.uncertainty import depth_uncertainty

    area, cell, shared = _area_and_cell(config)
    model = load_model(config, saved, saved.stat().st_mtime_ns)
    how = {"area": area, "cell": cell, "uncertainty": depth_uncertainty(model, area, shared=shared)}
    return _written("map.tif", lambda path: write_depth_geotiff(path, predict=model.latent, **how))


def export_contours(config: Path, saved: Path) -> bytes:
    from akrig.survey.exports.contours import write_contours

    area, cell, _ = _area_and_cell(config)
    model = load_model(config, saved, saved.stat().st_mtime_ns)
    return _written("lines.geojson", lambda path: write_contours(path, predict=model.latent, area=area, cell=2 * cell))


def export_track(config: Path, telemetry: Path) -> bytes:
    from akrig.survey.exports.geojson import write_track
    from akrig.survey.results import track_points

    points = list(track_points(_bounded(telemetry)))
    frame = _area_and_cell(config)[0].frame
    return _written("track.geojson", lambda path: write_track(path, points, frame=frame))


def export_soundings(config: Path, journal: Path) -> bytes:
    from akrig.journal.events import read_journal
    from akrig.survey.exports.csv import write_soundings
    from akrig.survey.results import sounding_rows

    rows = sounding_rows(read_journal(_bounded(journal)).events)
    frame = _area_and_cell(config)[0].frame
    return _written("soundings.csv", lambda path: write_soundings(path, rows, frame=frame))


def export_report(run: Path, journal: Path) -> bytes:
    """Without where the run lies on the disk, which is nobody's business."""
    from akrig.journal.record import read_record
    from akrig.plots.report import write_report

    _bounded(journal)
    record = replace(read_record(run), path=Path(run.resolve().name))
    return _written("report.html", lambda path: write_report([record], path))


def _area_and_cell(config: Path):
    """The area, the side of a map's cells there, metres, and what all soundings share."""
    from akrig.config import read_settings
    from akrig.survey.results import cell_of
    from akrig.survey.settings import area_of

    survey = without_own_code(read_settings(config), "field").survey
    if survey is None:
        raise ValueError("This is not a survey.")
    area = area_of(survey)
    cell = max(cell_of(survey, area), math.sqrt(math.prod(area.extent.size) / MOST_CELLS))
    return area, cell, survey.depth.shared


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
