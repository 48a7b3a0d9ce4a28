"""The placemarks of a KML file."""

import math
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from akrig.survey.area.errors import InvalidArea
from akrig.survey.area.shapes import Role, Shape

GEOMETRIES = ("Polygon", "Point", "LineString", "LinearRing", "Track", "Model")


def kml_shapes(text: str) -> list[Shape]:
    """A placemark with "keep" in its name is a keep-out; a point is home, above all one with "home" in its name."""
    try:
        top = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InvalidArea(f"This is not KML ({error}); export the drawing again.") from error
    placemarks = _all(top, "Placemark")
    if not placemarks:
        raise InvalidArea("This KML has no Placemark; draw a closed polygon around the water.")
    return [_shape(placemark, number) for number, placemark in enumerate(placemarks, start=1)]


def _shape(placemark: Element, number: int) -> Shape:
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
                raise InvalidArea(f"{label[:1].upper()}{label[1:]} has the coordinates {word!r}; akrig needs lon,lat.")
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
