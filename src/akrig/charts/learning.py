"""A model learns from soundings; legs that it is not given say how far its map can be trusted."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from akrig.charts.soundings import ChartData
from akrig.metrics import interval_coverage, root_mean_squared_error
from akrig.protocols import Model
from akrig.randomness import Randomness
from akrig.words import plural

STEPS = 400  # in all: on the bay's legs (not those of the table) MSLL was -2.48 after 100, and -2.59 after 400
ROUNDS = 10
GLANCE = 10  # soundings that are new in a round
EVERY = 10  # of so many legs one is held back ...
MOST_HELD = 4000  # ... but no more soundings than that to calibrate by, and as many to judge
FEWEST_LEGS = 20  # that anything is held back of


@dataclass(frozen=True)
class Judgement:
    """What held-back soundings said of the map, when it had been calibrated by others.

    Args:
        error: root mean square, in the soundings' units.
        inside: share within their 95 % intervals.
    """

    soundings: int
    legs: int
    error: float
    inside: float

    def sentence(self, units: str) -> str:
        unit = f" {units}" if units else ""
        held = f"{plural(self.soundings, 'sounding')} on {plural(self.legs, 'leg')}, held back while it learnt"
        verdict = (
            f"{100 * self.inside:.0f} % lay within their 95 % intervals, and the map was {self.error:.2g}{unit} off"
        )
        trust = "" if self.inside >= 0.88 else "; it is surer than it should be, so double its standard deviations"
        return f"Of {held}, {verdict} (root mean square){trust}."

    @property
    def numbers(self) -> dict[str, Any]:
        return asdict(self)


def learn(
    model: Model, data: ChartData, *, steps: int = STEPS, advance: Callable[[], None] = lambda: None
) -> Judgement | None:
    """All soundings are taken in, in the end; `None` if there are too few legs to hold any back.

    Args:
        advance: called so many times: `ROUNDS + 2`.
    """
    each, (calibrating, judging) = max(1, round(steps / ROUNDS)), _held_back(data.legs)
    rest = np.flatnonzero(~(calibrating | judging))
    # A round brings a few soundings that are new, so that no two learn from the same draw of them.
    late = rest[:: max(GLANCE, len(rest) // (GLANCE * ROUNDS))][1 : GLANCE * (ROUNDS - 1)]
    for rows in (np.setdiff1d(rest, late, assume_unique=True), *np.array_split(late, ROUNDS - 1)):
        model.observe(data.only(rows))
        model.fit(each)
        advance()
    found = None
    if calibrating.any():
        model.observe(data.only(calibrating))
        model.fit(each)
    advance()
    if judging.any():
        held = data.only(judging)
        said = model.predict(held.X)
        legs = len(np.unique(data.legs[judging]))
        error, inside = root_mean_squared_error(said, held.y), interval_coverage(said, held.y, level=0.95)
        found = Judgement(len(held), legs, error, inside)
        model.observe(held)
        model.fit(each)
    advance()
    return found


def _held_back(legs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Soundings to calibrate by and to judge by: whole legs, every tenth of them, in an order of no meaning."""
    names, counts = np.unique(legs, return_counts=True)
    if len(names) < FEWEST_LEGS:
        return np.zeros(len(legs), dtype=bool), np.zeros(len(legs), dtype=bool)
    drawn = Randomness(0).generator("held back").permutation(len(names))[: max(2, len(names) // EVERY)]
    half = np.arange(len(drawn)) % 2 == 0
    chosen = []
    for group in (drawn[half], drawn[~half]):
        before = np.cumsum(counts[group]) - counts[group]
        chosen.append(np.isin(legs, names[group[before < MOST_HELD]]))
    return chosen[0], chosen[1]
