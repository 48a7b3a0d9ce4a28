"""What every survey ends with: the map, its contours, the track, the soundings, and the recording."""

from pathlib import Path

from akrig.survey.exports.contours import write_contour_lines
from akrig.survey.exports.csv import write_soundings
from akrig.survey.exports.data import SurveyData
from akrig.survey.exports.geojson import write_track
from akrig.survey.exports.geotiff import write_depth_geotiff
from akrig.survey.exports.uncertainty import depth_uncertainty
from akrig.survey.recording.mcap_file import write_recording


def export_map(path: Path, data: SurveyData) -> None:
    sure = depth_uncertainty(data.model, data.area, shared=data.settings.surveyed.depth.shared)
    write_depth_geotiff(path, predict=data.model.latent, area=data.area, cell=data.cell, uncertainty=sure)


def export_contours(path: Path, data: SurveyData) -> None:
    write_contour_lines(path, data.contours, data.area)


def export_track(path: Path, data: SurveyData) -> None:
    write_track(path, data.track, frame=data.area.frame)


def export_soundings(path: Path, data: SurveyData) -> None:
    write_soundings(path, data.soundings, frame=data.area.frame)


def export_recording(path: Path, data: SurveyData) -> None:
    write_recording(data.folder.path, path)
