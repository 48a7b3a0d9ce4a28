"""A polygon with holes, asked about many places and straight lines at once."""

import math

import numpy as np
import shapely
from jaxtyping import Bool, Float
from shapely import MultiPolygon

from akrig.types import Points, Values

ROUNDING = 1e-6  # metres; less is a rounding error, not a place
# A corner of a border is rounded off by so many sides per quarter circle: few, for each is a waypoint. GEOS rounds
# their number, so that one may span half as much again; the circle is drawn wider, for every side to keep the margin.
QUARTER = 3
ARC = 1 / math.cos(1.5 * math.pi / (4 * QUARTER))

Legs = Float[np.ndarray, "legs 2"]


class Water:
    """The shape, made ready for many questions."""

    def __init__(self, shape: MultiPolygon) -> None:
        self.shape = shape
        self._border = shape.boundary
        self._closed = shape.buffer(ROUNDING, join_style="mitre")  # a way along the border is inside
        shapely.prepare(self._border)
        shapely.prepare(self._closed)

    def clearance(self, X: Points) -> Values:
        known = finite(X)
        metres = np.full(len(X), -np.inf)
        places = shapely.points(X[known])
        distance = np.asarray(shapely.distance(self._border, places), dtype=np.float64)
        metres[known] = np.where(shapely.covers(self.shape, places), distance, -distance)
        return metres

    def allows(self, X: Points, margin: float) -> Bool[np.ndarray, " n"]:
        check_margin(margin)
        known = finite(X)
        known[known] = self._keeps(np.asarray(shapely.points(X[known])), margin)
        return known

    def allows_legs(self, begins: Legs, ends: Legs, margin: float) -> Bool[np.ndarray, " legs"]:
        check_margin(margin)
        known = finite(begins) & finite(ends)
        lines = shapely.linestrings(np.stack([begins[known], ends[known]], axis=1))
        known[known] = self._keeps(np.asarray(lines), margin)
        return known

    def shrunk(self, margin: float) -> MultiPolygon:
        """What keeps the margin, and 8 % of it more; rounded about the corners of keep-outs."""
        check_margin(margin)
        if margin == 0:
            return self.shape
        less = self.shape.buffer(-(margin * ARC + ROUNDING), quad_segs=QUARTER)
        return MultiPolygon([part for part in shapely.get_parts(less).tolist() if part.area > 0])

    def _keeps(self, shapes: np.ndarray, margin: float) -> np.ndarray:
        fits = np.asarray(shapely.covers(self._closed, shapes))
        if margin > ROUNDING:
            near = fits.copy()
            # GEOS divides by zero where numbers are nearly as small as there are; its answer is right all the same.
            with np.errstate(divide="ignore"):
                near[fits] = shapely.dwithin(self._border, shapes[fits], margin - ROUNDING)
            fits &= ~near
        return fits


def finite(X: Points) -> np.ndarray:
    """Which rows are places."""
    return np.asarray(np.isfinite(X).all(axis=1))


def check_margin(margin: float) -> None:
    if not 0 <= margin < math.inf:
        raise ValueError(f"A margin is 0 or more metres; got {margin}.")
