"""Regions of space, and places in it."""

from dataclasses import dataclass

import numpy as np


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
        if len(counts) != self.dim:
            raise ValueError(f"grid needs {self.dim} counts, one per dimension; got {len(counts)}.")
        axes = [np.linspace(a, b, n) for a, b, n in zip(self.lower, self.upper, counts, strict=True)]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, self.dim)


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
