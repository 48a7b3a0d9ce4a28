"""How routes may be judged, by the word in settings."""

from collections.abc import Callable, Mapping

from akrig.strategies.routes.forecast import Covariance, Forecast
from akrig.strategies.routes.information import Information
from akrig.strategies.routes.objectives import OBJECTIVES, Objective

# Is told the covariance now, a reading's noise variance, and the variance that is good enough.
Judge = Callable[[Covariance, float, float], Forecast]


def _by_variance(objective: Callable[[float], Objective]) -> Judge:
    return lambda covariance, noise_variance, good_enough: Forecast(covariance, noise_variance, objective(good_enough))


JUDGES: Mapping[str, Judge] = {
    **{name: _by_variance(objective) for name, objective in OBJECTIVES.items()},
    "mutual-information": lambda covariance, noise_variance, good_enough: Information(covariance, noise_variance),
}
