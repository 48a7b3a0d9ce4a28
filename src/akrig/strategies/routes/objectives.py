"""What a route is judged by, by the word in settings; less is better."""

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from akrig.strategies.routes.cells import Numbers
from akrig.strategies.routes.forecast import Covariance, Forecast, Objective
from akrig.types import Values

SLIGHT = 1e-3  # what variance below the target counts: enough to go on when all of it is reached


def integrated_variance(good_enough: float) -> Objective:
    """The squared error that is expected, summed over the map."""
    return Objective(lambda v: float(v.sum()), np.ones_like)


def integrated_log_variance(good_enough: float) -> Objective:
    """Entropy, cell by cell: to halve a small variance is worth as much as to halve a large one."""
    return Objective(lambda v: float(np.log(v + good_enough).sum()), lambda v: 1 / (v + good_enough))


def excess_variance(good_enough: float) -> Objective:
    """What exceeds the target; where it is reached, there is hardly more to gain."""
    return Objective(
        lambda v: float(np.maximum(v - good_enough, SLIGHT * v).sum()),
        lambda v: np.where((1 - SLIGHT) * v > good_enough, 1.0, SLIGHT),
    )


class Information(Forecast):
    r"""Judges readings by their mutual information with a reading in each cell that has none; what is left is minus it.

    $$ I(y_A; z_U) = H(y_A) - H(y_A \mid z_U)
       = \tfrac12 \log\frac{|K_{AA} + N_A|}{|K_{AA} + N_A - K_{AU} (K_{UU} + \sigma^2 I)^{-1} K_{UA}|} $$

    A are the cells that are read, N_A the noise of each one's mean reading, U all others, and sigma^2 the noise of one
    reading. A reading that tells only of its own cell brings nothing, so that a route keeps off the borders, where
    entropy dwells (Guestrin, Krause and Singh, 2005: Near-optimal sensor placements in Gaussian processes).

    With P the inverse of K + sigma^2 I over all cells, P_AA is the inverse of what z_U leaves of a reading in each of
    A, so that no other matrix is ever factorised than those of the cells that are read.
    """

    def __init__(self, covariance: Covariance, noise_variance: float) -> None:
        super().__init__(covariance, noise_variance, integrated_variance(0.0))
        self._reading = self._noise + self._least  # the variance of one reading's noise

    def left(self, readings: Numbers) -> float:
        """Minus the information, in nats."""
        seen, spare = self._seen(readings)
        if not len(seen):
            return 0.0
        K, P = (matrix[np.ix_(seen, seen)] for matrix in (self.covariance, self._precisions))
        told = _log_determinant(K + np.diag(self._reading - spare))
        root = np.sqrt(spare)
        # |P^-1 - spare| is |I - root P root| / |P|: readings beyond a cell's first lessen its noise by `spare`.
        kept = _log_determinant(np.eye(len(seen)) - root[:, None] * P * root) - _log_determinant(P)
        return -0.5 * (told - kept)

    def gains(self, readings: Numbers) -> Values:
        r"""By how much one more reading in each cell would raise the information.

        In a cell c without one, $\tfrac12 \log (v_{c|A} + \sigma^2) / (v_{c|U \setminus c} + \sigma^2)$: what the
        readings leave of it, by what all others would. In one that is read, a second look tells what z_U does not.
        """
        seen, spare = self._seen(readings)
        known = self.variance(readings) + self._reading
        P = self._precisions
        inverse = np.linalg.inv(P[np.ix_(seen, seen)])
        cells = np.setdiff1d(np.arange(len(P)), seen)
        otherwise = np.empty_like(known)
        rows = P[np.ix_(seen, cells)]
        otherwise[cells] = 1 / (np.diagonal(P)[cells] - np.einsum("sc,sc->c", rows, inverse @ rows))
        noise = np.diag(self._reading - spare)
        unread = inverse - self._reading * np.eye(len(seen))  # what z_U leaves of the field in the cells that are read
        both = noise - noise @ np.linalg.solve(unread + noise, noise)
        otherwise[seen] = np.diagonal(both) + self._reading
        return 0.5 * np.log(np.maximum(known / otherwise, 1.0))

    def few(self, cells: Numbers) -> "Information":
        return Information(self.covariance[np.ix_(cells, cells)], self._noise)

    def _seen(self, readings: Numbers) -> tuple[Int[np.ndarray, " seen"], Float[np.ndarray, " seen"]]:
        """The cells that are read; by how much the noise of each one's mean is less than a reading's."""
        precision = self._precision(readings)
        seen = np.flatnonzero(precision)
        return seen, np.maximum(self._reading - 1 / precision[seen], 0.0)

    @cached_property
    def _precisions(self) -> Covariance:
        """The inverse of the covariance of one reading in every cell."""
        return np.linalg.inv(self.covariance + self._reading * np.eye(len(self.covariance)))


def _log_determinant(matrix: np.ndarray) -> float:
    """Of a covariance, which rounding may have left a little indefinite."""
    return float(np.linalg.slogdet(matrix)[1])


def _by_variance(objective: Callable[[float], Objective]) -> Callable[[Covariance, float, float], Forecast]:
    return lambda covariance, noise_variance, good_enough: Forecast(covariance, noise_variance, objective(good_enough))


# Each is told the covariance now, a reading's noise variance, and the variance that is good enough.
OBJECTIVES: Mapping[str, Callable[[Covariance, float, float], Forecast]] = {
    "variance": _by_variance(integrated_variance),
    "log-variance": _by_variance(integrated_log_variance),
    "excess": _by_variance(excess_variance),
    "mutual-information": lambda covariance, noise_variance, good_enough: Information(covariance, noise_variance),
}
