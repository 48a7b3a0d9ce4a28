"""Against OGC KML 2.2's own order of elements, GDAL's reading, and akrig's reading of areas."""

import io
import zipfile
from xml.etree import ElementTree

import numpy as np
import pyogrio
import pytest
import shapely
from matplotlib import colormaps
from PIL import Image
from pyogrio.raw import read

from akrig.colours import DEPTHS
from akrig.survey.area import read_area
from akrig.survey.exports.kml import KML, export, export_zipped
from tests.survey.exports.lakes import PLACES, depth_at, surveyed

# OGC 07-147r2: children come in the order of the schema.
FEATURE = ["name", "description", "TimeSpan", "styleUrl", "Style"]
ORDER = {
    "kml": ["Document"],
    "Document": [*FEATURE, "Folder", "GroundOverlay"],
    "Folder": [*FEATURE, "Placemark"],
    "Placemark": [*FEATURE, "Point", "LineString", "Polygon", "MultiGeometry"],
    "GroundOverlay": [*FEATURE, "Icon", "LatLonBox"],
    "Style": ["LineStyle", "PolyStyle"],
    "LineStyle": ["color", "width"],
    "PolyStyle": ["color", "fill"],
    "TimeSpan": ["begin", "end"],
    "Polygon": ["outerBoundaryIs"],
    "outerBoundaryIs": ["LinearRing"],
    "LinearRing": ["coordinates"],
    "LineString": ["tessellate", "coordinates"],
    "MultiGeometry": ["LineString"],
    "Point": ["coordinates"],
    "Icon": ["href"],
    "LatLonBox": ["north", "south", "east", "west"],
}


def check_order(element):
    tag = element.tag.removeprefix(f"{{{KML}}}")
    if not len(element):
        return
    places = [ORDER[tag].index(child.tag.removeprefix(f"{{{KML}}}")) for child in element]
    assert places == sorted(places), tag
    for child in element:
        check_order(child)


@pytest.mark.parametrize("origin", [PLACES[0], PLACES[2], PLACES[4]], ids=str)
def test_it_is_kml_and_lies_where_it_should(tmp_path, origin):
    data, X = surveyed(tmp_path, origin)
    export(tmp_path / "survey.kml", data)
    check_order(ElementTree.parse(tmp_path / "survey.kml").getroot())
    again = read_area(tmp_path / "survey.kml")
    assert again.frame == data.area.frame
    for ring, drawn in zip((again.fence, *again.keep_outs), (data.area.fence, *data.area.keep_outs), strict=True):
        assert shapely.Polygon(ring).symmetric_difference(shapely.Polygon(drawn)).area < 0.4  # a millimetre all round
    assert again.home == pytest.approx(data.area.home, abs=0.01)

    path = tmp_path / "survey.kml"
    assert {name for name, _ in pyogrio.list_layers(path)} >= {"Contours", "Track"}
    about, _, shapes, columns = read(path, layer="Contours")
    names = columns[about["fields"].tolist().index("Name")]
    for name, shape in zip(names, shapely.from_wkb(shapes), strict=True):
        depth = depth_at(shapely.get_coordinates(shape), origin)
        assert np.abs(depth - float(name.removesuffix(" m"))).max() < 0.001  # a centimetre on the ground
    _, _, shapes, _ = read(path, layer="Track")
    track = data.area.frame.to_metres(shapely.get_coordinates(shapely.from_wkb(shapes)))
    assert all(np.hypot(*(track - place).T).min() < 0.01 for place in X)


@pytest.mark.parametrize("origin", [PLACES[0], PLACES[2]], ids=str)
def test_the_picture_in_the_kmz_lies_where_the_depths_are(tmp_path, origin):
    data, _ = surveyed(tmp_path, origin)
    export_zipped(tmp_path / "survey.kmz", data)
    with zipfile.ZipFile(tmp_path / "survey.kmz") as file:
        assert file.namelist() == ["doc.kml", "files/depth.png"]
        top = ElementTree.fromstring(file.read("doc.kml"))
        pixels = np.asarray(Image.open(io.BytesIO(file.read("files/depth.png"))))
    check_order(top)
    box = {name: float(top.find(f".//{{{KML}}}{name}").text) for name in ("north", "south", "east", "west")}
    rows, cols = pixels.shape[:2]
    longitude = box["west"] + (np.arange(cols) + 0.5) / cols * (box["east"] - box["west"])
    latitude = box["north"] - (np.arange(rows) + 0.5) / rows * (box["north"] - box["south"])
    lonlat = np.stack(np.meshgrid(longitude, latitude), axis=-1).reshape(-1, 2)
    clearance = data.area.clearance(data.area.frame.to_metres(lonlat))
    inside = pixels[..., 3].ravel() == 255
    assert np.array_equal(inside[np.abs(clearance) > 0.01], (clearance > 0)[np.abs(clearance) > 0.01])
    depth = depth_at(lonlat, origin)[inside]
    shares = (depth - depth.min()) / np.ptp(depth)
    expected = colormaps[DEPTHS](shares, bytes=True)
    assert np.abs(pixels.reshape(-1, 4)[inside].astype(int) - expected.astype(int)).max() <= 3
