"""A field known on a raster of equal cells, and where on Earth it lies."""

from dataclasses import KW_ONLY, dataclass, replace
from itertools import product
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float, Int

from akrig.errors import InvalidField, OutsideField
from akrig.geometry import Box
from akrig.types import Points, Values
from akrig.words import are, plural


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


Raster = Float[np.ndarray, "rows cols"]
Interpolation = Literal["nearest", "bilinear"]
Centres = tuple[Float[np.ndarray, " cols"], Float[np.ndarray, " rows"]]
Pair = tuple[float, ...]  # x and y

LARGEST = 1e30  # of a value: beyond, numbers of four bytes end; what stands for no data is larger
ROUNDING = 1e-9  # a share of a length: less than this is a rounding error, not a place


@dataclass(frozen=True, eq=False)
class GridField:
    """Cells over a rectangle: row 0 is the south edge, column 0 the west edge, NaN is no data.

    Args:
        values: one per cell, (rows, cols).
        extent: from the outer edge of the first cells to the outer edge of the last.
        interpolation: `nearest` gives the value of the cell a point is in. `bilinear` joins the values at the four
            nearest cell centres; outside the outermost centres the nearest ones count, and a point that touches a cell
            without data has none.
        name: for messages and titles.
        units: of the values.
        quantity: what the values are, such as "elevation".
        crs: name of the coordinate reference system of the source, if it had one.
        origin: longitude and latitude (WGS84, degrees) of the point (0, 0), if known: the source's south-west corner.
        georeference: of the same point in the source's own coordinates, if it had any.
        cell_margin: added to the length of each cell. The authors read the paper's fields with 1e-4, which moves far
            cells by up to 0.6 of a cell (on [-11, 11]) or shows only 348 of 360 (on [0, 1]); else leave it.
    """

    values: Raster
    extent: Box
    _: KW_ONLY
    interpolation: Interpolation = "bilinear"
    name: str = ""
    units: str = ""
    quantity: str = ""
    crs: str | None = None
    origin: tuple[float, float] | None = None
    georeference: Georeference | None = None
    cell_margin: float = 0.0

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64, order="C")
        check_raster(values, self.name)
        if self.extent.dim != 2:
            raise ValueError(f"GridField needs an extent of two dimensions; got {self.extent}.")
        if self.interpolation not in get_args(Interpolation):
            raise ValueError(f"GridField knows the interpolations nearest and bilinear; got {self.interpolation!r}.")
        if self.cell_margin < 0:
            raise ValueError(f"GridField needs a cell_margin that is not negative; got {self.cell_margin}.")
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, cols = self.values.shape
        return rows, cols

    @property
    def cell_size(self) -> tuple[float, float]:
        """Along x and along y, margin included."""
        (rows, cols), (width, height) = self.shape, self.extent.size
        return width / cols + self.cell_margin, height / rows + self.cell_margin

    @property
    def centres(self) -> Centres:
        """Of the columns (x) and of the rows (y)."""
        return _centres(self.extent.lower, self.cell_size, self.shape)

    def __call__(self, X: Points) -> Values:
        self._check_points(X)
        cells = (X - np.array(self.extent.lower)) / np.array(self.cell_size)
        return self._nearest(cells) if self.interpolation == "nearest" else self._bilinear(cells)

    def cropped(self, box: Box) -> "GridField":
        """The cells whose centres lie in the box. Coordinates stay, so does the origin."""
        rows, cols, part = window(box, _covered(self.extent.lower, self.cell_size, self.shape), self.shape, self.name)
        return replace(self, values=self.values[rows, cols], extent=part, cell_margin=0.0)

    def downsampled(self, factor: int) -> "GridField":
        """Means of blocks of `factor` x `factor` cells, without NaN; north and east, cells that fill no block go."""
        if factor < 1:
            raise ValueError(f"downsampled needs a factor of at least 1; got {factor}.")
        rows, cols = (num // factor for num in self.shape)
        blocks = self.values[: rows * factor, : cols * factor].reshape(rows, factor, cols, factor)
        known = np.isfinite(blocks)
        counts = known.sum(axis=(1, 3))
        totals = np.where(known, blocks, 0.0).sum(axis=(1, 3))
        means = np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)
        check_raster(means, self.name)
        part = _covered(self.extent.lower, self.cell_size, (rows * factor, cols * factor))
        return replace(self, values=means, extent=part, cell_margin=0.0)

    def placed(self, extent: Box) -> "GridField":
        """The same values in another extent; they are no longer tied to the earth."""
        return replace(self, extent=extent, crs=None, origin=None, georeference=None)

    def _check_points(self, X: Points) -> None:
        if X.ndim != 2 or X.shape[1] != 2:
            raise ValueError(f"A field on a grid needs points (n, 2); got {X.shape}.")
        within = self.extent.contains(X, tolerance=ROUNDING)
        if not within.all():
            x, y = X[int(np.argmin(within))]
            raise OutsideField(
                f"Point ({x:g}, {y:g}) is outside {_called(self.name)}, which spans {self.extent} "
                f"({int((~within).sum())} of {len(X)} points are)."
            )

    def _nearest(self, cells: Points) -> Values:
        rows, cols = self.shape
        index: Int[np.ndarray, "n d"] = np.clip(np.floor(cells).astype(np.intp), 0, [cols - 1, rows - 1])
        return self.values[index[:, 1], index[:, 0]]

    def _bilinear(self, cells: Points) -> Values:
        last = np.array(self.shape[::-1]) - 1
        steps = np.clip(cells - 0.5, 0, last)  # in cells from the first centre
        # On a centre line, a rounding error must not give the cell next to it a say.
        whole = np.round(steps)
        steps = np.where(np.abs(steps - whole) < ROUNDING * last, whole, steps)
        base = np.minimum(np.floor(steps).astype(np.intp), last - 1)
        share = steps - base
        total = np.zeros(len(cells))
        for right, up in product((0, 1), (0, 1)):
            weight = (share[:, 0] if right else 1 - share[:, 0]) * (share[:, 1] if up else 1 - share[:, 1])
            corner = self.values[base[:, 1] + up, base[:, 0] + right]
            total += np.where(weight > 0, weight * corner, 0.0)
        return total


