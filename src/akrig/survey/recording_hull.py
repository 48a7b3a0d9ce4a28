"""The water that a log's readings lie in, as an area."""

import shapely

from akrig.geo import Area, LocalFrame
from akrig.types import Points

TIGHTNESS = 0.15  # of the longest gap bridged, between a web of readings (0) and their convex hull (1)


def hull(X: Points, frame: LocalFrame, *, margin: float, name: str = "") -> Area:
    """One polygon around all readings, bays left open, that reaches `margin` metres beyond them."""
    around = shapely.concave_hull(shapely.MultiPoint(X), ratio=TIGHTNESS).buffer(margin, quad_segs=4)
    border = shapely.get_exterior_ring(shapely.simplify(around, margin / 10))
    return Area(frame, shapely.get_coordinates(border)[:-1], name=name)
