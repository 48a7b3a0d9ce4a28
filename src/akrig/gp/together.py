"""What several models of the same readings say of the same points, computed together."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from akrig.gp.local.prediction import predict_locally
from akrig.gp.posterior import predict_each
from akrig.gp.regression import GPRegression
from akrig.gp.search import Said, largest_spread
from akrig.threads import blas_threads
from akrig.types import Points, Prediction, Values

MOST_SEARCH_BYTES = 1 << 28  # of covariances between candidates and readings


def predict_together(models: Sequence[GPRegression], X: Points, *, noisy: bool) -> list[Prediction]:
    """Each model's `predict`, or its `latent`, given the same readings; what they share is computed once."""
    points = _common_points(models, X)
    if points is None:
        return [model.predict(X) if noisy else model.latent(X) for model in models]
    local = [model.local for model in models if model.local is not None]
    with torch.no_grad(), blas_threads(local[0].reach.most_near if local else len(models[0].samples)):
        if local:
            said = predict_locally(local, points.numpy())
        else:
            said = predict_each([model.condition() for model in models], points)
        return [
            model.restored(model.mean_at(points) + change, variance, noisy=noisy)
            for model, (change, variance) in zip(models, said, strict=True)
        ]


def most_uncertain_of(
    models: Sequence[GPRegression], X: Points, *, spread: Callable[[np.ndarray, list[Prediction]], Values]
) -> int:
    """Which of the points has the largest spread by what the models, given the same readings, say of the field there.

    Faster than predicting at all of them, if the spread grows with each variance.

    Args:
        spread: at places in X, by each model's `latent` there.
    """
    points = _common_points(models, X)
    if (
        points is None
        or models[0].local is not None
        or len(models) * len(X) * len(models[0].samples) * 8 > MOST_SEARCH_BYTES
    ):
        return int(np.argmax(spread(np.arange(len(X)), predict_together(models, X, noisy=False))))
    with torch.no_grad(), blas_threads(len(models[0].samples)):
        means = [model.mean_at(points) for model in models]

        def spread_at(places: np.ndarray, said: Said) -> Values:
            return spread(
                places,
                [
                    model.restored(mean[places] + change, variance, noisy=False)
                    for model, mean, (change, variance) in zip(models, means, said, strict=True)
                ],
            )

        return largest_spread([model.condition() for model in models], points, spread_at)


def _common_points(models: Sequence[GPRegression], X: Points) -> Tensor | None:
    """Normalised, if all models have readings and normalise alike, and all or none of them are local."""
    if not len(models[0].samples) or len({model.local is None for model in models}) > 1:
        return None
    points, *others = (model.points(X) for model in models)
    return points if all(torch.equal(points, each) for each in others) else None
