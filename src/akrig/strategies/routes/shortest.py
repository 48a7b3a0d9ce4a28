"""The shortest route after which a map is good enough."""

from akrig.strategies.routes.goals import Reached
from akrig.strategies.routes.search import Search, Stops

HALVINGS = 5  # of the span in which the least share of the budget lies


def shortest(search: Search, reached: Reached, effort: int) -> Stops:
    """The shortest that is found to leave standard deviations which are good enough.

    The best for the whole budget, if that is not enough; and if what is known is enough already: whoever asks then does
    not believe it yet.

    Args:
        effort: forecasts that may be made for a route, about; with what is saved by shorter ones, three times as many.
    """
    best = search.best(effort)
    if reached(search.deviations(())) or not reached(search.deviations(best)):
        return best
    low, high = 0.0, search.length(best) / search.metres
    for _ in range(HALVINGS):
        share = (low + high) / 2
        stops = search.within(share).best(effort // 4)
        if not reached(search.deviations(stops)):
            low = share
        else:
            stops = trimmed(search, stops, reached)
            best = min(best, stops, key=search.length)
            high = min(share, search.length(best) / search.metres)
    return best if len(best) < 2 else min(best, trimmed(search, best, reached), key=search.length)


def trimmed(search: Search, stops: Stops, reached: Reached) -> Stops:
    """Without what is not needed, most metres first."""
    while True:
        fewer = [(*stops[:at], *stops[at + 1 :]) for at in range(len(stops))]
        fewer = sorted((other for other in fewer if search.length(other) < search.length(stops)), key=search.length)
        fitting = (other for other in fewer if search.fits(other) and reached(search.deviations(other)))
        shorter = next(fitting, None)
        if shorter is None:
            return stops
        stops = shorter
