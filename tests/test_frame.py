import numpy as np
import pyproj
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.frame import LocalFrame, wrapped_longitude

# Zone borders (6 E), the date line from both sides, the equator, Svalbard, the poles.
PLACES = [(6.0, 47.3), (179.9999, -16.8), (-180.0, 66.0), (0.0, 0.0), (15.6, 78.2), (-68.0, -54.8), (30.0, 89.99)]


@given(
    longitude=st.floats(-180, 180),
    latitude=st.floats(-90, 90),
    x=st.floats(-10_000, 10_000),
    y=st.floats(-10_000, 10_000),
)
def test_metres_to_degrees_and_back_is_the_same_place_anywhere_on_earth(longitude, latitude, x, y):
    frame, place = LocalFrame(longitude, latitude), np.array([[x, y]])
    lonlat = frame.to_degrees(place)
    assert -180 <= lonlat[0, 0] < 180
    assert -90 <= lonlat[0, 1] <= 90
    assert np.abs(frame.to_metres(lonlat) - place).max() < 1e-6


@pytest.mark.parametrize("origin", PLACES)
def test_distances_and_directions_are_those_on_the_ellipsoid(origin):
    X = np.random.default_rng(0).uniform(-5_000, 5_000, (50, 2))
    lonlat = LocalFrame(*origin).to_degrees(X)
    start = np.broadcast_to(origin, lonlat.shape)
    azimuth, _, metres = pyproj.Geod(ellps="WGS84").inv(start[:, 0], start[:, 1], lonlat[:, 0], lonlat[:, 1])
    assert np.abs(metres - np.hypot(*X.T)).max() < 0.01
    across = np.hypot(*X.T) * np.sin(np.radians(azimuth) - np.arctan2(X[:, 0], X[:, 1]))
    assert np.abs(across).max() < 0.01


def test_the_origin_is_zero_and_north_is_up():
    frame = LocalFrame(8.5, 47.2)
    assert frame.to_metres(np.array([[8.5, 47.2]])) == pytest.approx(np.zeros((1, 2)))
    east, north = frame.to_metres(np.array([[8.501, 47.2], [8.5, 47.201]]))
    assert east[0] > 75
    assert abs(east[1]) < 0.01
    assert north == pytest.approx([0, 111.18], abs=0.01)


def test_both_names_of_a_meridian_are_one_place():
    frame = LocalFrame(179.99, 10)
    assert frame.to_metres(np.array([[-179.99, 10.0]])) == pytest.approx(frame.to_metres(np.array([[180.01, 10.0]])))
    assert wrapped_longitude(np.array([180.0, -180.0, 190.0, 540.0, np.nextafter(-180, -181)])).tolist() == [
        -180,
        -180,
        -170,
        -180,
        -180,
    ]


def test_the_crs_for_files_agrees():
    frame = LocalFrame(6.0, 59.3)
    X = np.random.default_rng(1).uniform(-5_000, 5_000, (20, 2))
    there = pyproj.Transformer.from_crs(frame.crs, 4326, always_xy=True).transform(X[:, 0], X[:, 1])
    assert np.abs(frame.to_metres(np.column_stack(there)) - X).max() < 1e-4


def test_what_is_no_place_or_too_far_is_nan():
    X = LocalFrame(0, 0).to_metres(np.array([[np.nan, 1.0], [89.9, 0.0], [1.0, np.inf], [0.0, 1.0]]))
    assert np.isnan(X[:3]).all()
    assert np.isfinite(X[3]).all()


@pytest.mark.parametrize("origin", [(np.nan, 0.0), (0.0, np.nan), (181.0, 0.0), (0.0, 90.1)])
def test_an_origin_is_on_earth(origin):
    with pytest.raises(ValueError, match="LocalFrame needs"):
        LocalFrame(*origin)
