"""Areas from files that people draw: GeoJSON, KML, and plans of QGroundControl."""

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from akrig.files import content_of, read_text, reason
from akrig.survey.area.area import Area, InvalidArea
from akrig.survey.area.plan import PLAN_ADVICE, plan_shapes
from akrig.survey.area.shapes import Role, Shape, area_of_shapes
from akrig.words import capital

GEOMETRIES = ("Polygon", "Point", "LineString", "LinearRing", "Track", "Model")
ROLES: dict[str, Role] = {
    **dict.fromkeys(("fence", "area", "boundary"), "fence"),
    **dict.fromkeys(("keep-out", "keepout", "exclusion"), "keep-out"),
    "home": "home",
}
WGS84 = ("4326", "CRS84")
KNOWN = ("Polygon", "MultiPolygon", "Point", "MultiPoint", "LineString", "MultiLineString")


def read_area(path: str | Path) -> Area:
    """A fence with its keep-outs and home from a drawing or a plan, by its suffix; it is named after the file."""
    path = Path(path)
    if path.suffix.lower() not in READERS:
        raise InvalidArea(f"{path} has no suffix of a drawing; akrig reads {', '.join(READERS)}.")
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    shapes, advice = READERS[path.suffix.lower()]
    try:
        text = read_text(path)
    except UnicodeDecodeError as error:
        raise InvalidArea(f"{path} is not text in UTF-8; export the drawing again.") from error
    try:
        with content_of(path, advice="export the drawing again", error=InvalidArea):
            return area_of_shapes(path.stem, shapes(text), advice=advice)
    except InvalidArea as error:
        raise error if str(path) in str(error) else InvalidArea(f"{path}: {error}") from error


def geojson_shapes(text: str) -> list[Shape]:
    """Of a geometry, a feature or a collection of features."""
    try:
        top = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidArea(f"This is not GeoJSON ({reason(error)}); export the drawing again.") from error
    if not isinstance(top, dict) or "type" not in top:
        raise InvalidArea("This is JSON but not GeoJSON: it has no type; export the drawing again.")
    _check_crs(top)
    if top["type"] != "FeatureCollection":
        return [_shape(top, "the drawing")]
    features = top.get("features")
    if not isinstance(features, list) or not features:
        raise InvalidArea("The FeatureCollection has no features; draw a closed polygon around the water.")
    return [_shape(feature, f"feature {number}") for number, feature in enumerate(features, start=1)]


def _shape(feature: Any, label: str) -> Shape:
    """Of a feature, or of a bare geometry."""
    if not isinstance(feature, dict):
        raise InvalidArea(f"GeoJSON: {label} is not an object; export the drawing again.")
    properties = feature.get("properties") if feature.get("type") == "Feature" else None
    properties = properties if isinstance(properties, dict) else {}
    geometry = feature.get("geometry") if feature.get("type") == "Feature" else feature
    if name := properties.get("name"):
        label = f"{label} '{name}'"
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    if not isinstance(geometry, dict) or kind not in KNOWN:
        raise InvalidArea(f"GeoJSON: {label} has the geometry {kind}, which is no Polygon and no Point; delete it.")
    coordinates = geometry.get("coordinates")
    return Shape(
        label,
        str(kind),
        _role(properties.get("role"), label),
        polygons=_polygons(str(kind), coordinates, label),
        points=_points(str(kind), coordinates, label),
    )


def _polygons(kind: str, coordinates: Any, label: str) -> Sequence[Any]:
    """Of each, its rings; that a ring is one, `making` checks."""
    polygons = {"Polygon": [coordinates], "MultiPolygon": coordinates}.get(kind, [])
    if not isinstance(polygons, list) or not all(isinstance(polygon, list) for polygon in polygons):
        raise InvalidArea(f"GeoJSON: the coordinates of {label} are not those of a {kind}; export the drawing again.")
    for ring in (ring for polygon in polygons for ring in polygon):
        if not isinstance(ring, list) or not all(isinstance(place, list) and len(place) >= 2 for place in ring):
            raise InvalidArea(
                f"GeoJSON: the coordinates of {label} are not rings of longitudes and latitudes; export it again."
            )
    return polygons


