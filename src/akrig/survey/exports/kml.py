"""Area, contours and track as KML 2.2 for Google Earth; zipped, with the map as a picture under them."""

import io
import zipfile
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from akrig import __version__
from akrig.colours import DEPTHS
from akrig.files import write_bytes
from akrig.survey.area import Area
from akrig.survey.exports.data import SurveyData
from akrig.survey.exports.geojson import DECIMALS, iso_time, pieces, timed_pieces
from akrig.survey.exports.geotiff import predicted

KML = "http://www.opengis.net/kml/2.2"
PICTURE = "files/depth.png"
LARGEST_SIDE = 600  # pixels of the picture
STYLES = {  # colours are alpha, blue, green, red
    "fence": {"line": ("ff1b1b1b", 2), "fill": None},
    "keep-out": {"line": ("ff2d45c8", 2), "fill": "402d45c8"},
    "contour": {"line": ("ff563d0a", 1), "fill": None},
    "track": {"line": ("ff2d45c8", 1), "fill": None},
}


def export(path: Path, data: SurveyData) -> None:
    write_bytes(path, _text(_document(data)))


def export_zipped(path: Path, data: SurveyData) -> None:
    """With the map between its shallowest and deepest place, coloured as akrig's figures are."""
    top, packed = _document(data), io.BytesIO()
    picture = _picture(data, top[0])
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("doc.kml", _text(top))  # first: viewers open the first they find
        file.writestr(PICTURE, picture, zipfile.ZIP_STORED)
    write_bytes(path, packed.getvalue())


def _document(data: SurveyData) -> Element:
    top = Element("kml", {"xmlns": KML})
    document = _with(top, "Document", name=data.area.name or "survey", description=f"Written by akrig {__version__}")
    for name, look in STYLES.items():
        _style(document, name, **look)
    _area(document, data.area)
    _contours(document, data)
    _track(document, data)
    return top


def _area(document: Element, area: Area) -> None:
    """Keep-outs are shapes of their own: they may reach beyond the fence. `akrig survey` reads them by their names."""
    folder = _with(document, "Folder", name="Area")
    shapes = [("fence", "fence", area.fence)]
    shapes += [(f"keep-out {k}", "keep-out", ring) for k, ring in enumerate(area.keep_outs, start=1)]
    for name, style, ring in shapes:
        placemark = _with(folder, "Placemark", name=name, styleUrl=f"#{style}")
        outline = _with(_with(_with(placemark, "Polygon"), "outerBoundaryIs"), "LinearRing")
        lonlat = area.frame.to_degrees(ring)
        counterclockwise = lonlat if _turn(ring) > 0 else lonlat[::-1]
        _coordinates(outline, np.vstack([counterclockwise, counterclockwise[:1]]))
    if area.home is not None:
        point = _with(_with(folder, "Placemark", name="home"), "Point")
        _coordinates(point, area.frame.to_degrees(np.array([area.home])))


def _contours(document: Element, data: SurveyData) -> None:
    """One placemark for each depth."""
    folder = _with(document, "Folder", name="Contours")
    for depth in sorted({depth for depth, _ in data.contours.lines}):
        placemark = _with(folder, "Placemark", name=f"{depth:g} m", styleUrl="#contour")
        lines = _with(placemark, "MultiGeometry")
        for line in (line for level, line in data.contours.lines if level == depth):
            for piece in pieces(data.area.frame, line):
                if len(piece) > 1:
                    _coordinates(_with(lines, "LineString", tessellate="1"), piece[:, :2])


def _track(document: Element, data: SurveyData) -> None:
    folder = _with(document, "Folder", name="Track")
    for leg in timed_pieces(data.track, frame=data.area.frame):
        if len(leg.lonlat) < 2:
            continue
        begin, end = (iso_time(float(time)) for time in leg.times[[0, -1]])
        placemark = _with(folder, "Placemark", name=begin)
        _with(placemark, "TimeSpan", begin=begin, end=end)
        SubElement(placemark, "styleUrl").text = "#track"
        _coordinates(_with(placemark, "LineString", tessellate="1"), leg.lonlat)


def _picture(data: SurveyData, document: Element) -> bytes:
    """On lines of longitude and latitude, as a picture on a globe lies; every pixel is asked for at its own place."""
    from matplotlib import colormaps
    from PIL import Image

    west, south, east, north = _bounds(data.area)
    width, height = data.area.extent.size
    scale = LARGEST_SIDE / max(width, height)
    cols, rows = (max(2, round(min(side * scale, side / data.cell))) for side in (width, height))
    longitudes = west + (np.arange(cols) + 0.5) / cols * (east - west)
    latitudes = north - (np.arange(rows) + 0.5) / rows * (north - south)
    X = data.area.frame.to_metres(np.stack(np.meshgrid(longitudes, latitudes), axis=-1).reshape(-1, 2))
    inside = data.area.allows(X)
    depth = np.full(len(X), np.nan)
    depth[inside] = predicted(data.model.latent, X[inside])[0]
    low, high = (float(depth[inside].min()), float(depth[inside].max())) if inside.any() else (0.0, 1.0)
    shares = np.nan_to_num((depth - low) / max(high - low, 1e-9)).reshape(rows, cols)
    pixels = colormaps[DEPTHS](shares, bytes=True)
    pixels[..., 3] = np.where(inside.reshape(rows, cols), 255, 0)
    overlay = _with(document, "GroundOverlay", name=f"Depth, {low:.1f} m (light) to {high:.1f} m (dark)")
    _with(overlay, "Icon", href=PICTURE)
    _with(overlay, "LatLonBox", north=_degrees(north), south=_degrees(south), east=_degrees(east), west=_degrees(west))
    packed = io.BytesIO()
    Image.fromarray(pixels).save(packed, "PNG")
    return packed.getvalue()


def _bounds(area: Area) -> tuple[float, float, float, float]:
    """West, south, east, north; east is beyond 180 where the area lies across the date line."""
    lonlat = area.frame.to_degrees(area.fence)
    middle = area.frame.longitude
    longitude = middle + (lonlat[:, 0] - middle + 180) % 360 - 180
    (west, east), (south, north) = ((float(each.min()), float(each.max())) for each in (longitude, lonlat[:, 1]))
    return west, south, east, north


def _style(document: Element, name: str, *, line: tuple[str, int], fill: str | None) -> None:
    style = SubElement(document, "Style", {"id": name})
    _with(style, "LineStyle", color=line[0], width=str(line[1]))
    _with(style, "PolyStyle", **({"fill": "0"} if fill is None else {"color": fill}))


def _with(parent: Element, tag: str, **children: Any) -> Element:
    element = SubElement(parent, tag)
    for name, text in children.items():
        SubElement(element, name).text = str(text)
    return element


def _coordinates(parent: Element, lonlat: np.ndarray) -> None:
    SubElement(parent, "coordinates").text = " ".join(f"{_degrees(x)},{_degrees(y)}" for x, y in lonlat.tolist())


def _degrees(value: float) -> str:
    return f"{value:.{DECIMALS}f}"


def _turn(ring: np.ndarray) -> float:
    """Twice the area; positive if the corners go round counterclockwise."""
    after = np.roll(ring, -1, axis=0)
    return float(np.sum(ring[:, 0] * after[:, 1] - after[:, 0] * ring[:, 1]))


def _text(top: Element) -> bytes:
    indent(top)
    return tostring(top, encoding="utf-8", xml_declaration=True)
