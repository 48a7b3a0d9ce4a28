"""Geography: metres about a place on Earth, and the area a boat may go in."""

from akrig.frame import LocalFrame
from akrig.survey.area.area import Area, InvalidArea
from akrig.survey.area.files import read_area
from akrig.survey.area.validation import area_from

__all__ = ["Area", "InvalidArea", "LocalFrame", "area_from", "read_area"]
