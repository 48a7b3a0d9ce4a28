"""What hydrographers use: a linear TIN and inverse distances; each with the variance that left-out legs teach it."""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from scipy.interpolate import LinearNDInterpolator
from scipy.spatial import KDTree

from akrig.types import Points, Prediction, Samples, Values

FOLDS = 5
BINS = 24  # of distance to the nearest sounding
FEWEST = 50  # soundings in a bin
NEAREST, POWER = 12, 2.0

Interpolate = Callable[[Points], Values]


class Interpolator(Protocol):
    def __call__(self, known: Samples) -> Interpolate: ...


def linear_tin(known: Samples) -> Interpolate:
    """Delaunay triangles; beyond their hull the nearest sounding."""
    inside, tree = LinearNDInterpolator(known.X, known.y), KDTree(known.X)

    def at(X: Points) -> Values:
        found = inside(X)
        return np.where(np.isnan(found), known.y[tree.query(X)[1]], found)

    return at


def inverse_distance(known: Samples) -> Interpolate:
    tree = KDTree(known.X)

    def at(X: Points) -> Values:
        distance, row = tree.query(X, k=NEAREST)
        weight = 1.0 / np.maximum(distance, 1e-3) ** POWER
        return (weight * known.y[row]).sum(axis=1) / weight.sum(axis=1)

    return at


class WithVariance:
    """An interpolator, and how wrong it was on legs that it was not given, by the distance to the nearest sounding.

    Args:
        legs: of the known soundings; a fifth of them is left out, in turn.
    """

    def __init__(self, interpolator: Interpolator, known: Samples, legs: np.ndarray) -> None:
        self._at, self._tree = interpolator(known), KDTree(known.X)
        turn = np.unique(legs, return_inverse=True)[1] % FOLDS
        distance, squared = [], []
        for fold in range(FOLDS):
            left_out = turn == fold
            rest = Samples(known.X[~left_out], known.y[~left_out])
            distance.append(KDTree(rest.X).query(known.X[left_out])[0])
            squared.append((interpolator(rest)(known.X[left_out]) - known.y[left_out]) ** 2)
        self._distances, self._variances = _binned(np.concatenate(distance), np.concatenate(squared))

    def predict(self, X: Points) -> Prediction:
        """Of a sounding at each point."""
        return Prediction(self._at(X), np.interp(self._tree.query(X)[0], self._distances, self._variances))


def _binned(distance: Values, squared: Values) -> tuple[Values, Values]:
    edges = np.unique(np.quantile(distance, np.linspace(0, 1, BINS + 1)))
    place = np.clip(np.searchsorted(edges, distance, side="right") - 1, 0, len(edges) - 2)
    full = [k for k in range(len(edges) - 1) if (place == k).sum() >= FEWEST]
    middles = np.array([np.median(distance[place == k]) for k in full])
    return middles, np.array([squared[place == k].mean() for k in full])
