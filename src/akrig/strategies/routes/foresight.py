"""What is told of a plan: the whole route, and the lawnmower that it was compared with."""

import math

from akrig.strategies.routes.search import Search, Stops
from akrig.types import ForeseenWay, Foresight

DIGITS = 4  # of an error: the last ones of a sum are the computer's, and a mission that is repeated writes the same
LAWNMOWERS = 25  # to choose from, at least
LONGER = 0.02  # share by which a lawnmower may be longer than the route that it is held against


def foreseen(search: Search, stops: Stops, *, is_share: bool) -> Foresight | None:
    """Of a route that a search has found, and of the lawnmower for as many metres; `None` if the belief has no numbers.

    Args:
        is_share: tell errors as shares of what is not known.
    """
    error = search.error if is_share else search.deviation

    def way(stops: Stops) -> ForeseenWay:
        return ForeseenWay(search.way(stops), float(f"{error(stops):.{DIGITS}g}"))

    route = way(stops)
    if not math.isfinite(route.error):
        return None
    share = (1 + LONGER) * search.length(stops) / search.metres
    # Those that are as long as the budget were looked at already, if the search did not lack the effort.
    lawnmower = (search if share >= 1 else search.within(share)).mown(LAWNMOWERS)
    return Foresight(route, way(lawnmower) if lawnmower else None, is_share)
