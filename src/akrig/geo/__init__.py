"""Geography: metres about a place on Earth, and the area a boat may go in."""

from akrig.geo.area import Area
from akrig.geo.errors import InvalidArea
from akrig.geo.files import read_area
from akrig.geo.frame import LocalFrame
from akrig.geo.making import area_from

__all__ = ["Area", "InvalidArea", "LocalFrame", "area_from", "read_area"]