def _points(kind: str, coordinates: Any, label: str) -> Sequence[Any]:
    points = {"Point": [coordinates], "MultiPoint": coordinates}.get(kind, [])
    if not isinstance(points, list) or not all(isinstance(place, list) and len(place) >= 2 for place in points):
        raise InvalidArea(f"GeoJSON: {label} is a {kind} without longitude and latitude; draw it again.")
    return points


def _role(role: Any, label: str) -> Role | None:
    if role is None:
        return None
    if str(role).lower() not in ROLES:
        raise InvalidArea(f"The role of {label} is {role!r}; akrig knows {', '.join(ROLES)}.")
    return ROLES[str(role).lower()]


def _check_crs(top: dict[str, Any]) -> None:
    """GeoJSON is WGS84 by definition, but older files could say otherwise."""
    crs = top.get("crs")
    properties = crs.get("properties") if isinstance(crs, dict) else None
    name = properties.get("name") if isinstance(properties, dict) else None
    if name is not None and not str(name).endswith(WGS84):
        raise InvalidArea(f"Its coordinates are in {name}; save the drawing in WGS84 (EPSG:4326).")


GEOJSON_ADVICE = 'give the keep-outs the property "role": "keep-out"'
KML_ADVICE = 'give the keep-outs a name with the word "keep" in it'


def kml_shapes(text: str) -> list[Shape]:
    """A placemark with "keep" in its name is a keep-out; a point is home, above all one with "home" in its name."""
    try:
        top = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InvalidArea(f"This is not KML ({error}); export the drawing again.") from error
    placemarks = _all(top, "Placemark")
    if not placemarks:
        raise InvalidArea("This KML has no Placemark; draw a closed polygon around the water.")
    return [_placemark_shape(placemark, number) for number, placemark in enumerate(placemarks, start=1)]


def _placemark_shape(placemark: Element, number: int) -> Shape:
    name = next((child.text or "" for child in placemark if _tag(child) == "name"), "").strip()
    label = f"placemark {number}" + (f" '{name}'" if name else "")
    kinds = [tag for tag in GEOMETRIES if _all(placemark, tag)]
    polygons = [_rings(polygon, label) for polygon in _all(placemark, "Polygon")]
    points = [] if polygons else [place for point in _all(placemark, "Point") for place in _coordinates(point, label)]
    role: Role | None = None
    if polygons and "keep" in name.lower():
        role = "keep-out"
    elif points and "home" in name.lower():
        role = "home"
    return Shape(label, kinds[0] if kinds else "Placemark without a shape", role, polygons=polygons, points=points)


def _rings(polygon: Element, label: str) -> list[list[list[float]]]:
    outer, inner = (
        [ring for border in _all(polygon, tag) for ring in _all(border, "LinearRing")]  # some write all holes in one
        for tag in ("outerBoundaryIs", "innerBoundaryIs")
    )
    if len(outer) != 1:
        raise InvalidArea(f"The polygon of {label} has {len(outer)} outer boundaries instead of one; draw it again.")
    return [_coordinates(ring, label) for ring in (*outer, *inner)]


def _coordinates(element: Element, label: str) -> list[list[float]]:
    """Tuples of longitude, latitude and perhaps height, with white space between them."""
    places = []
    for child in _all(element, "coordinates"):
        for word in (child.text or "").split():
            numbers = [_number(part) for part in word.split(",")]
            if len(numbers) < 2:
                raise InvalidArea(f"{capital(label)} has the coordinates {word!r}; akrig needs lon,lat.")
            places.append(numbers[:2])
    return places


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan  # refused with its place when the area is made


def _all(element: Element, tag: str) -> list[Element]:
    """At any depth, whatever the namespace."""
    return [child for child in element.iter() if _tag(child) == tag]


def _tag(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


READERS: dict[str, tuple[Callable[[str], list[Shape]], str]] = {
    ".geojson": (geojson_shapes, GEOJSON_ADVICE),
    ".json": (geojson_shapes, GEOJSON_ADVICE),
    ".kml": (kml_shapes, KML_ADVICE),
    ".plan": (plan_shapes, PLAN_ADVICE),
}
