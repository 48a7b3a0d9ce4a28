"""What is known of a bed before a survey: the raster of an old one, or a cut-out of GEBCO."""

from pathlib import Path

import numpy as np
import pyproj

from akrig.errors import InvalidField
from akrig.fields.grid import GridField
from akrig.fields.raster import read_raster
from akrig.frame import LocalFrame
from akrig.geometry import Box
from akrig.types import Points, Values

LEAST = 0.05  # of a workspace that a map must cover to be of it


class PriorMap:
    """Depths everywhere: straight between the cells of a raster, and beyond its data those of the nearest cell.

    Args:
        field: a raster that is tied to the Earth.
        frame: of the metres it is asked in.
        sign: -1 if the raster has heights.
    """

    def __init__(self, field: GridField, frame: LocalFrame, *, sign: int = 1) -> None:
        if field.georeference is None:
            raise InvalidField(f"{field.name} does not say where on Earth it lies; save it with a coordinate system.")
        self._reference = field.georeference
        self._known = np.isfinite(field.values)
        self._field = GridField(_filled(field.values), field.extent, name=field.name)
        self._mask, self._sign = field, sign
        self._to_source = pyproj.Transformer.from_crs(frame.crs, field.georeference.crs, always_xy=True)

    def __call__(self, X: Points) -> Values:
        places, _ = self._places(X)
        return self._sign * self._field(places)

    def covers(self, X: Points) -> np.ndarray:
        """Which places have data of their own, not those of a neighbour."""
        places, is_inside = self._places(X)
        return is_inside & np.isfinite(self._mask(places))

    def _places(self, X: Points) -> tuple[Points, np.ndarray]:
        """In the raster's metres, moved to its edge where they lie beyond; and which do not."""
        x, y = self._to_source.transform(X[:, 0], X[:, 1])
        reference, extent = self._reference, self._field.extent
        if pyproj.CRS.from_user_input(reference.crs).is_geographic:  # the date line is no border
            middle = float(reference.x(np.array([extent.size[0] / 2]))[0])
            x = middle + (x - middle + 180) % 360 - 180
        corner, metres = (reference.west, reference.south), reference.metres
        places = (np.column_stack([x, y]).astype(np.float64) - corner) * metres
        if not np.isfinite(places).all():
            raise InvalidField(f"{self._field.name} is in a coordinate system that does not reach the survey's area.")
        return np.clip(places, extent.lower, extent.upper), extent.contains(places)


def read_prior(path: Path, *, frame: LocalFrame, workspace: Box) -> PriorMap:
    """Positive numbers are depths, negative ones heights as of GEBCO: by the median over the workspace."""
    field = read_raster(path, needs_crs=True)
    grid = workspace.grid(40, 40)
    prior = PriorMap(field, frame)
    covered = prior.covers(grid)
    if covered.mean() < LEAST:
        raise InvalidField(
            f"{path} has data for only {covered.mean():.0%} of the area; is it the map of another place?"
        )
    is_height = float(np.median(prior(grid)[covered])) < 0
    return PriorMap(field, frame, sign=-1) if is_height else prior


def _filled(values: np.ndarray) -> np.ndarray:
    """What has no data takes that of the nearest cell that has."""
    from scipy.ndimage import distance_transform_edt

    lacks = ~np.isfinite(values)
    if not lacks.any():
        return values
    nearest = np.asarray(distance_transform_edt(lacks, return_distances=False, return_indices=True))
    return values[nearest[0], nearest[1]]
