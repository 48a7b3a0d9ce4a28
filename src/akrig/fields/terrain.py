"""Landscapes made from a seed, each nonstationary in a way of its own.

The same seed gives the same landscape whatever the number of cells: more cells only show it more finely.
"""

import numpy as np

from akrig.fields.grid import GridField, Raster
from akrig.geometry import Box
from akrig.types import Points, Values

KILOMETRE = Box((0, 0), (1000, 1000))
WAVES = 160  # along each axis of the noise: its finest detail is 1/80 of the extent


def ridges(seed: int = 0, *, cells: int = 256, extent: Box = KILOMETRE) -> GridField:
    """A plain in the south-west, mountains with sharp crests in the north-east.

    Nonstationary in lengthscale and in amplitude: the plain varies by a metre or two over hundreds of metres, the
    mountains by hundreds of metres, with creases at every crest.
    """
    rng = np.random.default_rng(seed)
    x, y = _unit_grid(cells)
    rise = _smoothstep((0.5 * (x + y) - 0.36 + 0.09 * _noise(rng, cells, decay=2.4, longest=0.6)) / 0.5)
    crests, above = np.zeros_like(x), np.ones_like(x)
    for octave in range(4):
        # Musgrave's ridged multifractal: a crease where noise changes sign, and detail only on high ground.
        layer = (1 - np.tanh(0.7 * np.abs(_noise(rng, cells, decay=3.2, longest=0.4 / 2**octave)))) * above
        crests += layer * 0.4**octave
        above = np.clip(1.5 * layer, 0, 1)
    plain = 42 + 14 * (x + y) + 0.9 * _noise(rng, cells, decay=2.6, longest=0.7)
    return _field("ridges", plain + rise * (15 + 115 * crests), extent)


def lake(seed: int = 0, *, cells: int = 256, extent: Box = KILOMETRE) -> GridField:
    """A lake in gentle land; heights above the water, so that the bed is negative.

    Nonstationary by a sharp border: a smooth bed and gently rolling land, and between them a shore that drops about
    fifteen metres within a few steps.
    """
    rng = np.random.default_rng(seed)
    x, y = _unit_grid(cells)
    centre = 0.5 + rng.uniform(-0.06, 0.06, 2)
    turn, stretch = rng.uniform(0, np.pi), rng.uniform(1.1, 1.45)
    along = (x - centre[0]) * np.cos(turn) + (y - centre[1]) * np.sin(turn)
    across = (y - centre[1]) * np.cos(turn) - (x - centre[0]) * np.sin(turn)
    inland = np.hypot(along / stretch, across * stretch) - 0.27 - 0.045 * _noise(rng, cells, decay=2.6, longest=0.45)
    shore = 8 * np.tanh(inland / 0.008) - 4
    bed = -16 * _smoothstep(-inland / 0.27) + 0.25 * _noise(rng, cells, decay=3.5, longest=0.4)
    rolling = 26 * np.maximum(inland, 0) + 5 * _smoothstep(inland / 0.25) * np.exp(
        0.7 * _noise(rng, cells, decay=3.0, longest=0.5)
    )
    land = _smoothstep(0.5 + inland / 0.016)
    return _field("lake", shore + (1 - land) * bed + land * rolling, extent)


def river(seed: int = 0, *, cells: int = 256, extent: Box = KILOMETRE) -> GridField:
    """A river that meanders from west to east, cut into rolling hills.

    Nonstationary along a line: the hills vary over hundreds of metres, but the banks fall ten metres within
    twenty, in a narrow ribbon that winds through them; the flood plain beside it is flat.
    """
    rng = np.random.default_rng(seed)
    x, y = _unit_grid(cells)
    line = _meanders(rng)
    away = _distance(x, y, line)
    width = 0.016 * (1 + 0.15 * _noise(rng, cells, decay=3.0, longest=0.3))
    floor = 92 - 12 * x
    hills = 122 - 6 * x + 22 * _noise(rng, cells, decay=2.8, longest=0.5)
    # The valley follows the river's general course; within it, and in bluffs at its edge, the river swings.
    off_axis = np.abs(y - np.interp(x, *_smoothed(line).T)) + 0.02 * _noise(rng, cells, decay=2.8, longest=0.4)
    valley = _smoothstep((off_axis - 0.02) / 0.22) * _smoothstep((away - 0.012) / 0.11)
    land = floor + 0.4 * _noise(rng, cells, decay=2.5, longest=0.2) + valley * np.maximum(hills - floor, 5)
    channel = 1 - _smoothstep((away - 0.55 * width) / (0.9 * width))
    return _field("river", land - 11 * channel, extent)


def halves(seed: int = 0, *, cells: int = 256, extent: Box = KILOMETRE) -> GridField:
    """A flat west and a rugged east, with a fault between them.

    Nonstationary in amplitude and lengthscale at once, with a jump: across the fault, which runs roughly from south to
    north, the ground rises by some thirty metres in a few steps, and its roughness by a factor of ten or more.
    """
    rng = np.random.default_rng(seed)
    x, y = _unit_grid(cells)
    slant = rng.uniform(-0.3, 0.3)
    east = x - 0.5 - slant * (y - 0.5) - 0.014 * _noise(rng, cells, decay=2.4, longest=0.35)
    raised = _smoothstep(0.5 + east / 0.026)
    flat = 60 + 4 * y + 0.8 * _noise(rng, cells, decay=3.2, longest=0.5)
    crags = _noise(rng, cells, decay=2.3, longest=0.45)
    # Valleys are broader than tops, and the ground dips a little away from the scarp.
    rugged = 28 + 13 * np.where(crags > 0, 1.25 * crags, 0.8 * crags) - 10 * east
    return _field("halves", flat + raised * np.maximum(rugged, 5), extent)


