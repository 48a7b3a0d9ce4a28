"""Area, contours, track and soundings as layers of one GeoPackage, in degrees (WGS84), written by GDAL."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from akrig.errors import RunFolderError
from akrig.files import reason, written_beside
from akrig.frame import LocalFrame
from akrig.survey.area import Area
from akrig.survey.exports.data import SurveyData
from akrig.survey.exports.geojson import pieces, timed_pieces

WGS84 = "EPSG:4326"
Columns = Mapping[str, np.ndarray]
Layer = tuple[str, np.ndarray, Columns]  # the kind of its geometries, they themselves, and what is told of each


def export(path: Path, data: SurveyData) -> None:
    layers = {
        "area": _area(data.area),
        "contours": _contours(data),
        "track": _track(data),
        "soundings": _soundings(data),
    }
    # SQLite writes other files beside its own, and its name must end as it will be called.
    with written_beside(path, synced=True) as beside, tempfile.TemporaryDirectory(dir=path.parent) as folder:
        made = Path(folder) / path.name
        for name, layer in layers.items():
            _write(made, name, layer)
        made.replace(beside)


def _write(path: Path, name: str, layer: Layer) -> None:
    try:
        from pyogrio.errors import DataLayerError, DataSourceError
        from pyogrio.raw import write
    except ImportError:
        raise RunFolderError("A GeoPackage needs pyogrio; install akrig with the extra 'field'.") from None
    kind, shapes, columns = layer
    about: dict[str, Any] = {"geometry_type": kind, "crs": WGS84, "driver": "GPKG", "layer": name}
    try:
        write(path, np.asarray(shapely.to_wkb(shapes), dtype=object), list(columns.values()), list(columns), **about)
    except (DataSourceError, DataLayerError) as error:
        raise OSError(f"{path.name} could not be written ({reason(error)}); make room on the disk.") from error


def _area(area: Area) -> Layer:
    rings = [area.fence, *area.keep_outs]
    shapes: list[shapely.Geometry] = [shapely.Polygon(area.frame.to_degrees(ring)) for ring in rings]
    roles = ["fence", *["keep-out"] * len(area.keep_outs)]
    if area.home is not None:
        shapes.append(shapely.Point(area.frame.to_degrees(np.array([area.home]))[0]))
        roles.append("home")
    return "Unknown", np.array(shapes), {"role": np.array(roles, dtype=object)}


def _contours(data: SurveyData) -> Layer:
    found = [(depth, piece) for depth, line in data.contours.lines for piece in _lines(data.area.frame, line)]
    shapes = np.array([piece for _, piece in found], dtype=object)
    return "LineString", shapes, {"depth_m": np.array([depth for depth, _ in found], dtype=np.float64)}


def _track(data: SurveyData) -> Layer:
    found = [leg for leg in timed_pieces(data.track, frame=data.area.frame) if len(leg.lonlat) > 1]
    shapes = np.array([shapely.LineString(leg.lonlat) for leg in found], dtype=object)
    return (
        "LineString",
        shapes,
        {
            "begin": _times([float(leg.times[0]) for leg in found]),
            "end": _times([float(leg.times[-1]) for leg in found]),
        },
    )


def _soundings(data: SurveyData) -> Layer:
    """Those without a position have no geometry."""
    rows = data.soundings
    places = np.array([row.position or (np.nan, np.nan) for row in rows], dtype=np.float64).reshape(-1, 2)
    lonlat = data.area.frame.to_degrees(places)
    shapes = np.full(len(rows), None, dtype=object)
    known = np.isfinite(lonlat).all(axis=1)
    shapes[known] = shapely.points(lonlat[known])
    return (
        "Point",
        shapes,
        {
            "time": _times([row.time_unix for row in rows]),
            **{
                name: np.array([getattr(row, field) for row in rows], dtype=np.float64)
                for name, field in (("depth_m", "depth"), ("raw_depth_m", "raw_depth"))
            },
            **{name: np.array([getattr(row, name) for row in rows], dtype=object) for name in ("status", "reason")},
        },
    )


def _lines(frame: LocalFrame, line: np.ndarray) -> list[shapely.LineString]:
    return [shapely.LineString(piece[:, :2]) for piece in pieces(frame, line) if len(piece) > 1]


def _times(seconds: list[float]) -> np.ndarray:
    """UTC, to a millisecond."""
    return np.round(np.array(seconds, dtype=np.float64) * 1000).astype("datetime64[ms]")
