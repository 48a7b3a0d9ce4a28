"""The same model in akrig and in GPyTorch: D = 2, M = H = 10, float64."""

import gpytorch
import numpy as np
import torch
from gpytorch.kernels import Kernel, RBFKernel, ScaleKernel

from akrig import GPRegression, Normalization, Samples
from akrig.kernels import AttentiveKernel, DeepKernel, GibbsKernel


class PlainAttentiveKernel(AttentiveKernel):
    """What a GPyTorch user would write: Definition 1 in torch, differentiated by autograd."""

    fused = False


def make_kernel(name: str) -> Kernel:
    generator = torch.Generator().manual_seed(0)
    kernels = {
        "attentive": lambda: AttentiveKernel.with_network(2, generator=generator, dtype=torch.float64),
        "plain attentive": lambda: PlainAttentiveKernel.with_network(2, generator=generator, dtype=torch.float64),
        "rbf": lambda: RBFKernel().double(),
        "gibbs": lambda: GibbsKernel.with_network(2, generator=generator).double(),
        "deep": lambda: DeepKernel.with_network(2, generator=generator).double(),
    }
    return ScaleKernel(kernels[name]()).double()


def make_akrig(name: str, X: np.ndarray, y: np.ndarray) -> GPRegression:
    model = GPRegression(make_kernel(name), normalization=Normalization.identity(2))
    model.observe(Samples(X, y))
    return model


class GPyTorchModel(gpytorch.models.ExactGP):
    """GPyTorch's own path, exact (Cholesky at every size), with its usual two-group Adam."""

    def __init__(self, name: str, X: np.ndarray, y: np.ndarray) -> None:
        likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
        super().__init__(torch.from_numpy(X), torch.from_numpy(y), likelihood)
        self.mean_module = gpytorch.means.ZeroMean()
        self.covar_module = make_kernel(name)
        parameters = [p for p in self.parameters() if p.requires_grad]
        self.optimizer = torch.optim.Adam(parameters, lr=0.01)
        self.criteria = (gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, self),)  # a tuple: not a child module

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    def step(self) -> None:
        self.train()
        self.optimizer.zero_grad()
        with gpytorch.settings.max_cholesky_size(10_000):
            loss = -self.criteria[0](self(self.train_inputs[0]), self.train_targets)
        loss.backward()
        self.optimizer.step()

    def predict(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.train()  # forgets what it had conditioned on
        self.eval()
        settings = gpytorch.settings
        with torch.no_grad(), settings.max_cholesky_size(10_000), settings.fast_pred_var(False):
            posterior = self(torch.from_numpy(X))
            return posterior.mean.numpy(), posterior.variance.numpy()
