"""What a surveyor takes home, from the model and the run folder: GeoTIFF, contours, track, soundings, recording."""

from collections.abc import Iterator
from pathlib import Path

from akrig.config import Settings
from akrig.config.survey import SurveySettings
from akrig.files import json_objects, read_lines
from akrig.journal.events import Event, read_journal
from akrig.journal.folder import RunFolder
from akrig.protocols import Model
from akrig.survey.area import Area
from akrig.survey.exports.contours import write_contours
from akrig.survey.exports.csv import SoundingRow, write_soundings
from akrig.survey.exports.geojson import TrackPoint, write_track
from akrig.survey.exports.geotiff import write_depth_geotiff
from akrig.survey.exports.uncertainty import depth_uncertainty
from akrig.survey.recording.mcap_file import write_recording
from akrig.survey.settings import area_of

CELLS = 400  # of the GeoTIFF along the longer side, if no cell size is given
FINEST, COARSEST = 0.25, 10.0  # metres


def write_results(folder: RunFolder, settings: Settings, model: Model) -> list[Path]:
    """Each file is written beside and renamed; all are made anew from what is on disk."""
    area = area_of(settings.surveyed)
    cell = cell_of(settings.surveyed, area)
    out = folder.results
    out.mkdir(exist_ok=True)
    names = ("map.tif", "contours.geojson", "track.geojson", "soundings.csv", "recording.mcap")
    paths = [out / name for name in names]
    uncertainty = depth_uncertainty(model, area, shared=settings.surveyed.depth.shared)
    write_depth_geotiff(paths[0], predict=model.latent, area=area, cell=cell, uncertainty=uncertainty)
    write_contours(paths[1], predict=model.latent, area=area, cell=2 * cell)
    write_track(paths[2], list(track_points(folder.telemetry)), frame=area.frame)
    write_soundings(paths[3], sounding_rows(read_journal(folder.journal).events), frame=area.frame)
    write_recording(folder.path, paths[4])
    return paths


def cell_of(survey: SurveySettings, area: Area) -> float:
    """Side of a cell of the GeoTIFF, metres."""
    return survey.cell or min(max(max(area.extent.size) / CELLS, FINEST), COARSEST)


def sounding_rows(events: list[Event]) -> list[SoundingRow]:
    """Every sounding that was heard: used by the model, kept beside it, or rejected."""
    used = {event.get("sounding") for event in events if event["event"] == "measurement"}
    return [_row(event, used) for event in events if event["event"] in ("sounding", "rejected")]


def _row(event: Event, used: set[int | None]) -> SoundingRow:
    place = None if event["position"] is None else (event["position"][0], event["position"][1])
    raw = event["raw"] if event["raw"] is not None else float("nan")
    if event["event"] == "rejected":
        return SoundingRow(event["unix"], place, None, raw, "rejected", event["reason"])
    status = "used" if event["id"] in used else "kept"
    return SoundingRow(event["unix"], place, event["value"], raw, status, "")


def track_points(telemetry: Path) -> Iterator[TrackPoint]:
    """Where the boat was heard."""
    for state in json_objects(read_lines(telemetry)):  # what a crash or somebody else left there is passed over
        if all(isinstance(state.get(name), int | float) for name in ("unix", "x", "y")):
            yield TrackPoint(state["unix"], (state["x"], state["y"]))
