"""Regions of space, places in it, and angles."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

Degrees = TypeVar("Degrees", float, np.ndarray)


@dataclass(frozen=True)
class Box:
    """An axis-aligned region, `lower` to `upper` in every dimension."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "lower", tuple(float(v) for v in self.lower))
        object.__setattr__(self, "upper", tuple(float(v) for v in self.upper))
        same_length = len(self.lower) == len(self.upper) > 0
        if not same_length or not all(a < b for a, b in zip(self.lower, self.upper, strict=True)):
            raise ValueError(f"Box needs lower < upper in every dimension; got {self.lower} and {self.upper}.")
        if not np.isfinite((*self.lower, *self.upper)).all():
            raise ValueError(f"Box needs finite bounds; got {self.lower} and {self.upper}.")

    @property
    def dim(self) -> int:
        return len(self.lower)

    @property
    def size(self) -> tuple[float, ...]:
        """Its length in every dimension."""
        return tuple(b - a for a, b in zip(self.lower, self.upper, strict=True))

    def contains(self, X: np.ndarray, *, tolerance: float = 0.0) -> np.ndarray:
        """Which of the points (n, dim) lie inside or on the border, (n,); `tolerance` is a share of its size."""
        margin = tolerance * np.array(self.size)
        lower, upper = np.array(self.lower) - margin, np.array(self.upper) + margin
        return np.all((lower <= X) & (upper >= X), axis=1)

    def scaled(self, factor: float) -> "Box":
        """About its centre."""
        lower, upper = np.array(self.lower), np.array(self.upper)
        middle, half = (lower + upper) / 2, (upper - lower) / 2 * factor
        return Box(tuple(middle - half), tuple(middle + half))

    def grid(self, *counts: int) -> np.ndarray:
        """Evenly spaced points, corners included, `counts` per dimension: (prod(counts), dim)."""
        return lattice(*self.axes(*counts))

    def axes(self, *counts: int) -> list[np.ndarray]:
        """The coordinates of such a grid in every dimension."""
        if len(counts) != self.dim:
            raise ValueError(f"grid needs {self.dim} counts, one per dimension; got {len(counts)}.")
        return [np.linspace(a, b, n) for a, b, n in zip(self.lower, self.upper, counts, strict=True)]

    def __str__(self) -> str:
        return f"{place_text(self.lower)} to {place_text(self.upper)}"


@dataclass(frozen=True)
class Pose:
    """Where a vehicle is, and where it looks (radians, counterclockwise from the first axis)."""

    position: tuple[float, ...]
    heading: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", tuple(float(v) for v in self.position))
        object.__setattr__(self, "heading", float(self.heading))
        if not self.position or not np.isfinite((*self.position, self.heading)).all():
            raise ValueError(f"Pose needs a finite position and heading; got {self.position} and {self.heading}.")


def lattice(*axes: np.ndarray) -> np.ndarray:
    """All points with one coordinate from each axis, the last running fastest: (product of lengths, number of axes)."""
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))


def raster_points(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The same in the order of a raster: row by row, x running fastest."""
    return np.column_stack([values.ravel() for values in np.meshgrid(x, y)])


def way_length(way: np.ndarray) -> float:
    """Metres along the places (n, dim) of a way."""
    return float(np.hypot.reduce(np.diff(way, axis=0), axis=1, initial=0.0).sum())


def place_text(position: Iterable[float]) -> str:
    """For people to read: `(3, 4.5)`."""
    return "(" + ", ".join(f"{value:g}" for value in position) + ")"


def wrapped(angle: float) -> float:
    """The same angle in [-pi, pi]."""
    return math.remainder(angle, math.tau)


def wrapped_degrees(longitude: Degrees) -> Degrees:
    """The same meridian from -180 on, up to 180; rounding may change the last digit."""
    return (longitude + 180) % 360 - 180
