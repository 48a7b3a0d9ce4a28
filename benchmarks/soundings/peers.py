"""Sparse Gaussian processes of GPyTorch, with the kernel that akrig maps with, trained for equally long."""

import time
import warnings
from collections.abc import Callable
from typing import Any

import gpytorch
import numpy as np
import torch
from gpytorch.kernels import ScaleKernel
from gpytorch.variational import (
    CholeskyVariationalDistribution,
    MeanFieldVariationalDistribution,
    NNVariationalStrategy,
    VariationalStrategy,
)
from scipy.cluster.vq import kmeans2
from torch import Tensor

from akrig import AttentiveKernel
from akrig.types import Points, Prediction, Samples

INDUCING = 500
BATCH, LEARNING_RATE = 1024, 0.02
SUBSET = 5000  # soundings that a step of the collapsed bound sees
NEIGHBOURS, NEIGHBOUR_BATCH = 32, 256
JITTER = 1e-6
CHUNK = 4000


def kernel() -> ScaleKernel:
    """That of akrig's default settings."""
    return ScaleKernel(
        AttentiveKernel.with_network(
            dim=2, family="matern52", shortest=0.02, longest=2.0, spacing="geometric", num_lengthscales=10
        )
    ).double()


class Scaled:
    """Places in [-1, 1], depths with mean 0 and variance 1."""

    def __init__(self, known: Samples) -> None:
        lower, upper = known.X.min(axis=0), known.X.max(axis=0)
        self._centre, self._radius = (lower + upper) / 2, (upper - lower) / 2
        self._mean, self._std = float(known.y.mean()), float(known.y.std())
        self.X = self.points(known.X)
        self.y = torch.from_numpy((known.y - self._mean) / self._std)

    def points(self, X: Points) -> Tensor:
        return torch.from_numpy((X - self._centre) / self._radius)

    def restored(self, mean: Tensor, variance: Tensor) -> Prediction:
        return Prediction(self._mean + self._std * mean.numpy(), self._std**2 * variance.numpy())


def until(seconds: float, step: Callable[[], Any]) -> int:
    """So many seconds of this process's time; returns the steps."""
    begin, steps = time.process_time(), 0
    while time.process_time() - begin < seconds:
        step()
        steps += 1
    return steps


def centres(X: Tensor) -> Tensor:
    return torch.from_numpy(kmeans2(X.numpy()[::10], INDUCING, seed=0, minit="++")[0])


class _Sparse(gpytorch.models.ApproximateGP):
    def __init__(self, strategy: Callable[["_Sparse"], Any]) -> None:
        super().__init__(strategy(self))
        self.mean_module, self.covar_module = gpytorch.means.ConstantMean(), kernel()

    def forward(self, x: Tensor) -> Any:
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


class Variational:
    """SVGP, or VNNGP: whatever the strategy is.

    Args:
        batches: places and depths to learn from next; places are `None` where the strategy draws them itself.
    """

    def __init__(
        self, data: Scaled, strategy: Callable[[_Sparse], Any], batches: Callable[["Variational"], tuple[Any, Tensor]]
    ) -> None:
        self._data, self._batches = data, batches
        self.model, self.likelihood = _Sparse(strategy).double(), gpytorch.likelihoods.GaussianLikelihood().double()
        self.likelihood.noise = 0.1
        self._bound = gpytorch.mlls.VariationalELBO(self.likelihood, self.model, num_data=len(data.y))
        trainable = [p for p in [*self.model.parameters(), *self.likelihood.parameters()] if p.requires_grad]
        self._optimizer = torch.optim.Adam(trainable, lr=LEARNING_RATE)

    def fit(self, seconds: float) -> int:
        self.model.train()
        return until(seconds, self._step)

    def _step(self) -> None:
        self._optimizer.zero_grad()
        x, y = self._batches(self)
        loss = -self._bound(self.model(x), y() if callable(y) else y)
        loss.backward()
        self._optimizer.step()

    def predict(self, X: Points) -> Prediction:
        self.model.eval()
        points, means, variances = self._data.points(X), [], []
        with torch.no_grad():
            for chunk in points.split(NEIGHBOUR_BATCH):
                said = self.model(chunk)
                means.append(said.mean)
                variances.append(said.variance + self.likelihood.noise)
        return self._data.restored(torch.cat(means), torch.cat(variances))


