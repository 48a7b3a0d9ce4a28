"""Every format that surveys are given and leave behind, declared once: what reads or writes it, and how people see it.

As light as `parts`. To add a format: its file, and its entry here.
"""

import re
from dataclasses import dataclass
from typing import Literal

from akrig.parts import Part, entries

Source = Literal["model", "track", "soundings", "folder"]


@dataclass(frozen=True)
class LogPart(Part):
    """A log of soundings.

    Args:
        where: "module:function" of a path; gives `Soundings`, and how many were left out, and why.
        begins: a pattern of the first bytes; "" if it is not known by them.
    """

    begins: bytes = b""

    def is_of(self, begin: bytes) -> bool:
        return bool(self.begins) and re.match(self.begins, begin, re.DOTALL) is not None


# By their first bytes; a text that none of them knows may still be a table.
LOGS = entries(
    LogPart(
        "ardupilot", "akrig.survey.logs.ardupilot:read", "ArduPilot's .bin",
        "Depths where the autopilot was when they came (DPTH), with its GPS and its attitude.",
        begins=rb"\xa3\x95\x80",
    ),
    LogPart(
        "lowrance", "akrig.survey.logs.lowrance:read", "Lowrance's .sl2 and .sl3",
        "Depths and places of a fish finder's recording.",
        begins=rb"[\x02\x03]\0[\0-\x02]\0..\0\0",
    ),
    LogPart(
        "nmea", "akrig.survey.logs.nmea:read", "NMEA 0183", "Sentences DPT or DBT, with RMC, GGA or GLL.",
        begins=rb".*?(?:^|[^A-Za-z0-9])\$[A-Z]{2}(?:DPT|DBT|RMC|GGA|GLL|VTG|GSA|GSV|ZDA|HDT|HDG|MTW),",
    ),
    LogPart(
        "soundings", "akrig.survey.logs.pings:read_table", "CSV, or a Deeper's raw log",
        "Columns latitude, longitude, depth and perhaps time.",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class ExportPart(Part):
    """What is made of a survey for other programs.

    Args:
        name: the word for `akrig export --as`.
        where: "module:function" of a path and a `SurveyData`.
        file: what it is called among a survey's results.
        media: its type, as browsers know it.
        needs: what of a survey it is made from.
        is_usual: does every survey end with it? The others are for those who ask.
        on_page: can it be had from the page?
    """

    file: str = ""
    media: str = "application/octet-stream"
    needs: tuple[Source, ...] = ("model",)
    is_usual: bool = False
    on_page: bool = True


GEOJSON = "application/geo+json"

EXPORTS = entries(
    ExportPart(
        "geotiff", "akrig.survey.exports.usual:export_map", "Map (GeoTIFF)",
        "Depth, its standard deviation and the order of survey met, cloud-optimised.",
        file="map.tif", media="image/tiff", is_usual=True,
    ),
    ExportPart(
        "contours", "akrig.survey.exports.usual:export_contours", "Contours (GeoJSON)", "Lines of equal depth.",
        file="contours.geojson", media=GEOJSON, is_usual=True,
    ),
    ExportPart(
        "track", "akrig.survey.exports.usual:export_track", "Track (GeoJSON)", "Where the boat was, and when.",
        file="track.geojson", media=GEOJSON, needs=("track",), is_usual=True,
    ),
    ExportPart(
        "soundings", "akrig.survey.exports.usual:export_soundings", "Soundings (CSV)",
        "Every sounding: used, kept, or rejected with the reason.",
        file="soundings.csv", media="text/csv", needs=("soundings",), is_usual=True,
    ),
    ExportPart(
        "recording", "akrig.survey.exports.usual:export_recording", "Recording (MCAP)",
        "All that happened, for Foxglove.",
        file="recording.mcap", needs=("folder",), is_usual=True, on_page=False,
    ),
    ExportPart(
        "gpkg", "akrig.survey.exports.geopackage:export", "Lines and soundings (GeoPackage)",
        "Area, contours, track and soundings as layers of one file.",
        file="survey.gpkg", media="application/geopackage+sqlite3", needs=("model", "track", "soundings"),
    ),
    ExportPart(
        "kml", "akrig.survey.exports.kml:export", "Lines (KML)", "Area, contours and track, for Google Earth.",
        file="survey.kml", media="application/vnd.google-earth.kml+xml", needs=("model", "track"), on_page=False,
    ),
    ExportPart(
        "kmz", "akrig.survey.exports.kml:export_zipped", "Map and lines (KMZ)",
        "The same, with the map as a picture under it.",
        file="survey.kmz", media="application/vnd.google-earth.kmz", needs=("model", "track"),
    ),
    ExportPart(
        "bag", "akrig.survey.exports.bag:export", "Map (BAG)",
        "Elevation and uncertainty as a Bathymetric Attributed Grid.", file="map.bag",
    ),
    ExportPart(
        "csb", "akrig.survey.exports.csb:export", "Soundings (CSB)",
        "Crowd-sourced bathymetry as GeoJSON (IHO B-12), for a Trusted Node.",
        file="csb.geojson", media=GEOJSON, needs=("soundings",), on_page=False,
    ),
    ExportPart(
        "plan", "akrig.survey.exports.plan:export", "Plan (QGroundControl)",
        "Fence, keep-outs, home and the waypoints planned last.",
        file="survey.plan", media="application/json", needs=("folder",), on_page=False,
    ),
)  # fmt: skip
