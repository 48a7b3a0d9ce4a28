"""Regions of space."""

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

    def grid(self, *counts: int) -> np.ndarray:
        """Evenly spaced points, corners included, `counts` per dimension: (prod(counts), dim)."""
        if len(counts) != self.dim:
            raise ValueError(f"grid needs {self.dim} counts, one per dimension; got {len(counts)}.")
        axes = [np.linspace(a, b, n) for a, b, n in zip(self.lower, self.upper, counts, strict=True)]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, self.dim)
