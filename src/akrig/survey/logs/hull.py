"""The water that a log's readings lie in, as an area, and the map of it."""

import math
from pathlib import Path

import shapely

from akrig.config import Settings, read_settings
from akrig.frame import LocalFrame
from akrig.journal.folder import RunFolder
from akrig.protocols import Model
from akrig.s44 import SharedError
from akrig.survey.area import Area
from akrig.survey.exports.geotiff import write_depth_geotiff
from akrig.survey.exports.uncertainty import depth_uncertainty
from akrig.survey.logs.replay import margin_about
from akrig.survey.settings import area_of
from akrig.types import Points

TIGHTNESS = 0.15  # of the longest gap bridged, between a web of readings (0) and their convex hull (1)
MOST_CELLS = 60_000  # of the map's extent
FINEST = 0.25  # metres, of its cells
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


def hull(X: Points, frame: LocalFrame, *, margin: float, name: str = "") -> Area:
    """One polygon around all readings, bays left open, that reaches `margin` metres beyond them."""
    around = shapely.concave_hull(shapely.MultiPoint(X), ratio=TIGHTNESS).buffer(margin, quad_segs=4)
    border = shapely.get_exterior_ring(shapely.simplify(around, margin / 10))
    return Area(frame, shapely.get_coordinates(border)[:-1], name=name)


def area_of_replay(settings: Settings, X: Points) -> Area:
    """As drawn, if a survey's folder is replayed; else around the readings."""
    log = Path(settings.vehicle.log or "")
    if log.is_dir():
        survey = read_settings(RunFolder.open(log).config).survey
        if survey is not None:
            return area_of(survey)
    assert settings.frame is not None
    return hull(X, LocalFrame(settings.frame.longitude, settings.frame.latitude), margin=margin_about(X))


def write_replay_map(path: Path, area: Area, model: Model) -> None:
    """As a GeoTIFF, with the finest handy cells that are not too many."""
    wanted = max(FINEST, math.sqrt(math.prod(area.extent.size) / MOST_CELLS))
    power = 10.0 ** math.floor(math.log10(wanted))
    cell = next(step * power for step in STEPS if step * power >= wanted)
    uncertainty = depth_uncertainty(model, area, shared=SharedError())
    write_depth_geotiff(path, predict=model.latent, area=area, cell=cell, uncertainty=uncertainty)
