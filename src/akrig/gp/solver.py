"""Exact inference over points that keep coming, in normalised units: training, and an up-to-date posterior."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from akrig.errors import NotFinite
from akrig.gp.fingerprint import fingerprint_of
from akrig.gp.inference import negative_log_marginal_likelihood
from akrig.gp.left_out import Ends, LeftOut, left_out
from akrig.gp.posterior import Posterior
from akrig.gp.process import Process
from akrig.gp.training import OnStep, Trainer
from akrig.kernels.gram import Gram, gram_of
from akrig.kernels.ops.scratch import Scratch
from akrig.threads import blas_threads

KEPT = ("process", "trainer", "X", "y")  # of a solver that is pickled; all else is rebuilt

Ask = Callable[[Posterior, Tensor], tuple[np.ndarray, np.ndarray]]


class Solver:
    """Factorises once per set of parameters, as late as possible, and grows the factor by rows where it can."""

    def __init__(self, process: Process, trainer: Trainer) -> None:
        self.process, self.trainer = process, trainer
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

    def fit(self, steps: int, on_step: OnStep | None, leave_out: Sequence[Ends] = ()) -> float:
        """Returns the last step's loss; ends with a factorisation at the new parameters."""
        self._notice_frozen_parameters()
        self._leave_out = leave_out
        self.gram.refresh()
        with blas_threads(len(self)):
            self.begin_with_grown_factor()
            return self.trainer.run(
                self.differentiate, steps=steps, num_readings=len(self), verify=self._settle, on_step=on_step
            )

    def condition(self) -> Posterior:
        """The posterior, up to date with points and parameters."""
        with torch.no_grad(), blas_threads(len(self)):
            return self._up_to_date_posterior()

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
        self._leave_out: Sequence[Ends] = ()
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
            self._check_finite(parameters)
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

    def _check_finite(self, parameters: np.ndarray) -> None:
        if not np.isfinite(parameters).all():
            raise NotFinite("A parameter of the kernel, the mean or the noise is NaN or infinite; load or set it anew.")
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
        self.left_out = tuple(left_out(slopes.inverse, slopes.residual, ends) for ends in self._leave_out)
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
