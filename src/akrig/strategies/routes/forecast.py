"""What readings that are yet to be taken will leave open: under a Gaussian, that does not depend on their values."""

import math

import numpy as np
from jaxtyping import Float, Int

from akrig.strategies.routes.cells import MapCells
from akrig.strategies.routes.objectives import Objective
from akrig.types import Points, Samples

Covariance = Float[np.ndarray, "cells cells"]
Numbers = Int[np.ndarray, " readings"]
JITTER = 1e-6  # of the mean variance: many readings in one cell do not make it certain
LEAST_NOISE = 1e-4  # of the largest variance, for a reading: what lies between the middles of cells is not known

MOST_PAIRED = 300  # readings, when distances between all of them are looked at


class Forecast:
    """Of the variance at every cell after readings in some of them, each taken to be at its cell's middle.

    Args:
        covariance: of the field at the cells' middles, now.
        noise_variance: of a reading.
    """

    def __init__(self, covariance: Covariance, noise_variance: float, objective: Objective) -> None:
        self.covariance, self.objective = covariance, objective
        self._variance = np.diagonal(covariance)
        self._noise = max(noise_variance, LEAST_NOISE * float(self._variance.max()), np.finfo(float).tiny)
        self._least = JITTER * float(self._variance.mean())

    def variance(self, readings: Numbers) -> Float[np.ndarray, " cells"]:
        """At every cell, after readings in the cells of these numbers."""
        half = self._half(readings)
        return np.maximum(self._variance - np.einsum("rc,rc->c", half, half), 0.0)

    def left(self, readings: Numbers) -> float:
        """The objective, after readings in the cells of these numbers."""
        return self.objective.value(self.variance(readings))

    def gains(self, readings: Numbers) -> Float[np.ndarray, " cells"]:
        """About how much one more reading in each cell would lower the objective."""
        half = self._half(readings)
        rest = self.covariance - half.T @ half
        variance = np.maximum(np.diagonal(rest), 0.0)
        slopes = self.objective.slope(variance)
        return slopes @ (rest * rest) / (variance + self._noise)

    def _half(self, readings: Numbers) -> Float[np.ndarray, "seen cells"]:
        """L^-1 k for each cell, where L L^T is the covariance of the mean readings of the cells that are seen."""
        from scipy.linalg.blas import dtrsm  # pyright: ignore[reportAttributeAccessIssue]
        from scipy.linalg.lapack import dpotrf  # pyright: ignore[reportAttributeAccessIssue]

        counts = np.bincount(readings, minlength=len(self.covariance))
        seen = np.flatnonzero(counts)
        rows = self.covariance[seen]
        matrix = rows[:, seen]
        matrix[np.diag_indices(len(seen))] += self._noise / counts[seen] + self._least
        factor, failed = dpotrf(matrix.T, lower=True, overwrite_a=True, clean=False)
        if failed:
            factor = np.asfortranarray(_sure_factor(rows[:, seen] + np.diag(self._noise / counts[seen])))
        return dtrsm(1.0, factor, rows.T, side=1, lower=True, trans_a=True).T


def _sure_factor(matrix: np.ndarray) -> np.ndarray:
    """Of a covariance that rounding has made indefinite."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    least = 1e-8 * float(values.max())
    return np.linalg.cholesky((vectors * np.maximum(values, least)) @ vectors.T + least * np.eye(len(matrix)))


def doubtful(cells: MapCells, samples: Samples) -> Covariance:
    """Of a field that is as rough at every scale as its readings are, given where they are and nothing else.

    A Brownian surface, nearly: an exponential kernel over the whole region, whose variance grows with the distance from
    the nearest reading. Far from all of them it knows nothing, whatever a model concludes of places where nobody was.
    """
    reach = math.hypot(*cells.box.size)
    covariance = reach * _roughness(samples) * np.exp(-_apart(cells.middles) / reach)
    seen, counts = np.unique(cells.of(samples.X), return_counts=True)
    if not len(seen):
        return covariance
    largest = float(covariance.max())
    matrix = covariance[np.ix_(seen, seen)] + largest * np.diag(LEAST_NOISE / counts + JITTER)
    left = covariance - covariance[:, seen] @ np.linalg.solve(matrix, covariance[seen])
    return (left + left.T) / 2


def _roughness(samples: Samples) -> float:
    """By how much variance grows with every metre, on average over pairs of readings; 1 if these do not tell."""
    few = slice(None, None, 1 + len(samples) // MOST_PAIRED)
    X, y = samples.X[few], samples.y[few]
    distance = float(_apart(X).mean()) if len(X) else 0.0
    slope = float(np.var(y)) / distance if distance > 0 else 0.0
    return slope if slope > 0 else 1.0


def _apart(X: Points) -> Float[np.ndarray, "n n"]:
    return np.hypot(*(X[:, None] - X[None]).transpose(2, 0, 1))