def svgp(known: Samples) -> Variational:
    data, generator = Scaled(known), torch.Generator().manual_seed(0)

    def strategy(model: _Sparse) -> Any:
        places = centres(data.X)
        return VariationalStrategy(
            model, places, CholeskyVariationalDistribution(len(places)), learn_inducing_locations=True
        )

    def batch(_: Variational) -> tuple[Tensor, Tensor]:
        rows = torch.randint(len(data.y), (BATCH,), generator=generator)
        return data.X[rows], data.y[rows]

    return Variational(data, strategy, batch)


def vnngp(known: Samples) -> Variational:
    """Every sounding is an inducing point, in random order; what is known of each begins at the sounding itself."""
    order = np.random.default_rng(0).permutation(len(known))
    data = Scaled(Samples(known.X[order], known.y[order]))

    def strategy(model: _Sparse) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ImportWarning)
            return NNVariationalStrategy(
                model,
                data.X,
                MeanFieldVariationalDistribution(len(data.y)),
                k=NEIGHBOURS,
                training_batch_size=NEIGHBOUR_BATCH,
            )

    def batch(peer: Variational) -> tuple[None, Any]:
        return None, lambda: data.y[peer.model.variational_strategy.current_training_indices]

    made = Variational(data, strategy, batch)
    inside: Any = made.model.variational_strategy
    inside._variational_distribution.variational_mean.data.copy_(data.y)
    inside._variational_distribution._variational_stddev.data.fill_(0.1)
    inside.variational_params_initialized.fill_(1)
    return made


class Collapsed:
    """Titsias' bound with inducing points, as POAM learns: the kernel by soundings drawn anew at every step, the
    posterior by all."""

    def __init__(self, known: Samples) -> None:
        self._data, self._generator = Scaled(known), torch.Generator().manual_seed(0)
        self.kernel, self._mean = kernel(), torch.zeros(1, requires_grad=True, dtype=torch.float64)
        self._places = centres(self._data.X).requires_grad_()
        self._log_noise = torch.tensor(np.log(0.1), requires_grad=True)
        self._optimizer = torch.optim.Adam(
            [*self.kernel.parameters(), self._mean, self._places, self._log_noise], lr=LEARNING_RATE
        )

    def fit(self, seconds: float) -> int:
        return until(seconds, self._step)

    def _step(self) -> None:
        self._optimizer.zero_grad()
        rows = torch.randint(len(self._data.y), (SUBSET,), generator=self._generator)
        loss = -self._bound(self._data.X[rows], self._data.y[rows]) / SUBSET
        loss.backward()
        self._optimizer.step()

    def _bound(self, X: Tensor, y: Tensor) -> Tensor:
        noise, residual = self._log_noise.exp(), y - self._mean
        A = torch.linalg.solve_triangular(self._root(), self._cross(X), upper=False)
        B = torch.eye(len(A), dtype=torch.float64) + A @ A.T / noise
        L = torch.linalg.cholesky(B)
        c = torch.linalg.solve_triangular(L, (A @ residual / noise)[:, None], upper=False)
        unexplained = self.kernel(X, diag=True).sum() - (A * A).sum()
        return (
            -0.5 * len(y) * torch.log(2 * torch.pi * noise)
            - L.diagonal().log().sum()
            - 0.5 * residual @ residual / noise
            + 0.5 * (c * c).sum()
            - 0.5 * unexplained / noise
        )

    def _root(self) -> Tensor:
        K = self.kernel(self._places).to_dense()
        return torch.linalg.cholesky(K + JITTER * torch.eye(len(K), dtype=torch.float64) * K.diagonal().mean())

    def _cross(self, X: Tensor) -> Tensor:
        return self.kernel(self._places, X).to_dense()

    @torch.no_grad()
    def predict(self, X: Points) -> Prediction:
        root, noise, data = self._root(), self._log_noise.exp(), self._data
        B, b = torch.eye(len(root), dtype=torch.float64), torch.zeros(len(root), dtype=torch.float64)
        for x, y in zip(data.X.split(CHUNK), data.y.split(CHUNK), strict=True):
            A = torch.linalg.solve_triangular(root, self._cross(x), upper=False)
            B += A @ A.T / noise
            b += A @ (y - self._mean) / noise
        L = torch.linalg.cholesky(B)
        weights = torch.cholesky_solve(b[:, None], L)[:, 0]
        means, variances = [], []
        for x in data.points(X).split(CHUNK):
            A = torch.linalg.solve_triangular(root, self._cross(x), upper=False)
            C = torch.linalg.solve_triangular(L, A, upper=False)
            means.append(self._mean + A.T @ weights)
            left = self.kernel(x, diag=True) - (A * A).sum(dim=0) + (C * C).sum(dim=0)
            variances.append(left + noise)
        return data.restored(torch.cat(means), torch.cat(variances))
