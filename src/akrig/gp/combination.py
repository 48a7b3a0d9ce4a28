"""Several models of the same readings, as one belief that knows how much it does not know."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch

from akrig.files import content_of
from akrig.gp.calibration import FEWEST, Calibration, mixture, surprises
from akrig.gp.inference import covariance_root
from akrig.gp.left_out import Ends, singly, stretches
from akrig.gp.local_scale import LocalScale, Surprises
from akrig.gp.normalize import Normalization
from akrig.gp.regression import GPRegression
from akrig.gp.storage import UnreadableModel, content_from, read_content, write_content
from akrig.gp.together import most_uncertain_of, predict_together
from akrig.threads import blas_threads, side_by_side
from akrig.types import Attention, JointPrediction, Points, Prediction, Samples, Values

T = TypeVar("T")
LARGEST_DRIFT = 0.1  # of the readings' mean and spread, in standard deviations, before they are scaled anew


class CombinedRegression:
    r"""A mixture of Gaussian processes, its variance scaled by how surprising readings have been, there and everywhere.

    $$ \mu = \sum_e p_e \mu_e \qquad
       \sigma^2 = s \sum_e p_e \left(s_e(x)\, \sigma_e^2 + \eta_e^2 + (\mu_e - \mu)^2\right) $$

    Every leg is predicted before it is learnt; that decides the weights $p_e$ and the scale $s$. The local scale
    $s_e(x)$ of what a member does not know of the field is by how well it predicts each reading from all others, and
    from those on other stretches of the way; noise, $\eta_e^2$, is the same everywhere. Where members disagree, nobody
    knows: that is the last part.

    Args:
        members: models that have seen nothing yet, with networks of their own; base correlations are shared where they
            are the same. They all learn from all readings.
        calibration: what decides weights and scale; `None` counts members alike, and leaves their variance as it is.
        follows_scales: readings are scaled anew when their mean or spread has drifted since the last time.
    """

    def __init__(
        self,
        members: Sequence[GPRegression],
        *,
        calibration: Calibration | None = None,
        follows_scales: bool = True,
    ) -> None:
        if not members:
            raise ValueError("CombinedRegression needs at least one member; got none.")
        if any(len(member.samples) for member in members):
            raise ValueError("CombinedRegression needs members that have seen no readings yet.")
        self.members = tuple(members)
        self.calibration, self.follows_scales = calibration, follows_scales
        self._next_calibration = calibration  # with the readings observed since the last fit
        self._surprises = Surprises.none(len(self.members))  # of readings that fits have left out
        self._is_trained = False

    @property
    def samples(self) -> Samples:
        """All readings observed so far, in the sensor's units."""
        return self.members[0].samples

    @property
    def normalization(self) -> Normalization | None:
        return self.members[0].normalization

    @property
    def weights(self) -> Values:
        """How much each member counts; they sum to one."""
        num = len(self.members)
        return np.full(num, 1 / num) if self.calibration is None else self.calibration.weights(num)

    @property
    def variance_scale(self) -> float:
        """What held-out readings say that the members' variance is to be multiplied by."""
        return 1.0 if self.calibration is None else self.calibration.variance_scale

    @property
    def for_planning(self) -> "CombinedRegression":
        """This model as it is now, without local scales; with very many readings, at a glance."""
        twin = copy(self)
        twin.members = tuple(member.for_planning for member in self.members)
        twin.calibration = None if self.calibration is None else replace(self.calibration, nearby=0.0)
        return twin

    @property
    def foretold(self) -> float | None:
        """The share of the latest readings inside their 95 % intervals, before they were learnt; `None` if too few."""
        return None if self._next_calibration is None else self._next_calibration.foretold

    def observe(self, samples: Samples) -> None:
        """Take in new readings; parameters, weights and scales stay until the next `fit`."""
        if not isinstance(samples, Samples):
            raise ValueError(f"observe takes Samples(X, y); got {type(samples).__name__}.")
        if not len(samples):
            return
        judged = self._judged_by(samples)
        for member in self.members[1:]:
            member.share_correlations(self.members[0])
        for member in self.members:
            member.observe(samples)
        self._next_calibration = judged

    def fit(self, steps: int) -> float:
        """Train every member on all readings; returns their mean loss. All are left as they were if one fails."""
        if steps < 1:
            raise ValueError(f"fit needs at least one step; got {steps}.")
        before, forgets = (self.calibration, self._surprises), [member.remember() for member in self.members]
        try:
            self.calibration = self._next_calibration
            self._follow_scales()
            for member in self.members:
                member.refresh()  # not in the threads
            leave_out = self._stretches if self._judges_places else None
            losses = self._by_each(lambda member: member.fit(steps, leave_out=leave_out))
            if leave_out:
                self._surprises = self._surprised()
        except BaseException:
            self.calibration, self._surprises = before
            for forget in forgets:
                forget()
            raise
        self._is_trained = True
        return float(self.weights @ losses)

    def condition(self) -> None:
        """Bring every factorisation up to date; predictions do this by themselves."""
        for member in self.members:
            if member.local is None:
                member.condition()

    def predict(self, X: Points) -> Prediction:
        """Of a noisy reading at each point."""
        return self._combined(self._said(X, noisy=True))

    def latent(self, X: Points) -> Prediction:
        """Of the field itself, without the sensor's noise."""
        return self._combined(self._said(X, noisy=False))

    def most_uncertain(self, X: Points) -> int:
        """Which of the points `predict` would give the largest variance; faster than predicting at all of them."""
        weights, scales = self.weights, self._local_scales(X)

        def spread(places: np.ndarray, said: list[Prediction]) -> Values:
            return mixture(self._rescaled(said, scales[:, places], noisy=True), weights).variance

        return most_uncertain_of(self.members, X, spread=spread)

    @property
    def noise_variance(self) -> float:
        """Of a reading, in the sensor's units squared."""
        return self.variance_scale * float(self.weights @ [member.noise_variance for member in self.members])

    def joint(self, X: Points) -> JointPrediction:
        """Of the field at a set of points, with the covariance between them."""
        said, weights, scales = [member.joint(X) for member in self.members], self.weights, self._local_scales(X)
        mean = weights @ np.array([each.mean for each in said])
        apart = np.array([each.mean for each in said]) - mean
        covariance = (weights[:, None] * apart).T @ apart
        for weight, each, scale in zip(weights, said, np.sqrt(scales), strict=True):
            covariance += weight * scale[:, None] * each.covariance * scale
        return JointPrediction(mean, self.variance_scale * covariance)

    def sample(self, X: Points, num: int, rng: np.random.Generator) -> np.ndarray:
        """`num` draws of the whole field at points X, (num, n)."""
        joint = self.joint(X)
        rounding = 1e-10 * float(np.trace(joint.covariance)) / max(len(X), 1)
        with blas_threads(len(joint.mean)):
            root = covariance_root(joint.covariance, rounding=rounding)
            return joint.mean + rng.standard_normal((num, len(X))) @ root.T

    def explain(self, X: Points) -> Attention | None:
        """How far members see at each point, on average, in metres, with the most trusted one's attention.

        `None` if none of them can tell.
        """
        said = [(weight, member.explain(X)) for weight, member in zip(self.weights, self.members, strict=True)]
        known = [(weight, each) for weight, each in said if each is not None]
        if not known:
            return None
        _, best = max(known, key=lambda pair: pair[0])
        lengths = np.array([each.lengthscale for _, each in known])
        return replace(best, lengthscale=np.average(lengths, axis=0, weights=[weight for weight, _ in known]))

    def save(self, path: str | Path) -> None:
        """Everything in one file, written beside and renamed."""
        write_content(
            Path(path),
            {
                "members": [content_from(member.state) for member in self.members],
                "calibrations": [
                    None if each is None else each.numbers for each in (self.calibration, self._next_calibration)
                ],
                "surprises": torch.from_numpy(self._surprises.values),
                "surprised": torch.from_numpy(self._surprises.places),
                "is_trained": self._is_trained,
            },
        )

    def load(self, path: str | Path) -> None:
        """Become the model that was saved; this one must have been made the same way."""
        path = Path(path)
        content = read_content(path)
        with content_of(path, advice="take another copy", error=UnreadableModel):
            members, is_trained = content["members"], bool(content["is_trained"])
            if not isinstance(members, list) or not all(isinstance(member, dict) for member in members):
                raise ValueError("its members are no sections")
            if len(members) != len(self.members):
                raise UnreadableModel(
                    f"{path} holds another kind of model: {len(members)} members, not {len(self.members)}."
                )
            surprises = content["surprises"].numpy()
            # A file of an older akrig has those of all readings that the last fit knew.
            surprised = content["surprised"].numpy() if "surprised" in content else np.arange(surprises.shape[-1])
            now, then = (
                None if numbers is None else Calibration.from_numbers(numbers, num_members=len(members))
                for numbers in content["calibrations"]
            )
        states = [member.read(path, each) for member, each in zip(self.members, members, strict=True)]
        if any(not _are_same(state.samples, states[0].samples) for state in states):
            raise UnreadableModel(f"{path} holds members that know different readings; take another copy.")
        if surprises.shape != (len(states), surprised.size) or not _are_numbers(surprised, len(states[0].samples)):
            raise UnreadableModel(f"{path} holds surprises of other readings; take another copy.")
        if not np.isfinite(surprises).all():
            raise UnreadableModel(f"{path} holds surprises that are no numbers; take another copy.")
        for member, state in zip(self.members, states, strict=True):
            member.restore(state)
            member.share_correlations(self.members[0])
        self.calibration, self._next_calibration, self._is_trained = now, then, is_trained
        self._surprises = Surprises(surprises, surprised)

    def _by_each(self, act: Callable[[GPRegression], T]) -> list[T]:
        return side_by_side([partial(act, member) for member in self.members], num_rows=len(self.samples))

    def _judged_by(self, samples: Samples) -> Calibration | None:
        """The calibration when these readings, not learnt yet, have been compared with what is said of them."""
        if self._next_calibration is None or not self._is_trained:
            return self._next_calibration
        said = self._said(samples.X, noisy=True)
        return self._next_calibration.after(said, mixture(said, self.weights), samples.y)

    def _stretches(self, X: Points) -> tuple[Ends, Ends]:
        """How readings are left out: one by one, and as far along the way as the next way may be."""
        return singly(len(X)), stretches(X, area=2.0 ** X.shape[1])

    def _surprised(self) -> Surprises:
        """By what the last fit has left out, and by what was before, if it was not told of all readings."""
        samples, scales, places = self.samples, self.normalization, self.members[0].left_out_places
        assert scales is not None, "a model with readings has scales"
        y = samples.y[places]
        new = Surprises(
            np.array([np.mean([surprises(each, y) for each in member.left_out], axis=0) for member in self.members]),
            places,
        )
        if self.members[0].local is None:
            return new
        return self._surprises.followed_by(new, lambda places: scales.points(samples.X[places]))

    def _said(self, X: Points, *, noisy: bool) -> list[Prediction]:
        """By each member, each at its own scale there."""
        return self._rescaled(predict_together(self.members, X, noisy=False), self._local_scales(X), noisy=noisy)

    def _rescaled(self, said: list[Prediction], scales: np.ndarray, *, noisy: bool) -> list[Prediction]:
        return [
            Prediction(each.mean, scale * each.variance + (member.noise_variance if noisy else 0.0))
            for member, each, scale in zip(self.members, said, scales, strict=True)
        ]

    @property
    def _judges_places(self) -> bool:
        return self.calibration is not None and self.calibration.nearby > 0 and len(self.samples) >= FEWEST

    def _local_scales(self, X: Points) -> np.ndarray:
        """(members, q)"""
        scales = self.normalization
        if self.calibration is None or not self._judges_places or not len(self._surprises) or scales is None:
            return np.ones((len(self.members), len(X)))
        known = scales.points(self.samples.X[self._surprises.places])
        return LocalScale(known, self._surprises.values, self.calibration.nearby).at(scales.points(X))

    def _combined(self, said: list[Prediction]) -> Prediction:
        both = mixture(said, self.weights)
        return Prediction(both.mean, self.variance_scale * both.variance)

    def _follow_scales(self) -> None:
        scales, y = self.normalization, self.samples.y
        if not self.follows_scales or scales is None or not len(y):
            return
        wanted = Normalization.from_samples(self.samples)
        drift = max(abs(wanted.offset - scales.offset) / scales.scale, abs(np.log(wanted.scale / scales.scale)))
        if drift > LARGEST_DRIFT:
            for member in self.members:
                member.rescale(offset=wanted.offset, scale=wanted.scale)


def _are_numbers(places: np.ndarray, num: int) -> bool:
    """Of so many readings?"""
    return places.ndim == 1 and places.dtype == np.int64 and bool(((places >= 0) & (places < num)).all())


def _are_same(a: Samples, b: Samples) -> bool:
    return np.array_equal(a.X, b.X) and np.array_equal(a.y, b.y)
