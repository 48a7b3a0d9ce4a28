"""Exact inference over points that keep coming, in normalised units: training, and an up-to-date posterior."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from akrig.errors import NotFinite
from akrig.gp.fingerprint import fingerprint_of
from akrig.gp.inference import negative_log_marginal_likelihood
from akrig.gp.left_out import Ends, LeaveOut, LeftOut, left_out
from akrig.gp.posterior import Posterior
from akrig.gp.process import Process
from akrig.gp.training import OnStep, Trainer
from akrig.kernels.gram import Gram, SharesCorrelations, gram_of
from akrig.kernels.ops.scratch import Scratch
from akrig.protocols import capability
from akrig.threads import blas_threads

KEPT = ("process", "trainer", "stands_for", "X", "y")  # of a solver that is pickled; all else is rebuilt

Ask = Callable[[Posterior, Tensor], tuple[np.ndarray, np.ndarray]]


class Solver:
    """Factorises once per set of parameters, as late as possible, and grows the factor by rows where it can.

    Args:
        stands_for: so many points, of which it has a share; `None` if it has all there are.
    """

    def __init__(self, process: Process, trainer: Trainer, *, stands_for: int | None = None) -> None:
        self.process, self.trainer, self.stands_for = process, trainer, stands_for
        self.clear()

    def __len__(self) -> int:
        return len(self.y)

    def clear(self) -> None:
        """Forget all points."""
        self.process.module.eval()
        self.X = torch.empty(0, 0, dtype=torch.float64)
        self.y = torch.empty(0, dtype=torch.float64)
        self._make_gram()

    def append(self, X: Tensor, y: Tensor) -> None:
        self.gram.append(X)  # first, because it may refuse
        self.X = torch.cat([self.X, X]) if len(self.X) else X
        self.y = torch.cat([self.y, y])

    def replace_targets(self, y: Tensor) -> None:
        """Others at the same points, such as the same readings at another scale."""
        self.y, self._posterior = y, None

    def share_correlations(self, other: "Solver") -> None:
        """Keep one set of the base kernels' correlations with a solver of the same points, if they are the same."""
        gram = capability(self.gram, SharesCorrelations)
        if gram is not None:
            gram.share(other.gram)

    def refresh(self) -> None:
        """Bring up to date what solvers may share."""
        self.gram.refresh()

    def fit(self, steps: int, on_step: OnStep | None, leave_out: LeaveOut | None = None) -> float:
        """Returns the last step's loss; ends with a factorisation at the new parameters."""
        self._notice_frozen_parameters()
        self._ends = leave_out(self.X.numpy()) if leave_out else ()
        self.gram.refresh()
        with blas_threads(len(self)):
            self.begin_with_grown_factor()
            return self.trainer.run(
                self.differentiate,
                steps=steps,
                num_readings=self.stands_for or len(self),
                verify=self._settle,
                on_step=on_step,
            )

    def condition(self) -> Posterior:
        """The posterior, up to date with points and parameters."""
        with torch.no_grad(), blas_threads(len(self)):
            return self._up_to_date_posterior()

    def predict(self, points: Tensor) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the field at each point."""
        return self.answer(points, Posterior.predict, prior=self.gram.diagonal)

    def joint(self, points: Tensor) -> tuple[np.ndarray, np.ndarray]:
        """Mean and covariance of a set of points."""
        return self.answer(points, Posterior.joint, prior=self.gram.joint)

    def answer(
        self, points: Tensor, ask: Ask, *, prior: Callable[[Tensor], np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Mean and spread at points, of the posterior or, before there is a point, of the prior."""
        with torch.no_grad(), blas_threads(len(self)):
            mean = self.process.mean_at(points).numpy()
            if not len(self):
                return mean, self.process.amplitude().item() * prior(points)
            change, spread = ask(self._up_to_date_posterior(), points)
            return mean + change, spread

    @property
    def left_out_places(self) -> np.ndarray:
        """The numbers of the points that are left out in `left_out`."""
        return np.arange(len(self.left_out[0].residual) if self.left_out else 0)

    @property
    def num_factorized(self) -> int:
        """Points of the factorisation that the next fit can grow; 0 if there is none."""
        posterior = self._posterior
        current = posterior is not None and np.array_equal(self._fingerprint(), self._conditioned_on)
        return posterior.num_factorized if posterior is not None and current else 0

    def __getstate__(self) -> dict:
        return {name: vars(self)[name] for name in KEPT}

    def __setstate__(self, state: dict) -> None:
        vars(self).update(state)
        self._make_gram()

    def _make_gram(self) -> None:
        self.gram: Gram = gram_of(self.process.inner_kernel)
        if len(self.X):
            self.gram.append(self.X)
        self._frozen = [not p.requires_grad for p in self.trainer.adam.parameters]
        self._fingerprint = fingerprint_of(self.process.module)
        self._posterior: Posterior | None = None
        self._conditioned_on = np.empty(0)
        self._workspace, self._spare, self._queries = Scratch(), Scratch(), Scratch()
        self.is_factorized = False
        self._ends: Sequence[Ends] = ()
        self.left_out: tuple[LeftOut, ...] = ()  # by the last training step, which has it for nothing

    def _notice_frozen_parameters(self) -> None:
        """Which gram is fastest depends on what is trained."""
        if self._frozen != [not p.requires_grad for p in self.trainer.adam.parameters]:
            self._make_gram()

    def begin_with_grown_factor(self) -> None:
        """The first step's factor is the last predictions' with a few rows more, if nothing else has changed."""
        posterior, self.is_factorized = self._posterior, False
        can_grow = self.num_factorized > 0 and not self.trainer.changes_in_training
        self._posterior = None
        if posterior is None or not can_grow:
            return
        self._workspace, self._spare = self._spare, self._workspace  # the posterior's factor is in the one we leave
        with torch.no_grad():
            self.is_factorized = posterior.write_grown_factor(self._room())

    def _settle(self) -> None:
        """After training: what networks remember of their batch, and the factorisation, at the new parameters."""
        if self.trainer.buffers:
            with torch.no_grad():
                self.gram.features()
        self.condition()

    def _up_to_date_posterior(self) -> Posterior:
        parameters = self._fingerprint()
        posterior, self._posterior = self._posterior, None  # forgotten if what follows fails halfway
        if posterior is None or not np.array_equal(parameters, self._conditioned_on):
            self._check_finite()
            self.trainer.forget_caches()
            self.trainer.set_mode(training=False)
            self.gram.refresh()
            posterior = Posterior(
                self.gram,
                self._residual().numpy(),
                amplitude=self.process.amplitude().item(),
                noise_variance=self.process.noise_variance().item(),
                room=self._room(),
                queries=self._queries,
            )
        elif len(posterior) < len(self):
            posterior.extend(self._residual().numpy())
        self._posterior, self._conditioned_on = posterior, parameters
        return posterior

    def _check_finite(self) -> None:
        self.process.check_finite()
        if not torch.isfinite(self._residual()).all():
            raise NotFinite("The mean function is NaN or infinite at a reading; check its parameters.")

    def differentiate(self) -> float:
        """The negative log posterior of the parameters; its gradient is added to the parameters' own."""
        features, residual = self.gram.features(), self._residual()
        amplitude, noise_variance = self.process.amplitude(), self.process.noise_variance()
        value, differentiate = negative_log_marginal_likelihood(
            self.gram,
            features,
            residual.detach().numpy(),
            amplitude=amplitude.item(),
            noise_variance=noise_variance.item(),
            workspace=self._room(),
            is_factorized=self.is_factorized,
        )
        self.is_factorized = False
        slopes = differentiate()
        self.left_out = tuple(left_out(slopes.inverse, slopes.residual, ends) for ends in self._ends)
        pairs = [
            (amplitude, torch.full_like(amplitude, slopes.amplitude)),
            (noise_variance, torch.full_like(noise_variance, slopes.noise_variance)),
            (residual, torch.from_numpy(slopes.residual)),
        ]
        for log_prior in self.process.log_priors():
            value -= log_prior.item()
            pairs.append((log_prior, -torch.ones_like(log_prior)))
        trained = [pair for pair in pairs if pair[0].requires_grad]
        if trained:
            torch.autograd.backward([root for root, _ in trained], [slope for _, slope in trained])
        return value

    def _room(self) -> np.ndarray:
        """For a factorisation, one at a time: fitting overwrites the posterior's, having forgotten it."""
        return self._workspace.matrix(len(self), len(self))

    def _residual(self) -> Tensor:
        return self.process.residual(self.X, self.y)
