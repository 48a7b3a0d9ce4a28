"""Does a model observe, predict and fit as the mission expects?"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from akrig.geometry import Box
from akrig.protocols import Model, Searching, capability
from akrig.types import Points, Samples


def check_model(make_model: Callable[[], Model], samples: Samples, *, tolerance: float = 1e-6) -> None:
    """Observing, predicting and fitting as the mission expects them; what it promises, it promises after fit too.

    Args:
        make_model: a new model each time, all alike.
        samples: at least four readings that vary.
    """
    head, around = len(samples) // 2, _around(samples.X)
    everywhere = np.concatenate([samples.X, around])
    model = make_model()
    assert isinstance(model, Model), "A model has samples, observe, predict, latent and fit."
    model.observe(samples.first(head))
    _check_predictions(model, everywhere, tolerance)
    _check_learning(model, samples.after(head), tolerance)
    assert len(model.samples) == len(samples), "samples must hold every reading observed."
    assert np.array_equal(model.samples.y, samples.y), "samples must keep the readings as they came, in order."
    assert np.ptp(model.predict(samples.X).mean) > 0, "Where readings vary, the mean must vary."
    losses = [model.fit(steps=1) for _ in range(30)]
    assert np.isfinite(losses).all(), "fit must return a finite loss."
    assert losses[-1] < losses[0], f"fit must lower the loss; it went from {losses[0]:.4g} to {losses[-1]:.4g}."
    _check_predictions(model, everywhere, tolerance)
    assert np.ptp(model.predict(samples.X).mean) > 0, "Where readings vary, the mean must vary after fit too."
    _check_learning(model, _surprise(model, around), tolerance)


def _check_predictions(model: Model, X: Points, tolerance: float) -> None:
    noisy, latent = model.predict(X), model.latent(X)
    for prediction in (noisy, latent):
        assert prediction.mean.shape == prediction.variance.shape == (len(X),), (
            "predict and latent must give one number per point."
        )
        finite = np.isfinite(prediction.mean) & np.isfinite(prediction.variance)
        assert finite.all(), "Predictions must be finite, before and after fit."
    assert (latent.variance >= 0).all(), "Variance must never be negative."
    assert (noisy.variance > 0).all(), "The variance of a reading must be positive: no sensor is free of noise."
    assert (noisy.variance >= latent.variance).all(), "A reading is never more certain than the field itself."
    assert np.ptp(latent.variance) > 0, "Variance must depend on where readings were taken."
    again = model.predict(X)
    assert np.array_equal(noisy.mean, again.mean), "predict must not change the model."
    searching = capability(model, Searching)
    if searching is not None:
        found = noisy.variance[searching.most_uncertain(X)]
        assert found >= noisy.variance.max() * (1 - tolerance), (
            "most_uncertain must find the point of largest predicted variance."
        )
    one = model.predict(X[:1])
    assert abs(one.mean[0] - noisy.mean[0]) <= tolerance * max(1.0, abs(noisy.mean[0])), (
        "A point's neighbours in the query matter."
    )


def _check_learning(model: Model, new: Samples, tolerance: float) -> None:
    """Of a Gaussian process with any kernel, since it leaves only a share of each residual: (I + K / noise)^-1."""
    before = model.predict(new.X)
    model.observe(new)
    after = model.predict(new.X)
    assert (after.variance <= before.variance * (1 + tolerance)).all(), (
        "A reading must not make its place less certain."
    )
    assert (after.variance < before.variance).any(), "A reading must make its place more certain."
    error_before, error_after = (float(np.sum((p.mean - new.y) ** 2)) for p in (before, after))
    assert error_after < error_before or error_before == 0, "Readings must draw the mean towards them."


def _around(X: Points) -> Float[np.ndarray, "q d"]:
    """Places among the readings, and beyond them."""
    lower, upper = X.min(axis=0), X.max(axis=0)
    middle, half = (lower + upper) / 2, np.maximum((upper - lower) / 2, 1e-9)
    region = Box(tuple(middle - 1.5 * half), tuple(middle + 1.5 * half))
    return np.random.default_rng(0).uniform(region.lower, region.upper, (16, region.dim))


def _surprise(model: Model, X: Points) -> Samples:
    """A reading three standard deviations above what is expected, where the field is least known."""
    place = X[[int(np.argmax(model.latent(X).variance))]]
    expected = model.predict(place)
    return Samples(place, expected.mean + 3 * expected.std)
