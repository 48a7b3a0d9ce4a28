"""Does a model observe, predict and fit as the mission expects?"""

from collections.abc import Callable

import numpy as np

from akrig.protocols import Model
from akrig.types import Samples


def check_model(make_model: Callable[[], Model], samples: Samples, *, tolerance: float = 1e-6) -> None:
    """Observing, predicting and fitting as the mission expects them.

    Args:
        make_model: a new model each time, all alike.
        samples: at least four readings that vary.
    """
    head = len(samples) // 2
    first, second = Samples(samples.X[:head], samples.y[:head]), Samples(samples.X[head:], samples.y[head:])
    model = make_model()
    model.observe(first)
    before = model.predict(second.X)
    assert before.mean.shape == before.variance.shape == (len(second),), "predict must give one number per point."
    model.observe(second)
    assert len(model.samples) == len(samples), "samples must hold every reading observed."
    assert np.array_equal(model.samples.y, samples.y), "samples must keep the readings as they came, in order."
    after = model.predict(second.X)
    assert (after.variance <= before.variance * (1 + tolerance)).all(), (
        "A reading must not make its place less certain."
    )
    latent = model.latent(samples.X)
    assert (latent.variance >= 0).all(), "Variance must never be negative."
    noisy = model.predict(samples.X)
    assert (noisy.variance >= latent.variance).all(), "A reading is never more certain than the field itself."
    again = model.predict(samples.X)
    assert np.array_equal(noisy.mean, again.mean), "predict must not change the model."
    one, many = model.predict(samples.X[:1]), noisy
    assert abs(one.mean[0] - many.mean[0]) <= tolerance * max(1.0, abs(many.mean[0])), (
        "A point's neighbours in the query matter."
    )
    losses = [model.fit(steps=1) for _ in range(30)]
    assert np.isfinite(losses).all(), "fit must return a finite loss."
    assert losses[-1] < losses[0], f"fit must lower the loss; it went from {losses[0]:.4g} to {losses[-1]:.4g}."
    assert np.isfinite(model.predict(samples.X).mean).all(), "Predictions after fit must be finite."
