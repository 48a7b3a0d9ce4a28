"""How sure a depth of the map is, all told: what an order of survey is judged by."""

from collections.abc import Callable
from functools import partial

import numpy as np

from akrig.protocols import KnowsNoise, Model, capability
from akrig.s44 import SharedError
from akrig.survey.area import Area
from akrig.types import Values

Uncertainty = Callable[[Values, Values], Values]


def depth_uncertainty(model: Model, area: Area, *, shared: SharedError) -> Uncertainty:
    """One standard deviation of a depth, given that of the bed: with a sounding's noise, and what all soundings share.

    S-44 speaks of soundings: from however many of them a map was made, it is not called better than one more would be.
    """
    return partial(shared.added, noise_variance=_noise_variance(model, area))


def _noise_variance(model: Model, area: Area) -> float:
    """The largest at a few places, if the model does not say that it is the same everywhere."""
    noisy = capability(model, KnowsNoise)
    if noisy is not None:
        return noisy.noise_variance
    few = area.extent.grid(10, 10)
    return max(0.0, float(np.max(model.predict(few).variance - model.latent(few).variance)))
