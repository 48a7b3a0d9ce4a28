"""Where on Earth a field lies."""

from dataclasses import dataclass

from akrig.types import Values


@dataclass(frozen=True)
class Georeference:
    """How a field's metres became of its file's coordinates, and become them again.

    Args:
        crs: the coordinate reference system, as WKT or by its name (`EPSG:4326`).
        west: x of the field's point (0, 0) in that system, in its units.
        south: y of the same.
        metres: per unit of the system, along x and along y.
    """

    crs: str
    west: float
    south: float
    metres: tuple[float, float]

    def x(self, metres: Values) -> Values:
        """In the file's coordinates."""
        return self.west + metres / self.metres[0]

    def y(self, metres: Values) -> Values:
        return self.south + metres / self.metres[1]
