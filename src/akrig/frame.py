"""Metres about a place on Earth, and back to degrees."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyproj
from pyproj.enums import TransformDirection

from akrig.geometry import wrapped_degrees
from akrig.types import Points

DEGREES_TO_RADIANS = "+step +proj=unitconvert +xy_in=deg +xy_out=rad"


@dataclass(frozen=True)
class LocalFrame:
    """x is east and y is north of an origin, in metres: a transverse Mercator map (WGS84) whose scale is 1 there.

    The meridian of the map is the origin's own, so there are no zones, and the date line is a line like any other.
    Ten kilometres east or west of the origin, lengths are 1.2 millionths too long: 1 mm in a kilometre.

    Args:
        longitude: of the origin, degrees east.
        latitude: of the origin, degrees north.
    """

    longitude: float
    latitude: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "longitude", float(self.longitude))
        object.__setattr__(self, "latitude", float(self.latitude))
        if not (math.isfinite(self.longitude) and -180 <= self.longitude <= 180 and -90 <= self.latitude <= 90):
            raise ValueError(
                "LocalFrame needs a longitude in [-180, 180] and a latitude in [-90, 90]; "
                f"got {self.longitude} and {self.latitude}."
            )

    def to_metres(self, lonlat: Points) -> Points:
        """Of places given as longitude and latitude; NaN where a place is none, or too far away for the map."""
        _check(lonlat)
        x, y = _map(self.longitude, self.latitude).transform(lonlat[:, 0], lonlat[:, 1])
        return _columns(x, y)

    def to_degrees(self, X: Points) -> Points:
        """Longitude in [-180, 180) and latitude; NaN where a place is none."""
        _check(X)
        forth = _map(self.longitude, self.latitude)
        longitude, latitude = forth.transform(X[:, 0], X[:, 1], direction=TransformDirection.INVERSE)
        with np.errstate(invalid="ignore"):  # of places that are none
            return _columns(wrapped_longitude(np.asarray(longitude, dtype=np.float64)), latitude)

    def metres_of(self, longitude: float, latitude: float) -> tuple[float, float]:
        """Of one place."""
        x, y = self.to_metres(np.array([[longitude, latitude]], dtype=np.float64))[0].tolist()
        return x, y

    def degrees_of(self, x: float, y: float) -> tuple[float, float]:
        """Longitude and latitude of one place."""
        longitude, latitude = self.to_degrees(np.array([[x, y]], dtype=np.float64))[0].tolist()
        return longitude, latitude

    @property
    def crs(self) -> pyproj.CRS:
        """For files that name the system their coordinates are in."""
        return pyproj.CRS.from_dict(
            {"proj": "tmerc", "lat_0": self.latitude, "lon_0": self.longitude, "k": 1, "datum": "WGS84", "units": "m"}
        )


def wrapped_longitude(longitude: np.ndarray) -> np.ndarray:
    """The same meridians, named from -180 up to but not including 180; those that are so already stay bit for bit."""
    turned = wrapped_degrees(longitude)
    turned = np.where(turned < 180, turned, -180.0)  # a hair west of -180, the remainder rounds to a full turn
    return np.where((longitude >= -180) & (longitude < 180), longitude, turned)


@lru_cache(maxsize=64)
def _map(longitude: float, latitude: float) -> pyproj.Transformer:
    # A pipeline, not two reference systems: no datum can creep in. A Transformer may be shared between threads.
    return pyproj.Transformer.from_pipeline(
        f"+proj=pipeline {DEGREES_TO_RADIANS} "
        f"+step +proj=tmerc +lat_0={latitude!r} +lon_0={longitude!r} +k=1 +ellps=WGS84"
    )


def _check(places: np.ndarray) -> None:
    if places.ndim != 2 or places.shape[1] != 2:
        raise ValueError(f"A frame turns places (n, 2) into places (n, 2); got {places.shape}.")


def _columns(first: np.ndarray, second: np.ndarray) -> Points:
    places = np.column_stack([first, second]).astype(np.float64)
    places[~np.isfinite(places).all(axis=1)] = np.nan
    return places
