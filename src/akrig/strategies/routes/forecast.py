"""What readings that are yet to be taken will leave open: under a Gaussian, that does not depend on their values."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from akrig.strategies.routes.cells import MapCells, Numbers, apart
from akrig.types import Samples, Values

Covariance = Float[np.ndarray, "cells cells"]
Rows = Float[np.ndarray, "few cells"]
JITTER = 1e-6  # of the mean variance: many readings in one cell do not make it certain
LEAST_NOISE = 1e-4  # of the largest variance, for a reading: what lies between the middles of cells is not known
MOST_CHANGED = 40  # cells, before another route's readings are what changes are looked at from
MOST_PAIRED = 300  # readings, when distances between all of them are looked at


@dataclass(frozen=True, eq=False)
class Known:
    """What readings of some precision leave, cell by cell."""

    covariance: Covariance
    precision: Values

    @cached_property
    def squares(self) -> Covariance:
        return np.square(self.covariance)


@dataclass(frozen=True)
class Objective:
    """What a map is judged by, given the variance at each of its cells; less is better.

    Args:
        value: of all variances together.
        slope: how much the value grows with each variance.
    """

    value: Callable[[Values], float]
    slope: Callable[[Values], Values]


class Forecast:
    """Of the variance at every cell after readings in some of them, each taken to be at its cell's middle.

    Routes that are compared have most of their readings in common. So what one of them leaves is kept, and the
    readings of others are looked at as a change of it: more in a few cells, fewer in others.

    Args:
        covariance: of the field at the cells' middles, now.
        noise_variance: of a reading.
    """

    def __init__(self, covariance: Covariance, noise_variance: float, objective: Objective) -> None:
        self.covariance, self.objective = covariance, objective
        variance = np.diagonal(covariance)
        self._noise = max(noise_variance, LEAST_NOISE * float(variance.max()), np.finfo(float).tiny)
        self._least = JITTER * float(variance.mean())
        self._now = self._kept = Known(covariance, np.zeros(len(covariance)))

    def variance(self, readings: Numbers) -> Values:
        """At every cell, after readings in the cells of these numbers."""
        return _less(*self._change(self._precision(readings)))

    def deviations(self, readings: Numbers) -> Values:
        """The standard deviation of one more reading at every cell, after these."""
        return np.sqrt(self.variance(readings) + self._noise)

    def left(self, readings: Numbers) -> float:
        """The objective, after readings in the cells of these numbers."""
        return self.objective.value(self.variance(readings))

    def gains(self, readings: Numbers) -> Values:
        """About how much one more reading in each cell would lower the objective."""
        precision = self._precision(readings)
        known, U, V = self._change(precision)
        if len(U) > MOST_CHANGED:
            self._kept = Known(known.covariance - U.T @ V, precision)
            known, U, V = self._change(precision)
        variance = _less(known, U, V)
        slopes = self.objective.slope(variance)
        # The squares of what is left, C - U^T V, summed by columns; that matrix itself is never made.
        squares = slopes @ known.squares
        squares += np.einsum("rc,rc->c", V, (U * slopes) @ U.T @ V - 2 * (U * slopes) @ known.covariance)
        return np.maximum(squares, 0.0) / (variance + self._noise)

    def few(self, cells: Numbers) -> "Forecast":
        """Of these cells alone."""
        return Forecast(self.covariance[np.ix_(cells, cells)], self._noise, self.objective)

    def _precision(self, readings: Numbers) -> Values:
        """Of the mean reading of every cell; nothing where there is none."""
        counts = np.bincount(readings, minlength=len(self.covariance))
        return counts / (self._noise + counts * self._least)

    def _change(self, precision: Values) -> tuple[Known, Rows, Rows]:
        """What is known, with covariance C, and U and V: with this precision, C - U^T V is left."""
        change = precision - self._kept.precision
        if 2 * np.count_nonzero(change) > np.count_nonzero(precision):
            half = _half(self.covariance, precision)
            return self._now, half, half
        cells = np.flatnonzero(change)
        rows = self._kept.covariance[cells]
        matrix = rows[:, cells]
        matrix[np.diag_indices(len(cells))] += 1 / change[cells]
        return self._kept, rows, np.linalg.inv(matrix) @ rows


def _less(known: Known, U: Rows, V: Rows) -> Values:
    return np.maximum(np.diagonal(known.covariance) - np.einsum("rc,rc->c", U, V), 0.0)


def _half(covariance: Covariance, precision: Values) -> Rows:
    """L^-1 k for each cell, where L L^T is the covariance of the mean readings of the cells that are seen."""
    from scipy.linalg.blas import dtrsm  # pyright: ignore[reportAttributeAccessIssue]
    from scipy.linalg.lapack import dpotrf  # pyright: ignore[reportAttributeAccessIssue]

    seen = np.flatnonzero(precision)
    rows = covariance[seen]
    matrix = rows[:, seen]
    matrix[np.diag_indices(len(seen))] += 1 / precision[seen]
    factor, failed = dpotrf(matrix.T, lower=True, clean=False)
    if failed:
        factor = np.asfortranarray(_sure_factor(matrix))
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
    largest = reach * _roughness(samples)
    covariance = largest * np.exp(-apart(cells.middles, cells.middles) / reach)
    counts = np.bincount(cells.of(samples.X), minlength=len(cells))
    half = _half(covariance, counts / (largest * (LEAST_NOISE + counts * JITTER)))
    return covariance - half.T @ half


def _roughness(samples: Samples) -> float:
    """By how much variance grows with every metre, on average over pairs of readings; 1 if these do not tell."""
    few = slice(None, None, 1 + len(samples) // MOST_PAIRED)
    X, y = samples.X[few], samples.y[few]
    distance = float(apart(X, X).mean()) if len(X) else 0.0
    slope = float(np.var(y)) / distance if distance > 0 else 0.0
    return slope if slope > 0 else 1.0