def islands(seed: int = 0, *, cells: int = 256, extent: Box = KILOMETRE) -> GridField:
    """An archipelago: heights above the sea, its floor forty metres down.

    Nonstationary in patches: between the islands the floor is smooth, on them (and on their steep sides) the ground is
    rough; how many there are, and where, depends on the seed.
    """
    rng = np.random.default_rng(seed)
    x, y = _unit_grid(cells)
    uplift = _noise(rng, cells, decay=3.4, longest=0.42)
    peaks = np.sort(uplift, axis=None)[[int(0.62 * uplift.size), -1]]
    rise = np.clip((uplift - peaks[0]) / (peaks[1] - peaks[0]), 0, 1)
    floor = -44 + 8 * (x - y) + 1.2 * _noise(rng, cells, decay=3.4, longest=0.5)
    rough = 14 * _smoothstep(rise / 0.4) * _noise(rng, cells, decay=2.5, longest=0.18)
    flank = 50 * _smoothstep(rise / 0.32) + 85 * rise**1.4
    return _field("islands", floor + flank + rough, extent)


def _field(name: str, heights: Raster, extent: Box) -> GridField:
    return GridField(heights, extent, name=name, units="m", quantity="elevation")


def _unit_grid(cells: int) -> tuple[Raster, Raster]:
    """Cell centres x and y in the unit square."""
    if cells < 2:
        raise ValueError(f"A terrain needs at least 2 cells along each side; got {cells}.")
    centres = (np.arange(cells) + 0.5) / cells
    x, y = np.meshgrid(centres, centres)
    return x, y


def _smoothstep(t: Raster) -> Raster:
    """0 below 0, 1 above 1, an S between."""
    t = np.clip(t, 0, 1)
    return t * t * (3 - 2 * t)


def _noise(rng: np.random.Generator, cells: int, *, decay: float, longest: float) -> Raster:
    """Gaussian noise of unit variance over the unit square: a sum of plane waves.

    Args:
        decay: amplitudes fall with frequency to this power: 2 is craggy, 3 rolling.
        longest: wavelength above which amplitudes fall no further, in sides of the square.
    """
    # The waves repeat after 2, so that no edge of the square resembles the opposite one.
    count = np.arange(-WAVES, WAVES + 1)
    fx, fy = np.meshgrid(count / 2, count / 2)
    amplitude = (longest**-2 + fx**2 + fy**2) ** (-decay / 2)
    amplitude[WAVES, WAVES] = 0
    amplitude /= np.sqrt((amplitude**2).sum() / 2)
    waves = amplitude * np.exp(2j * np.pi * rng.random(amplitude.shape))
    # Waves shorter than two cells would come back as long ones, and go.
    kept = np.abs(count) < cells
    at = count[kept]
    half_a_cell = np.exp(0.5j * np.pi * at / cells)
    spectrum = np.zeros((2 * cells, 2 * cells), dtype=complex)
    spectrum[np.ix_(at, at)] = waves[np.ix_(kept, kept)] * half_a_cell[:, None] * half_a_cell
    return np.fft.ifft2(spectrum, norm="forward")[:cells, :cells].real


def _meanders(rng: np.random.Generator) -> Points:
    """Points along a river: Langbein and Leopold's curve, whose direction swings like a sine."""
    steps = np.linspace(0, 1, 600)
    wander = np.cumsum(rng.normal(size=12))
    phase = 2 * np.pi * (rng.uniform(2.6, 3.8) * steps + rng.random()) + np.interp(steps, np.linspace(0, 1, 12), wander)
    # Below a right angle: the river never turns back west, so that each x has one y.
    swing = np.interp(steps, np.linspace(0, 1, 8), rng.uniform(0.8, 1.4, 8))
    heading = swing * np.sin(phase)
    x, y = np.cumsum(np.cos(heading)), np.cumsum(np.sin(heading))
    y -= np.interp(x, [x[0], x[-1]], [y[0], y[-1]])
    scale = 1.3 / (x[-1] - x[0])  # it enters and leaves well outside
    middle = rng.uniform(0.42, 0.58) - scale * y.mean()
    return np.stack([(x - x[0]) * scale - 0.15, middle + y * scale], axis=1)


def _smoothed(line: Points) -> Points:
    """The line's general course: y averaged over a sixth of the square."""
    weight = np.exp(-0.5 * ((line[:, 0, None] - line[:, 0]) / 0.08) ** 2)
    return np.stack([line[:, 0], (weight * line[:, 1]).sum(axis=1) / weight.sum(axis=1)], axis=1)


def _distance(x: Raster, y: Raster, line: Points) -> Raster:
    """Of each cell to the nearest point of a line."""
    nearest: list[Values] = [
        np.min((row_x[:, None] - line[:, 0]) ** 2 + (row_y[:, None] - line[:, 1]) ** 2, axis=1)
        for row_x, row_y in zip(x, y, strict=True)
    ]
    return np.sqrt(np.array(nearest))
