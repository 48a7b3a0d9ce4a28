import numpy as np
import pytest

from akrig.survey.area import InvalidArea, read_area
from tests.survey.area.test_validation import ISLAND, RING, degrees


def ring(X, tag):
    text = "\n".join(f"{lon!r},{lat!r},0" for lon, lat in [*degrees(X), degrees(X)[0]])
    return f"<{tag}><LinearRing><coordinates> {text} </coordinates></LinearRing></{tag}>"


def placemark(name, *content):
    return f"<Placemark><name>{name}</name>{''.join(content)}</Placemark>"


def polygon(outer, *inner):
    holes = "".join(ring(X, "innerBoundaryIs") for X in inner)
    return f"<Polygon><tessellate>1</tessellate>{ring(outer, 'outerBoundaryIs')}{holes}</Polygon>"


def point(X):
    (lon, lat), *_ = degrees([X])
    return f"<Point><coordinates>{lon!r},{lat!r}</coordinates></Point>"


@pytest.fixture
def read(tmp_path):
    def reading(*placemarks):
        path = tmp_path / "pond.kml"
        body = "".join(placemarks)
        path.write_text(
            '<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Folder>'
            f"<name>keep these</name>{body}</Folder></Document></kml>"
        )
        return read_area(path)

    return reading


def test_polygons_holes_and_points_by_their_names(read):
    area = read(
        placemark("Reeds, Keep out!", polygon(ISLAND + 40)),
        placemark("Pond", "<MultiGeometry>", polygon(RING, ISLAND), "</MultiGeometry>"),
        placemark("Car park", point((900, 900))),
        placemark("HOME", point((50, 20))),
    )
    assert np.array(area.as_dict()["fence"]) == pytest.approx(np.array(degrees(RING)), abs=1e-11)
    assert np.array(area.as_dict()["keep_outs"]) == pytest.approx(
        np.array([degrees(ISLAND), degrees(ISLAND + 40)]), abs=1e-11
    )
    assert area.as_dict()["home"] == pytest.approx(degrees([[50, 20]])[0], abs=1e-11)


def test_one_point_is_home_whatever_its_name(read):
    assert read(placemark("", polygon(RING)), placemark("Slipway", point((50, 20)))).home is not None


def test_holes_may_share_one_boundary(read):
    two = polygon(RING, ISLAND, ISLAND + 40).replace("</innerBoundaryIs><innerBoundaryIs>", "")
    assert len(read(placemark("Pond", two)).keep_outs) == 2


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "no Placemark"),
        ("<Placemark>", "This is not KML"),
        (
            placemark("A", polygon(RING)) + placemark("B", polygon(ISLAND)),
            "placemark 1 'A' and placemark 2 'B'; give the",
        ),
        (placemark("A", f"<LineString>{ring(RING, 'x')}</LineString>"), r"only LineString"),
        (placemark("A", "<Polygon/>"), "placemark 1 'A' has 0 outer boundaries"),
        (placemark("A", polygon(RING).replace(",0\n", ",0\n8.5 ")), "coordinates '8.5'"),
        (placemark("A", polygon(RING).replace(",0\n", ",0\nx,y "), ""), "Placemark 1 'A', corner 2|corner 2"),
        (placemark("A", polygon(RING)) + placemark("keep", polygon(ISLAND + 900)), "Placemark 2 'keep' lies outside"),
    ],
)
def test_a_bad_drawing_is_refused_with_one_sentence_that_names_the_file(read, content, reason):
    with pytest.raises(InvalidArea, match=reason) as caught:
        read(content)
    assert "pond.kml" in str(caught.value)
