"""The exact Gaussian-process model: the one place where metres and sensor units meet torch and normalised numbers."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from gpytorch.kernels import Kernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.means import Mean
from torch import Tensor, nn

from akrig.errors import NotFinite
from akrig.geometry import Box
from akrig.gp.fingerprint import fingerprint_of
from akrig.gp.inference import covariance_root, negative_log_marginal_likelihood
from akrig.gp.normalize import Normalization
from akrig.gp.posterior import Posterior
from akrig.gp.process import Process
from akrig.gp.storage import read_state, write_state
from akrig.gp.threads import blas_threads
from akrig.gp.training import Trainer, Training
from akrig.kernels.gram import Gram, gram_of
from akrig.kernels.ops.scratch import Scratch
from akrig.progress import progress_bar
from akrig.types import JointPrediction, Points, Prediction, Samples

REBUILT = (
    "_posterior",
    "_workspace",
    "_spare",
    "_queries",
    "_fingerprint",
    "_conditioned_on",
)  # when a model is unpickled


class GPRegression:
    """Exact Gaussian-process regression with readings that keep coming.

    Args:
        kernel: any GPyTorch kernel, usually `ScaleKernel(AttentiveKernel...)`; it is converted to float64. A kernel
            that offers a `gram()` of its own (the attentive kernel does) is trained through it.
        noise_variance: at first, in normalised units.
        mean: "zero", "constant" (trained), or a GPyTorch mean, in normalised units.
        normalization: how points and readings are scaled; `None` takes it from the first readings observed.
        workspace: points are scaled by it instead of by the extent of the first readings.
        training: the optimiser and its learning rates.
    """

    def __init__(
        self,
        kernel: Kernel,
        *,
        noise_variance: float = 1.0,
        mean: Literal["zero", "constant"] | Mean = "zero",
        normalization: Normalization | None = None,
        workspace: Box | None = None,
        training: Training | None = None,
    ) -> None:
        if normalization is not None and workspace is not None:
            raise ValueError("Give a normalization or a workspace to scale points by, not both.")
        self._process = Process(kernel, noise_variance=noise_variance, mean=mean)
        self.normalization, self._region = normalization, workspace
        self._trainer = Trainer(self.module, training or Training())
        self._start_afresh()

    @property
    def kernel(self) -> Kernel:
        return self._process.kernel

    @property
    def likelihood(self) -> GaussianLikelihood:
        """Holds the noise variance."""
        return self._process.likelihood

    @property
    def mean(self) -> Mean:
        return self._process.mean

    @property
    def module(self) -> nn.ModuleDict:
        """Kernel, likelihood and mean: everything that has parameters."""
        return self._process.module

    @property
    def samples(self) -> Samples:
        """All readings observed so far, in the sensor's units."""
        return self._samples

    def observe(self, samples: Samples) -> None:
        """Take in new readings; the parameters stay. The next prediction extends the factorisation by them."""
        if not isinstance(samples, Samples):
            raise ValueError(f"observe takes Samples(X, y); got {type(samples).__name__}.")
        if not len(samples):
            return
        normalization = self.normalization or Normalization.from_samples(samples, workspace=self._region)
        X, y = _tensor(normalization.points(samples.X)), _tensor(normalization.values(samples.y))
        self._gram.append(X)  # first, because it may refuse
        self.normalization = normalization
        self._samples = self._samples.append(samples) if len(self._samples) else samples
        self._X = torch.cat([self._X, X]) if len(self._X) else X
        self._y = torch.cat([self._y, y])

    def fit(self, steps: int, *, progress: bool = False) -> float:
        """Train on all readings; returns the last step's loss: minus log marginal likelihood and priors, per reading.

        Ends by factorising at the new parameters, so that predictions need not. If that or a step fails, the model is
        left as it was before the call.
        """
        if steps < 1:
            raise ValueError(f"fit needs at least one step; got {steps}.")
        if not len(self._samples):
            raise ValueError("fit needs readings; observe some first.")
        self._notice_frozen_parameters()
        self._gram.refresh()
        self._begin_with_grown_factor()
        shown = progress_bar("fitting", steps, per=len(self._y)) if progress else nullcontext()
        with blas_threads(len(self._y)), shown as on_step:
            loss = self._trainer.run(self._differentiate, steps=steps, verify=self._settle, on_step=on_step)
        return loss / len(self._y)

    def condition(self) -> None:
        """Bring the factorisation up to date with readings and parameters; predictions do this by themselves."""
        with torch.no_grad(), blas_threads(len(self._y)):
            self._up_to_date_posterior()

    def predict(self, X: Points) -> Prediction:
        """Of a noisy reading at each point."""
        return self._predict(X, added_variance=self._process.noise_variance().item())

    def latent(self, X: Points) -> Prediction:
        """Of the field itself, without the sensor's noise."""
        return self._predict(X, added_variance=0.0)

    @property
    def noise_variance(self) -> float:
        """Of a reading, in the sensor's units squared."""
        return self._process.noise_variance().item() * self._scales().scale ** 2

    def joint(self, X: Points) -> JointPrediction:
        """Of the field at a set of points, with the covariance between them."""
        mean, covariance = self._answer(X, Posterior.joint, prior=self._gram.joint)
        return self._scales().restore_joint(mean, covariance)

    def sample(self, X: Points, num: int, rng: np.random.Generator) -> np.ndarray:
        """`num` draws of the whole field at points X, (num, n)."""
        joint = self.joint(X)
        prior_variance = self._process.amplitude().item() * self._scales().scale ** 2
        with blas_threads(len(joint.mean)):
            root = covariance_root(joint.covariance, rounding=1e-10 * prior_variance)
            return joint.mean + rng.standard_normal((num, len(X))) @ root.T

    def log_marginal_likelihood(self) -> float:
        """Of the normalised readings under the current parameters."""
        if not len(self._samples):
            return 0.0
        with torch.no_grad(), blas_threads(len(self._y)):
            return self._up_to_date_posterior().log_marginal_likelihood

    def save(self, path: str | Path) -> None:
        """Readings, scales, parameters and the optimiser's memory in one file, written beside and renamed."""
        write_state(
            Path(path),
            samples=self._samples,
            normalization=self.normalization,
            module=self.module.state_dict(),
            moments=self._trainer.adam.moments,
            num_factorized=self._num_factorized(),
        )

    def load(self, path: str | Path) -> None:
        """Become the model that was saved; this one must have been made the same way (kernel, mean, training)."""
        state = read_state(
            Path(path), expected=self.module.state_dict(), num_moments=len(self._trainer.adam.moments.first)
        )
        self.module.load_state_dict(state.module)
        self._trainer.adam.moments = state.moments
        self.normalization = state.normalization
        self._start_afresh()
        if state.num_factorized:  # the next fit will begin with this factorisation, as it would have then
            self.observe(state.samples.first(state.num_factorized))
            self.condition()
        self.observe(state.samples.after(state.num_factorized))

    def __getstate__(self) -> dict:
        return {name: value for name, value in vars(self).items() if name not in ("_gram", *REBUILT)}

    def __setstate__(self, state: dict) -> None:
        vars(self).update(state)
        self._make_gram()

    def _start_afresh(self) -> None:
        self.module.eval()
        self._samples = Samples.none(dim=1 if self.normalization is None else self.normalization.dim)
        self._X = torch.empty(0, 0, dtype=torch.float64)
        self._y = torch.empty(0, dtype=torch.float64)
        self._make_gram()

    def _make_gram(self) -> None:
        self._gram: Gram = gram_of(self._process.inner_kernel)
        if len(self._X):
            self._gram.append(self._X)
        self._frozen = [not p.requires_grad for p in self._trainer.adam.parameters]
        self._fingerprint = fingerprint_of(self.module)
        self._posterior: Posterior | None = None
        self._conditioned_on = np.empty(0)
        self._workspace, self._spare, self._queries = Scratch(), Scratch(), Scratch()
        self._is_factorized = False

    def _notice_frozen_parameters(self) -> None:
        """Which gram is fastest depends on what is trained."""
        if self._frozen != [not p.requires_grad for p in self._trainer.adam.parameters]:
            self._make_gram()

    def _num_factorized(self) -> int:
        current = self._posterior is not None and np.array_equal(self._fingerprint(), self._conditioned_on)
        return self._posterior.num_factorized if self._posterior is not None and current else 0

    def _begin_with_grown_factor(self) -> None:
        """The first step's factor is the last predictions' with a few rows more, if nothing else has changed."""
        posterior, self._posterior, self._is_factorized = self._posterior, None, False
        if posterior is None or self._trainer.changes_in_training:
            return
        if not np.array_equal(self._fingerprint(), self._conditioned_on):
            return
        self._workspace, self._spare = self._spare, self._workspace  # the posterior's factor is in the one we leave
        with torch.no_grad(), blas_threads(len(self._y)):
            self._is_factorized = posterior.write_grown_factor(self._room())

    def _settle(self) -> None:
        """After training: what networks remember of their batch, and the factorisation, at the new parameters."""
        if self._trainer.buffers:
            with torch.no_grad():
                self._gram.features()
        self.condition()

    def _up_to_date_posterior(self) -> Posterior:
        parameters = self._fingerprint()
        posterior, self._posterior = self._posterior, None  # forgotten if what follows fails halfway
        if posterior is None or not np.array_equal(parameters, self._conditioned_on):
            self._check_finite(parameters)
            self._trainer.forget_caches()
            self._trainer.set_mode(training=False)
            self._gram.refresh()
            posterior = Posterior(
                self._gram,
                self._residual().numpy(),
                amplitude=self._process.amplitude().item(),
                noise_variance=self._process.noise_variance().item(),
                room=self._room(),
                queries=self._queries,
            )
        elif len(posterior) < len(self._y):
            posterior.extend(self._residual().numpy())
        self._posterior, self._conditioned_on = posterior, parameters
        return posterior

    def _check_finite(self, parameters: np.ndarray) -> None:
        if not np.isfinite(parameters).all():
            raise NotFinite("A parameter of the kernel, the mean or the noise is NaN or infinite; load or set it anew.")
        if not torch.isfinite(self._residual()).all():
            raise NotFinite("The mean function is NaN or infinite at a reading; check its parameters.")

    def _differentiate(self) -> float:
        """The negative log posterior of the parameters; its gradient is added to the parameters' own."""
        features, residual = self._gram.features(), self._residual()
        amplitude, noise_variance = self._process.amplitude(), self._process.noise_variance()
        value, differentiate = negative_log_marginal_likelihood(
            self._gram,
            features,
            residual.detach().numpy(),
            amplitude=amplitude.item(),
            noise_variance=noise_variance.item(),
            workspace=self._room(),
            is_factorized=self._is_factorized,
        )
        self._is_factorized = False
        slopes = differentiate()
        pairs = [
            (amplitude, torch.full_like(amplitude, slopes.amplitude)),
            (noise_variance, torch.full_like(noise_variance, slopes.noise_variance)),
            (residual, torch.from_numpy(slopes.residual)),
        ]
        for log_prior in self._process.log_priors():
            value -= log_prior.item()
            pairs.append((log_prior, -torch.ones_like(log_prior)))
        trained = [pair for pair in pairs if pair[0].requires_grad]
        if trained:
            torch.autograd.backward([root for root, _ in trained], [slope for _, slope in trained])
        return value

    def _room(self) -> np.ndarray:
        """For a factorisation, one at a time: fitting overwrites the posterior's, having forgotten it."""
        return self._workspace.matrix(len(self._y), len(self._y))

    def _residual(self) -> Tensor:
        return self._process.residual(self._X, self._y)

    def _predict(self, X: Points, *, added_variance: float) -> Prediction:
        mean, variance = self._answer(X, Posterior.predict, prior=self._gram.diagonal)
        return self._scales().restore(mean, variance + added_variance)

    def _answer(
        self,
        X: Points,
        ask: Callable[[Posterior, Tensor], tuple[np.ndarray, np.ndarray]],
        *,
        prior: Callable[[Tensor], np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray]:
        """Mean and spread at points X, of the posterior or, before any reading, of the prior."""
        points = _tensor(self._scales().points(X))
        with torch.no_grad(), blas_threads(len(self._y)):
            mean = self._process.mean_at(points).numpy()
            if not len(self._y):
                return mean, self._process.amplitude().item() * prior(points)
            change, spread = ask(self._up_to_date_posterior(), points)
            return mean + change, spread

    def _scales(self) -> Normalization:
        if self.normalization is None:
            raise ValueError("The model has no scales yet; observe readings first, or give it a normalization.")
        return self.normalization


def _tensor(values: np.ndarray) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values))
