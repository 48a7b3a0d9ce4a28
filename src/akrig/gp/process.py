"""The parts of a Gaussian process that have parameters: kernel, noise and mean, in normalised units."""

import numpy as np
import torch
from gpytorch.constraints import GreaterThan
from gpytorch.kernels import Kernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.means import ConstantMean, Mean, ZeroMean
from torch import Tensor, nn

from akrig.errors import NotFinite
from akrig.gp.fingerprint import fingerprint_of
from akrig.kernels.gram import split_amplitude

SMALLEST_NOISE_VARIANCE = 1e-6


class Process:
    """A kernel as amplitude times the rest, a noise variance, a mean, and the priors on all of their parameters."""

    def __init__(self, kernel: Kernel, *, noise_variance: float, mean: str | Mean) -> None:
        if kernel.batch_shape:
            raise ValueError(f"GPRegression needs a kernel without batch shape; got {tuple(kernel.batch_shape)}.")
        if kernel.num_outputs_per_input(torch.zeros(1, 1), torch.zeros(1, 1)) != 1:
            raise ValueError(
                f"GPRegression needs a kernel with one output per point; {type(kernel).__name__} has more."
            )
        if not noise_variance > SMALLEST_NOISE_VARIANCE:
            raise ValueError(f"noise_variance must exceed {SMALLEST_NOISE_VARIANCE}; got {noise_variance}.")
        self.kernel = kernel.double()
        self._noise_bound = GreaterThan(SMALLEST_NOISE_VARIANCE)
        self.likelihood = GaussianLikelihood(noise_constraint=self._noise_bound).double()
        self.likelihood.noise = torch.tensor(noise_variance, dtype=torch.float64)
        self.mean = _mean_module(mean).double()
        self.module = nn.ModuleDict({"kernel": self.kernel, "likelihood": self.likelihood, "mean": self.mean})
        self._scale, self.inner_kernel = split_amplitude(self.kernel)
        self._numbers = fingerprint_of(self.module)
        self._priors = [prior for part in (self.kernel, self.likelihood, self.mean) for prior in part.named_priors()]

    def amplitude(self) -> Tensor:
        return torch.tensor(1.0, dtype=torch.float64) if self._scale is None else self._scale.outputscale

    def noise_variance(self) -> Tensor:
        return self.likelihood.noise

    def bound_noise_variance(self, least: float) -> None:
        """From now on it exceeds this; what was learnt of it beyond its bound stays."""
        self._noise_bound.lower_bound.fill_(max(least, SMALLEST_NOISE_VARIANCE))

    def mean_at(self, X: Tensor) -> Tensor:
        mean = self.mean(X)
        assert isinstance(mean, Tensor)
        return mean

    def residual(self, X: Tensor, y: Tensor) -> Tensor:
        """Targets minus mean."""
        return y if isinstance(self.mean, ZeroMean) else y - self.mean_at(X)

    def check_finite(self) -> None:
        """Of all parameters, and what networks remember."""
        if not np.isfinite(self._numbers()).all():
            raise NotFinite("A parameter of the kernel, the mean or the noise is NaN or infinite; load or set it anew.")

    def log_priors(self) -> list[Tensor]:
        return [prior.log_prob(closure(owner)).sum() for _, owner, prior, closure, _ in self._priors]


def _mean_module(mean: str | Mean) -> Mean:
    if isinstance(mean, Mean):
        return mean
    if mean not in ("zero", "constant"):
        raise ValueError(f'mean is "zero", "constant" or a GPyTorch mean; got {mean!r}.')
    return ZeroMean() if mean == "zero" else ConstantMean()