def check_raster(values: np.ndarray, name: str = "") -> None:
    """Refuses what cannot be mapped, with one sentence that says why."""
    called = _called(name)
    if values.ndim != 2:
        raise InvalidField(f"A raster has two dimensions, rows and columns, but {called} has the shape {values.shape}.")
    if not values.size:
        raise InvalidField(f"There is no cell in {called}, its shape is {values.shape}; check the file or the crop.")
    if min(values.shape) < 2:
        raise InvalidField(
            f"A raster needs at least 2 x 2 cells, but {called} has {values.shape[0]} x {values.shape[1]}; "
            "take a larger area or downsample less."
        )
    if np.isinf(values).any():
        (row, col), num = np.argwhere(np.isinf(values))[0], int(np.isinf(values).sum())
        raise InvalidField(
            f"In {called}, {plural(num, 'cell')} {are(num)} infinite, the first at row {row}, column {col}; "
            "mark cells without data as NaN."
        )
    known = values[~np.isnan(values)]
    if not known.size:
        raise InvalidField(f"Not one cell of {called} holds data; check its nodata value, or choose another area.")
    if np.abs(known).max() > LARGEST:
        raise InvalidField(
            f"In {called}, a cell is {float(known[np.argmax(np.abs(known))]):g}, which nothing on Earth is; "
            "mark cells without data as NaN, or give the raster a nodata value."
        )
    if known.min() == known.max():
        raise InvalidField(f"In {called}, every cell is {float(known[0])}: nothing to map.")


def window(box: Box, extent: Box, shape: tuple[int, int], name: str = "") -> tuple[slice, slice, Box]:
    """Rows and columns of a raster whose centres lie in the box, borders included, and the extent of these cells."""
    if box.dim != 2:
        raise ValueError(f"A crop needs a box of two dimensions; got {box}.")
    cell = (extent.size[0] / shape[1], extent.size[1] / shape[0])
    cols, rows = (
        slice(
            *np.searchsorted(at, [low - ROUNDING * abs(at[-1] - at[0]), high + ROUNDING * abs(at[-1] - at[0])]).tolist()
        )
        for at, low, high in zip(_centres(extent.lower, cell, shape), box.lower, box.upper, strict=True)
    )
    if cols.stop <= cols.start or rows.stop <= rows.start:
        raise InvalidField(
            f"No cell centre of {_called(name)}, which spans {extent}, lies in the crop {box}; choose a box inside it."
        )
    corner = (extent.lower[0] + cols.start * cell[0], extent.lower[1] + rows.start * cell[1])
    return rows, cols, _covered(corner, cell, (rows.stop - rows.start, cols.stop - cols.start))


def _centres(lower: Pair, cell: Pair, shape: tuple[int, int]) -> Centres:
    rows, cols = shape
    return lower[0] + (np.arange(cols) + 0.5) * cell[0], lower[1] + (np.arange(rows) + 0.5) * cell[1]


def _covered(lower: Pair, cell: Pair, shape: tuple[int, int]) -> Box:
    """By cells of this size, from the corner `lower` on."""
    rows, cols = shape
    return Box(lower, (lower[0] + cols * cell[0], lower[1] + rows * cell[1]))


def _called(name: str) -> str:
    return name or "the raster"
