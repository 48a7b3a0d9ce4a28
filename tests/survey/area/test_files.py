import json
from pathlib import Path

import numpy as np
import pytest

from akrig.survey.area import InvalidArea, read_area
from tests.survey.area.test_validation import ISLAND, RING, degrees

LAKE = Path(__file__).parents[3] / "examples" / "lake.geojson"
FENCE, HOLE, HOME = degrees(RING), degrees(ISLAND), degrees([[50, 20]])[0]


def polygon(*rings):
    return {"type": "Polygon", "coordinates": [[*ring, ring[0]] for ring in rings]}


def feature(geometry, **properties):
    return {"type": "Feature", "properties": properties or None, "geometry": geometry}


def collection(*features):
    return {"type": "FeatureCollection", "features": list(features)}


POINT = {"type": "Point", "coordinates": [*HOME, 400.0]}


@pytest.fixture
def read(tmp_path):
    def reading(drawing):
        path = tmp_path / "pond.geojson"
        path.write_text(drawing if isinstance(drawing, str) else json.dumps(drawing))
        return read_area(path)

    return reading


@pytest.mark.parametrize(
    "drawing",
    [
        polygon(FENCE, HOLE),
        {"type": "MultiPolygon", "coordinates": [polygon(FENCE, HOLE)["coordinates"]]},
        feature(polygon(FENCE, HOLE)),
        collection(feature(polygon(FENCE, HOLE)), feature(POINT)),
        collection(feature(POINT, role="home"), feature(polygon(HOLE), role="keepout"), feature(polygon(FENCE))),
        collection(feature(polygon(FENCE), role="fence"), feature(polygon(HOLE), role="Exclusion")),
        collection(
            feature(polygon(FENCE, HOLE)), feature({"type": "LineString", "coordinates": FENCE}, name="old track")
        ),
    ],
)
def test_one_area_drawn_in_many_ways(read, drawing):
    area = read(drawing)
    assert area.name == "pond"
    assert np.array(area.as_dict()["fence"]) == pytest.approx(np.array(FENCE), abs=1e-11)
    assert np.array(area.as_dict()["keep_outs"]) == pytest.approx(np.array([HOLE]), abs=1e-11)
    if "Point" in json.dumps(drawing):
        assert area.as_dict()["home"] == pytest.approx(HOME, abs=1e-11)
    else:
        assert area.home is None


def test_the_example_is_a_lake():
    area = read_area(LAKE)
    assert area.size == pytest.approx(45_000, rel=0.05)
    assert len(area.keep_outs) == 2
    assert area.clearance(np.array([area.home]))[0] > 5
    assert area.reachable(np.array([[0.0, 0.0]]), area.home, margin=5).all()


def cut(text, at):
    return text[:at]


@pytest.mark.parametrize(
    ("drawing", "reason"),
    [
        (cut(json.dumps(polygon(FENCE)), 50), "This is not GeoJSON"),
        ("[1, 2]", "it has no type"),
        (collection(), "has no features"),
        (collection(feature(POINT)), r"no polygon to be the fence \(only Point\)"),
        (feature({"type": "LineString", "coordinates": FENCE}), r"no polygon to be the fence \(only LineString\)"),
        (
            collection(feature(polygon(FENCE), name="A"), feature(polygon(HOLE))),
            "feature 1 'A' and feature 2; give the",
        ),
        ({"type": "MultiPolygon", "coordinates": [[FENCE], [HOLE]]}, "consists of 2 polygons"),
        (
            collection(feature(polygon(FENCE)), feature(polygon(HOLE), role="island")),
            "feature 2 is 'island'; akrig knows",
        ),
        (collection(feature(polygon(FENCE)), feature(POINT), feature(POINT)), "more than one point"),
        (collection(feature(polygon(FENCE)), feature(polygon(HOLE), role="home")), "Home is one Point, but feature 2"),
        (
            collection(feature(polygon(FENCE)), feature(POINT, role="keep-out")),
            "A keep-out is a Polygon, but feature 2",
        ),
        (feature(polygon(FENCE[:2])), "2 different corners"),
        (feature({"type": "Polygon", "coordinates": [FENCE[0]]}), "not rings of longitudes"),
        (feature({"type": "Polygon", "coordinates": []}), "without corners"),
        (feature({"type": "Polygon", "coordinates": None}), "not those of a Polygon"),
        (feature({"type": "Point", "coordinates": 3}), "without longitude and latitude"),
        (feature(None), "geometry None"),
        (collection(3), "not an object"),
        (feature(polygon([[8, 47], [float("nan"), 47], [8.001, 47.001]])), "corner 2, longitude nan"),
        (feature(polygon(degrees(RING[[0, 2, 1, 3]]))), "crosses or touches itself at latitude 47.2"),
        (feature(polygon(FENCE, degrees(ISLAND + 900))), "Hole 1 of the drawing lies outside"),
        ({**polygon(FENCE), "crs": {"properties": {"name": "urn:ogc:def:crs:EPSG::3857"}}}, "EPSG::3857; save"),
    ],
)
def test_a_bad_drawing_is_refused_with_one_sentence_that_names_the_file(read, drawing, reason):
    with pytest.raises(InvalidArea, match=reason) as caught:
        read(drawing)
    assert "pond.geojson" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bad_feature_is_called_by_its_name(read):
    with pytest.raises(InvalidArea, match=r"Feature 2 'Rock' lies outside feature 1 'Lake'"):
        read(
            collection(
                feature(polygon(FENCE), name="Lake"),
                feature(polygon(degrees(ISLAND + 900)), name="Rock", role="keep-out"),
            )
        )


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InvalidArea, match=r"no suffix of a drawing; akrig reads \.geojson, \.json, \.kml"):
        read_area(tmp_path / "lake.shp")
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read_area(tmp_path / "lake.kml")
    (tmp_path / "lake.json").write_bytes(b"\xff\xfe{\x00")
    with pytest.raises(InvalidArea, match="not text in UTF-8"):
        read_area(tmp_path / "lake.json")
