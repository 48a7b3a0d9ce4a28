"""IHO S-44: how sure a depth must be for an order of survey; for settings, scores, files, report and page.

By edition 6.1.0, table 1. Of what that asks, this is the vertical uncertainty alone: nothing of position, coverage of
the bed, or features on it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

Values = Float[np.ndarray, " n"]

EDITION = "IHO S-44, edition 6.1.0"
USUAL_ORDER = "1b"  # that is told first, if a survey aims at none
ENOUGH_OF_IT = 0.9  # of the area, for a survey that aims at an order and says no more
WITHIN = 1.96  # standard deviations on either side of a single quantity, for the 95 % that S-44 asks for
NO_CERTIFICATE = (
    "This is no certification. Position, coverage and features are not judged; lines of a single beam leave the bed "
    "between them unsearched, and so cannot meet orders that ask for that (1a, Special, Exclusive), however sure the "
    "depth. Errors that all soundings share (water level, draught, sound speed) count only as far as "
    "depth.shared_error and depth.shared_error_share name them."
)


@dataclass(frozen=True)
class SurveyOrder:
    """Allows a total vertical uncertainty, 95 %, of sqrt(a^2 + (b d)^2) metres at depth d.

    Args:
        name: in settings and scores.
        code: in a GeoTIFF; smaller is stricter.
        a: metres.
        b: of the depth.
        also: names of orders that allow as much.
    """

    name: str
    label: str
    code: int
    a: float
    b: float
    also: tuple[str, ...] = ()

    @property
    def column(self) -> str:
        """In scores: the share of the area that meets it."""
        return f"order_{self.name}"

    def allowed(self, depth: Values) -> Values:
        """Metres, 95 %."""
        return np.hypot(self.a, self.b * depth)

    def is_met(self, depth: Values, std: Values) -> np.ndarray:
        """Args:
        std: of the depth, all told.
        """
        return WITHIN * std <= self.allowed(depth)


# The strictest first.
ORDERS = (
    SurveyOrder("exclusive", "Exclusive Order", 1, 0.15, 0.0075),
    SurveyOrder("special", "Special Order", 2, 0.25, 0.0075),
    SurveyOrder("1b", "Order 1b", 3, 0.5, 0.013, also=("1a",)),
    SurveyOrder("2", "Order 2", 4, 1.0, 0.023),
)
BY_NAME: Mapping[str, SurveyOrder] = MappingProxyType(
    {name: order for order in ORDERS for name in (order.name, *order.also)}
)


@dataclass(frozen=True)
class SharedError:
    """Of all soundings alike, so that no number of them tells of it: one standard deviation.

    Args:
        metres: as of water level and draught.
        share: of the depth, as of the speed of sound.
    """

    metres: float = 0.0
    share: float = 0.0

    def added(self, depth: Values, std: Values, *, noise_variance: float = 0.0) -> Values:
        """The standard deviation of a depth, all told.

        Args:
            std: of a sounding there; or of the bed, to which the noise of a sounding is added.
        """
        return np.sqrt(std**2 + noise_variance + self.metres**2 + (self.share * depth) ** 2)


def best_orders(depth: Values, std: Values) -> Values:
    """The code of the strictest order that each depth meets; NaN where it meets none."""
    codes = np.full(len(depth), np.nan)
    for order in reversed(ORDERS):
        codes[order.is_met(depth, std)] = order.code
    return codes
