"""Who maps the bay; each learns for so many seconds of its process's time, and predicts soundings it has not seen."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

import numpy as np

from akrig.charts.learning import STEPS, learn
from akrig.charts.making import chart_settings
from akrig.charts.soundings import ChartData
from akrig.charts.tiles import new_model
from akrig.survey.logs.thinning import cell_medians, spacing_for
from akrig.survey.logs.tracks import legs_of, ways_of
from akrig.types import Points, Prediction, Samples
from benchmarks.soundings import peers
from benchmarks.soundings.bay import LEG, Water
from benchmarks.soundings.interpolators import WithVariance, inverse_distance, linear_tin

EXACT = 3000  # readings that a factorisation of everything is bearable for


class Fitted(Protocol):
    def predict(self, X: Points) -> Prediction: ...


Made = tuple[Fitted, str]  # and what there is to say of it


def by_interpolation(interpolator, water: Water, seconds: float) -> Made:
    legs = legs_of(water.known.X, water.known.y, None, length=LEG)
    return WithVariance(interpolator, water.known, legs), "nothing to train"


def by_peer(make: Callable[[Samples], peers.Variational | peers.Collapsed], water: Water, seconds: float) -> Made:
    peer = make(water.known)
    steps = peer.fit(seconds)
    return peer, f"{steps} steps"


def by_exact(water: Water, seconds: float) -> Made:
    """As much as an exact model can hold: medians of cells."""
    X, y, spacing = water.known.X, water.known.y, spacing_for(water.known.X, EXACT)
    told = f"{len(y)} soundings"
    if spacing is not None:
        X, y, _ = cell_medians(X, y, time=None, spacing=spacing)
        told = f"{len(y)} medians of cells of {spacing:g} m"
    order = np.random.default_rng(0).permutation(len(y))
    data = ChartData(X[order], y[order], np.zeros(len(y), dtype=int), None, "depth", "m", "")
    model = new_model(chart_settings(data, {"model": {"name": "exact", "local_from": 0}}))
    model.observe(Samples(data.X, data.y))
    steps = peers.until(seconds, lambda: model.fit(1))
    return model, f"{steps} steps, {told}"


def by_akrig(water: Water, seconds: float, *, steps: int = STEPS, **options: Any) -> Made:
    """As `akrig map` does: it holds legs of its own back, and then learns from them, too."""
    known = water.known
    order, legs = ways_of(known.X, known.y, None, length=LEG)
    data = ChartData(known.X[order], known.y[order], legs[order], None, "depth", "m", "")
    model = new_model(chart_settings(data, options))
    judgement = learn(model, data, steps=steps)
    told = "" if judgement is None else f", {100 * judgement.inside:.0f} % and {judgement.error:.2f} m foretold"
    return model, f"{steps} steps{told}"


CONTENDERS: Mapping[str, Callable[[Water, float], Made]] = {
    "linear TIN": partial(by_interpolation, linear_tin),
    "inverse distance": partial(by_interpolation, inverse_distance),
    "SVGP, 500 inducing points": partial(by_peer, peers.svgp),
    "500 inducing points, collapsed (POAM)": partial(by_peer, peers.Collapsed),
    "VNNGP, 32 neighbours": partial(by_peer, peers.vnngp),
    "exact, to 3000": by_exact,
    "akrig map": by_akrig,
}
