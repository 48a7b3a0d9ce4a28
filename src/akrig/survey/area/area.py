"""Where the boat may go."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import shapely
from jaxtyping import Bool, Float
from shapely import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from akrig.errors import AkrigError
from akrig.frame import LocalFrame
from akrig.geometry import Box
from akrig.survey.area.routes import RoadMap
from akrig.survey.area.water import Water
from akrig.types import Points, Values

Ring = Float[np.ndarray, "_ 2"]
Place = tuple[float, ...] | list[float] | np.ndarray
DECIMALS = 12  # of a degree: a tenth of a micrometre, and 15 significant digits with the three before the point
HOME_RADIUS = 0.01  # an end so near to home is home


class InvalidArea(AkrigError, ValueError):
    """A fence, a keep-out or a home that no boat can be sent into, or a file that holds none."""


@dataclass(frozen=True, eq=False)
class Area:
    """A polygon of water with keep-outs, in metres of a frame; sides are straight there.

    `area_from` and `read_area` make one from degrees, and say what is wrong with a drawing. A `margin` is how many
    metres a place or a way keeps from every border; places on a border itself are allowed with a margin of 0.

    Args:
        fence: corners of the outer border in either sense, the first not repeated.
        keep_outs: corners of polygons that must not be entered; they may overlap, and reach beyond the fence.
        home: where the boat comes back to; it may lie nearer to a border than the margin.
        name: for messages and titles.
    """

    frame: LocalFrame
    fence: Ring
    keep_outs: tuple[Ring, ...] = ()
    home: tuple[float, float] | None = None
    name: str = ""

    def __post_init__(self) -> None:
        rings = [np.array(ring, dtype=np.float64) for ring in (self.fence, *self.keep_outs)]
        for ring in rings:
            if ring.ndim != 2 or ring.shape[1] != 2 or len(ring) < 3 or not np.isfinite(ring).all():
                raise ValueError(f"Area needs rings of at least 3 finite corners (n, 2); got {ring.tolist()}.")
            ring.flags.writeable = False
        object.__setattr__(self, "fence", rings[0])
        object.__setattr__(self, "keep_outs", tuple(rings[1:]))
        if not all(Polygon(ring).is_valid for ring in rings) or self.water.is_empty:
            raise InvalidArea(f"A border of {self.called} crosses itself, or the keep-outs leave nothing of it.")
        if self.home is not None:
            object.__setattr__(self, "home", (float(self.home[0]), float(self.home[1])))

    @property
    def called(self) -> str:
        return f"the area '{self.name}'" if self.name else "the area"

    @cached_property
    def water(self) -> MultiPolygon:
        """The fence less the keep-outs; more than one polygon if they cut it in two."""
        keep_outs = shapely.union_all([Polygon(ring) for ring in self.keep_outs])
        return MultiPolygon(_polygons(Polygon(self.fence).difference(keep_outs)))

    @property
    def extent(self) -> Box:
        """Of the fence."""
        return Box(tuple(self.fence.min(axis=0)), tuple(self.fence.max(axis=0)))

    @property
    def size(self) -> float:
        """Square metres of water."""
        return float(self.water.area)

    def clearance(self, X: Points) -> Values:
        """Metres to the nearest border, negative outside and in keep-outs; minus infinity where a place is none."""
        return self._water.clearance(X)

    def allows(self, X: Points, *, margin: float = 0.0) -> Bool[np.ndarray, " n"]:
        """Which places lie in the water, at least `margin` metres from every border."""
        return self._water.allows(X, margin)

    def allows_leg(self, begin: Place, end: Place, *, margin: float = 0.0) -> bool:
        """Whether the whole straight line lies in the water, at least `margin` metres from every border."""
        return bool(self._water.allows_legs(_point(begin), _point(end), margin)[0])

    def route(self, begin: Place, end: Place, *, margin: float = 0.0) -> Points | None:
        """The shortest allowed way: waypoints after `begin`, `end` the last of them; None if there is none.

        A boat that has drifted nearer to a border than `margin`, but not over it, is first led the nearest way out; and
        home may be nearer too. Any other end must keep the margin.
        """
        return self.roads(margin).route(_point(begin)[0], _point(end)[0], end_is_free=self._is_home(end))

    def route_lengths(self, X: Points, end: Place, *, margin: float = 0.0) -> Values:
        """Metres from each place to `end` as `route` goes; infinite where there is no way."""
        return self.roads(margin).lengths(X, _point(end)[0], end_is_free=self._is_home(end))

    def reachable(self, X: Points, begin: Place, *, margin: float = 0.0) -> Bool[np.ndarray, " n"]:
        """Which places `route` can reach from `begin`: with a margin, a narrow neck may cut an area in two."""
        return self.roads(margin).reachable(X, _point(begin)[0])

    def roads(self, margin: float) -> RoadMap:
        """All ways that keep a margin; made once for each."""
        if margin not in self._roads:
            self._roads[margin] = RoadMap(self._water, margin)
        return self._roads[margin]

    def as_dict(self) -> dict[str, Any]:
        """In degrees, as JSON and TOML know it; `area_from(**d)` makes the same area of it."""
        home = None if self.home is None else self._lonlat(np.array([self.home]))[0]
        keep_outs = [self._lonlat(ring) for ring in self.keep_outs]
        return {"name": self.name, "fence": self._lonlat(self.fence), "keep_outs": keep_outs, "home": home}

    @cached_property
    def _water(self) -> Water:
        return Water(self.water)

    @cached_property
    def _roads(self) -> dict[float, RoadMap]:
        return {}

    def _is_home(self, end: Place) -> bool:
        return self.home is not None and float(np.hypot(*(_point(end)[0] - self.home))) <= HOME_RADIUS

    def _lonlat(self, X: np.ndarray) -> list[list[float]]:
        return np.round(self.frame.to_degrees(X), DECIMALS).tolist()


def degrees_words(lonlat: np.ndarray) -> str:
    """For people to read, to a centimetre."""
    longitude, latitude = (float(value) for value in lonlat)
    return f"latitude {latitude:.7f}, longitude {longitude:.7f}"


def _polygons(shape: BaseGeometry) -> list[Polygon]:
    """Without the points and lines that a difference may leave behind."""
    return [part for part in shapely.get_parts(shape).tolist() if part.geom_type == "Polygon" and part.area > 0]


def _point(place: Place) -> np.ndarray:
    point = np.asarray(place, dtype=np.float64).reshape(-1)
    if point.shape != (2,):
        raise ValueError(f"A place in an area is x and y; got {list(place)}.")
    return point[None]
