import numpy as np
import pytest

from akrig.frame import LocalFrame
from akrig.survey.area import InvalidArea, area_from

RING = np.array([[-100.0, -60], [100, -60], [100, 60], [-100, 60]])
ISLAND = RING / 10


def degrees(X, origin=(8.5, 47.2)):
    return LocalFrame(*origin).to_degrees(np.asarray(X, dtype=float)).tolist()


# A zone border, the date line, the equator and Greenwich at once, far north, the poles.
PLACES = [(6.0, 47.3), (179.9999, -16.8), (-180.0, 66.0), (0.0, 0.0), (15.6, 78.2), (30.0, 90.0), (-5.0, -90.0)]


@pytest.mark.parametrize("origin", PLACES)
def test_an_area_is_where_it_was_drawn_anywhere_on_earth(origin):
    area = area_from("here", degrees(RING, origin), [degrees(ISLAND, origin)], degrees([[50, 20]], origin)[0])
    assert area.size == pytest.approx(200 * 120 - 20 * 12, rel=1e-5)
    assert np.hypot(*np.diff(area.fence, axis=0).T) == pytest.approx([200, 120, 200], abs=1e-3)
    assert np.hypot(*(area.fence.min(axis=0) + area.fence.max(axis=0))) < 0.5  # the middle is the origin
    back = LocalFrame(*origin).to_metres(area.frame.to_degrees(np.vstack([area.fence, area.home])))
    assert back == pytest.approx(np.vstack([RING, [50, 20]]), abs=1e-4)
    again = area_from(**area.as_dict())
    assert np.abs(again.fence - area.fence).max() < 1e-6


def test_the_date_line_may_be_named_either_way():
    east, west = [[179.999, 10], [180.001, 10], [180, 10.001]], [[179.999, 10], [-179.999, 10], [-180, 10.001]]
    assert area_from("a", east).as_dict() == area_from("a", west).as_dict()


def test_a_ring_may_be_closed_and_corners_repeated():
    ring = degrees(RING)
    assert len(area_from("a", [*ring, ring[-1], ring[0]]).fence) == 4


def refused(fence=None, keep_outs=(), home=None):
    with pytest.raises(InvalidArea) as caught:
        area_from("pond", degrees(RING) if fence is None else fence, keep_outs, home)
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


def test_a_crossing_is_named_by_its_place():
    sentence = refused(degrees(RING[[0, 2, 1, 3]]))
    assert "The border of the fence crosses or touches itself at latitude 47.2000000, longitude 8.5000000" in sentence
    assert "The border of keep-out 1 crosses" in refused(keep_outs=[degrees(ISLAND[[0, 2, 1, 3]])])


def test_swapped_coordinates_are_recognised():
    ring = degrees(RING, (139.6, 35.2))
    turned = np.array(ring)[:, ::-1].tolist()
    assert "the latitude 139.599 is beyond 90 degrees: latitude and longitude look swapped" in refused(turned)
    home = degrees([[50, 20]])[0]
    assert "lies outside the fence; latitude and longitude look swapped" in refused(home=home[::-1])
    island = np.array(degrees(ISLAND))[:, ::-1].tolist()
    assert "Keep-out 1 lies outside the fence" in refused(keep_outs=[island])
    assert "look swapped" in refused(keep_outs=[island])


def test_metres_are_not_degrees():
    assert "not degrees on Earth; save the drawing in WGS84" in refused([[500000, 5200000], [500100, 5200000], [5, 5]])


def test_what_is_no_number_is_refused():
    assert "In the fence, corner 2, longitude nan" in refused([[8, 47], [np.nan, 47], [8.001, 47.001]])
    assert "no longitude and latitude" in refused([[8, 47], ["a", 47], [8.001, 47.001]])
    assert "no longitude and latitude" in refused([[8, 47], [8], [8.001, 47.001]])


def test_a_polygon_has_three_corners_and_an_inside():
    assert "2 different corners; a polygon needs at least 3" in refused(degrees(RING[[0, 1, 0, 1]])[:2])
    assert "lie on one line" in refused(degrees([[0, 0], [50, 50], [100, 100]]))
    assert refused([]).startswith("The fence has no corners")


def test_sizes_that_are_mistakes_are_refused():
    assert "24 km across" in refused(degrees(RING * 120))
    assert "look for a mistyped corner" in refused([[8.5, 47.2], [8.6, 47.2], [85, 47.3]])
    assert "larger than a continent" in refused([[0, 0], [170, 0], [85, 10]])
    assert "is only 5 m across" in refused(degrees(RING / 40))


def test_keep_outs_must_leave_something_and_lie_in_the_fence():
    assert "the keep-outs cover it" in refused(keep_outs=[degrees(RING * 1.1)])
    assert "Keep-out 2 lies outside the fence" in refused(keep_outs=[degrees(ISLAND), degrees(ISLAND + 500)])
    jetty = degrees(ISLAND + np.array([100, 0]))
    assert area_from("a", degrees(RING), [jetty]).size == pytest.approx(200 * 120 - 120, rel=1e-5)


def test_home_is_in_the_water():
    assert "lies outside the fence, 50 m away from it; move home" in refused(home=degrees([[150, 0]])[0])
    assert "lies in keep-out 1" in refused(keep_outs=[degrees(ISLAND)], home=degrees([[0, 0]])[0])
    assert "lies outside the fence" in refused(home=[-150.0, -20.0])
