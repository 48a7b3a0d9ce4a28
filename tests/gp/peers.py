"""The same model in GPyTorch, for a second opinion."""

import gpytorch
import torch

from akrig.gp import GPRegression


class ExactGP(gpytorch.models.ExactGP):
    def __init__(self, X, y, likelihood, mean, kernel):
        super().__init__(X, y, likelihood)
        self.mean_module, self.covar_module = mean, kernel

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def as_gpytorch(model: GPRegression) -> ExactGP:
    """Shares the model's own modules and holds its readings in normalised units."""
    normalization = model.normalization
    assert normalization is not None
    X = torch.from_numpy(normalization.points(model.samples.X))
    y = torch.from_numpy(normalization.values(model.samples.y))
    return ExactGP(X, y, model.likelihood, model.mean, model.kernel)


def gpytorch_loss(peer: ExactGP) -> torch.Tensor:
    """Negative log marginal likelihood per reading, by Cholesky."""
    peer.train()
    mll = gpytorch.mlls.ExactMarginalLogLikelihood(peer.likelihood, peer)
    with gpytorch.settings.max_cholesky_size(10_000), gpytorch.settings.fast_computations(log_prob=False):
        return -mll(peer(peer.train_inputs[0]), peer.train_targets)


def gpytorch_posterior(peer: ExactGP, X: torch.Tensor):
    peer.eval()
    with torch.no_grad(), gpytorch.settings.fast_computations(solves=False, covar_root_decomposition=False):
        return peer(X)
