"""The exact Gaussian-process model: the one place where metres and sensor units meet torch and normalised numbers."""

from collections.abc import Callable
from contextlib import nullcontext
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from gpytorch.kernels import Kernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.means import Mean
from torch import Tensor, nn

from akrig.geometry import Box
from akrig.gp.inference import covariance_root
from akrig.gp.left_out import LeaveOut
from akrig.gp.local.growing import GrowingSamples
from akrig.gp.local.solver import LocalSolver
from akrig.gp.normalize import Normalization
from akrig.gp.posterior import Posterior
from akrig.gp.process import Process
from akrig.gp.search import largest_variance
from akrig.gp.solver import Solver
from akrig.gp.storage import State, content_from, read_content, state_from, write_content
from akrig.gp.training import Trainer, Training
from akrig.kernels.gram import Explains, split_amplitude
from akrig.progress import progress_bar
from akrig.protocols import capability
from akrig.threads import blas_threads
from akrig.types import Attention, JointPrediction, Points, Prediction, Samples, Values


class GPRegression:
    """Exact Gaussian-process regression with readings that keep coming.

    Args:
        kernel: any GPyTorch kernel, usually `ScaleKernel(AttentiveKernel...)`; it is converted to float64. A kernel
            that offers a `gram()` of its own (the attentive kernel does) is trained through it.
        noise_variance: at first, in normalised units.
        mean: "zero", "constant" (trained), or a GPyTorch mean, in normalised units.
        normalization: how points and readings are scaled; `None` takes it from the first readings observed.
        workspace: points are scaled by it instead of by the extent of the first readings.
        noise_std: of the sensor, from its data sheet, in its units: noise is never taken for less. 0 if not known.
        training: the optimiser and its learning rates.
        local_from: with more readings than that, a place is told of by those that matter for it; 0 for never.
        seed: of the draws of readings to train on, when they are so many.
    """

    def __init__(
        self,
        kernel: Kernel,
        *,
        noise_variance: float = 1.0,
        mean: Literal["zero", "constant"] | Mean = "zero",
        normalization: Normalization | None = None,
        workspace: Box | None = None,
        noise_std: float = 0.0,
        training: Training | None = None,
        local_from: int = 0,
        seed: int = 0,
    ) -> None:
        if local_from < 0:
            raise ValueError(f"local_from is a number of readings, 0 for never; got {local_from}.")
        if normalization is not None and workspace is not None:
            raise ValueError("Give a normalization or a workspace to scale points by, not both.")
        self._process = Process(kernel, noise_variance=noise_variance, mean=mean)
        if not 0 <= noise_std < np.inf:
            raise ValueError(f"noise_std must be zero or positive; got {noise_std}.")
        self._region, self._noise_std = workspace, noise_std
        self.normalization = normalization
        if normalization is not None:
            self._bound_noise()
        self._trainer = Trainer(self.module, training or Training())
        self._solver: Solver | LocalSolver = Solver(self._process, self._trainer)
        self._local_from, self._seed = local_from, seed
        self._samples = GrowingSamples(1 if normalization is None else normalization.dim)

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
        return self._samples.samples

    def observe(self, samples: Samples) -> None:
        """Take in new readings; the parameters stay. The next prediction extends the factorisation by them."""
        if not isinstance(samples, Samples):
            raise ValueError(f"observe takes Samples(X, y); got {type(samples).__name__}.")
        if not len(samples):
            return
        normalization = self.normalization or Normalization.from_samples(samples, workspace=self._region)
        X, y = _tensor(normalization.points(samples.X)), _tensor(normalization.values(samples.y))
        self._solver.append(X, y)  # first, because it may refuse
        if self.normalization is None:
            self.normalization = normalization
            self._bound_noise()
        self._samples.append(samples)
        if isinstance(self._solver, Solver) and 0 < self._local_from < len(self._solver):
            exact = self._solver  # whose memory, which is large, is free when it goes
            self._solver = LocalSolver(self._process, self._trainer, exact.X, exact.y, seed=self._seed)

    def fit(self, steps: int, *, progress: bool = False, leave_out: LeaveOut | None = None) -> float:
        """Train on all readings; returns the last step's loss: minus log marginal likelihood and priors, per reading.

        Ends by factorising at the new parameters, so that predictions need not. If that or a step fails, the model is
        left as it was before the call.

        Args:
            progress: show a bar.
            leave_out: gives ends of stretches of readings; `left_out` tells what all others say of each.
        """
        if steps < 1:
            raise ValueError(f"fit needs at least one step; got {steps}.")
        if not len(self._samples):
            raise ValueError("fit needs readings; observe some first.")
        shown = progress_bar("fitting", steps, per=len(self._samples)) if progress else nullcontext()
        with shown as on_step:
            return self._solver.fit(steps, on_step, leave_out) / len(self._samples)

    def rescale(self, *, offset: float, scale: float) -> None:
        """Readings are seen at another scale from now on; parameters stay what they are, in normalised units."""
        self.normalization = replace(self._scales(), offset=offset, scale=scale)
        self._solver.replace_targets(_tensor(self.normalization.values(self.samples.y)))
        self._bound_noise()

    def remember(self) -> Callable[[], None]:
        """A function that makes the model forget what it learns from now on; readings that it observes stay."""
        snapshot, scales = self._trainer.snapshot(), self.normalization

        def forget() -> None:
            snapshot.put_back()
            if scales is not None and scales is not self.normalization:
                self.rescale(offset=scales.offset, scale=scales.scale)

        return forget

    def share_correlations(self, other: "GPRegression") -> None:
        """Keep one set of the base kernels' correlations with a model of the same readings, if they are the same."""
        if isinstance(self._solver, Solver) and isinstance(other._solver, Solver):
            self._solver.share_correlations(other._solver)

    def refresh(self) -> None:
        """Bring up to date what models may share: base kernels' correlations."""
        self._solver.refresh()

    @property
    def local(self) -> LocalSolver | None:
        """What tells of each place by the readings that matter for it; `None` as long as all readings tell of all."""
        return self._solver if isinstance(self._solver, LocalSolver) else None

    def condition(self) -> Posterior:
        """Bring the factorisation up to date with readings and parameters; predictions do this by themselves."""
        if not isinstance(self._solver, Solver):
            raise ValueError(
                f"One factorisation of all {len(self._samples)} is too large; a model with local_from = 0 makes it, in "
                "minutes and gigabytes."
            )
        return self._solver.condition()

    def predict(self, X: Points) -> Prediction:
        """Of a noisy reading at each point."""
        return self._predict(X, noisy=True)

    def latent(self, X: Points) -> Prediction:
        """Of the field itself, without the sensor's noise."""
        return self._predict(X, noisy=False)

    def most_uncertain(self, X: Points) -> int:
        """Which of the points `predict` would give the largest variance; faster than predicting at all of them."""
        if self.kernel.is_stationary or not len(self._samples) or self.local is not None:
            # Variances are too much alike, or no one factorisation tells of them.
            return int(np.argmax(self.predict(X).variance))
        with torch.no_grad(), blas_threads(len(self._samples)):
            return largest_variance(self.condition(), self.points(X))

    @property
    def for_planning(self) -> "GPRegression":
        """This model as it is now; with very many readings, at a glance."""
        if self.local is None:
            return self
        twin = copy(self)
        twin._solver = self.local.for_planning
        return twin

    def explain(self, X: Points) -> Attention | None:
        """How far the kernel sees at each point, in metres; `None` if it is none that can tell."""
        kernel = capability(split_amplitude(self.kernel)[1], Explains)
        if kernel is None or self.normalization is None:
            return None
        said = kernel.explain(self.points(X))
        return None if said is None else said.scaled(float(np.mean(self.normalization.radius)))

    @property
    def noise_variance(self) -> float:
        """Of a reading, in the sensor's units squared."""
        return self._process.noise_variance().item() * self._scales().scale ** 2

    def joint(self, X: Points) -> JointPrediction:
        """Of the field at a set of points, with the covariance between them."""
        return self._scales().restore_joint(*self._solver.joint(self.points(X)))

    def leave_one_out(self) -> Prediction:
        """Of each reading, given all others at these parameters."""
        if not len(self._samples):
            return Prediction(np.empty(0), np.empty(0))
        with torch.no_grad(), blas_threads(len(self._samples)):
            return self._left_out(self.samples.y, *self.condition().leave_one_out())

    @property
    def left_out(self) -> list[Prediction]:
        """Of each reading as the last `fit` was asked to leave it out, at the parameters before its last step."""
        y = self.samples.y[self.left_out_places]
        return [self._left_out(y, each.residual, each.variance) for each in self._solver.left_out]

    @property
    def left_out_places(self) -> np.ndarray:
        """The numbers of those readings: of all, unless they are so many that a fit is told of some only."""
        return self._solver.left_out_places

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
        return self.condition().log_marginal_likelihood

    def save(self, path: str | Path) -> None:
        """Readings, scales, parameters and the optimiser's memory in one file, written beside and renamed."""
        write_content(Path(path), content_from(self.state))

    def load(self, path: str | Path) -> None:
        """Become the model that was saved; this one must have been made the same way (kernel, mean, training)."""
        self.restore(self.read(Path(path), read_content(Path(path))))

    @property
    def state(self) -> State:
        """All that it takes to go on from here, as it is now."""
        module = {name: value.clone() for name, value in self.module.state_dict().items()}
        moments = self._trainer.adam.moments.copy()
        return State(self.samples, self.normalization, module, moments, self._solver.num_factorized)

    def read(self, path: Path, content: dict[str, Any]) -> State:
        """A state from a file's content, checked to be one of a model like this."""
        num_moments = len(self._trainer.adam.moments.first)
        return state_from(path, content, expected=self.module.state_dict(), num_moments=num_moments)

    def restore(self, state: State) -> None:
        """Go on from a state of a model that was made the same way."""
        self.module.load_state_dict(state.module)
        self._trainer.adam.moments, self.normalization = state.moments, state.normalization
        self._solver = Solver(self._process, self._trainer)
        self._samples = GrowingSamples(state.samples.dim)
        if state.num_factorized:  # the next fit will begin with this factorisation, as it would have then
            self.observe(state.samples.first(state.num_factorized))
            if self.local is None:
                self.condition()
        self.observe(state.samples.after(state.num_factorized))

    def _predict(self, X: Points, *, noisy: bool) -> Prediction:
        return self.restored(*self._solver.predict(self.points(X)), noisy=noisy)

    def points(self, X: Points) -> Tensor:
        """Checked and normalised."""
        return _tensor(self._scales().points(X))

    def mean_at(self, points: Tensor) -> np.ndarray:
        """The mean function, normalised."""
        return self._process.mean_at(points).numpy()

    def restored(self, mean: np.ndarray, variance: np.ndarray, *, noisy: bool) -> Prediction:
        """From normalised to the sensor's units."""
        added = self._process.noise_variance().item() if noisy else 0.0
        return self._scales().restore(mean, variance + added)

    def _left_out(self, y: Values, residual: np.ndarray, variance: np.ndarray) -> Prediction:
        scale = self._scales().scale
        return Prediction(y - scale * residual, scale**2 * variance)

    def _bound_noise(self) -> None:
        if self._noise_std:
            self._process.bound_noise_variance((self._noise_std / self._scales().scale) ** 2)

    def _scales(self) -> Normalization:
        if self.normalization is None:
            raise ValueError("The model has no scales yet; observe readings first, or give it a normalization.")
        return self.normalization


def _tensor(values: np.ndarray) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values))
