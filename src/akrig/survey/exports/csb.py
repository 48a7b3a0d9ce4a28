"""Accepted soundings as crowd-sourced bathymetry: GeoJSON CSB 3.1, after IHO B-12, for a Trusted Node."""

import json
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import numpy as np

from akrig import __version__
from akrig.config.survey import ContributorSettings
from akrig.errors import ConfigError
from akrig.files import write_text
from akrig.survey.exports.data import SurveyData
from akrig.survey.exports.geojson import DECIMALS, feature, iso_time

WGS84 = "EPSG:4326"
NEEDED = {"name": "who gives the soundings", "email": "where to ask", "license": 'as in "CC0 1.0"'}


def export(path: Path, data: SurveyData) -> None:
    """Below the water line, without a water level: a Trusted Node wants soundings without reductions."""
    contributor = data.settings.surveyed.contributor
    missing = [f"contributor.{name} ({why})" for name, why in NEEDED.items() if getattr(contributor, name) is None]
    if missing:
        raise ConfigError("csb", [f"a file for others must say {', '.join(missing)}; give them with --set"])
    head = {
        "type": "FeatureCollection",
        "crs": {"type": "name", "properties": {"name": WGS84}},
        "properties": _about(data, contributor),
    }
    lines = ",\n".join(json.dumps(each, allow_nan=False) for each in _soundings(data))
    write_text(path, f'{json.dumps(head)[:-1]}, "features": [\n{lines}\n]}}\n')


def _about(data: SurveyData, contributor: ContributorSettings) -> dict[str, Any]:
    depth = data.settings.surveyed.depth
    vessel = f"{contributor.node}-{uuid5(NAMESPACE_URL, f'mailto:{contributor.email}#{contributor.vessel}')}"
    sounder = {
        "type": "Sounder",
        "make": "unknown",
        "model": depth.source,
        "position": [depth.forward, depth.right, depth.transducer],
        "draft": depth.transducer,
    }
    return {
        "trustedNode": {
            "providerOrganizationName": contributor.name,
            "providerEmail": contributor.email,
            "uniqueVesselID": vessel,
            "convention": "GeoJSON CSB 3.1",
            "dataLicense": contributor.license,
            "providerLogger": "akrig",
            "providerLoggerVersion": __version__,
            "navigationCRS": WGS84,
            "verticalReferenceOfDepth": "Waterline",
            "vesselPositionReferencePoint": "Transducer",
        },
        "platform": {
            "uniqueID": vessel,
            "type": "uncrewed surface vessel",
            "name": contributor.vessel,
            "sensors": [sounder],
            "soundSpeedDocumented": False,
            "positionOffsetsDocumented": True,
            "dataProcessed": False,
        },
    }


def _soundings(data: SurveyData) -> list[dict[str, Any]]:
    rows = [row for row in data.soundings if row.status != "rejected" and row.position and row.raw_depth is not None]
    lonlat = data.area.frame.to_degrees(np.array([row.position for row in rows], dtype=np.float64).reshape(-1, 2))
    draught = data.settings.surveyed.depth.transducer
    return [
        feature(
            "Point", np.round(place, DECIMALS).tolist(),
            depth=round(row.raw_depth + draught, 3), time=iso_time(row.time_unix),
        )
        for row, place in zip(rows, lonlat, strict=True)
        if row.raw_depth is not None
    ]  # fmt: skip
