"""The attentive kernel in a plain GPyTorch `ExactGP`: one class, dropped in."""

import gpytorch
import torch
from gpytorch.kernels import ScaleKernel

from akrig import AttentiveKernel

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)


class Model(gpytorch.models.ExactGP):
    def __init__(self, X, y, likelihood):
        super().__init__(X, y, likelihood)
        self.mean_module = gpytorch.means.ZeroMean()
        self.covar_module = ScaleKernel(AttentiveKernel.with_network(dim=2))

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def main(steps: int = 200) -> float:
    X = torch.rand(200, 2) * 2 - 1
    y = torch.where(X[:, 0] > 0, torch.sin(12 * X[:, 0]), 0.2 * X[:, 1]) + 0.05 * torch.randn(200)
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = Model(X, y, likelihood)
    mll = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.02)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = -mll(model(X), y)
        loss.backward()
        optimizer.step()
    print(f"Loss after {steps} steps: {loss.item():.3f}")
    ends = torch.tensor([[-0.8, 0.0], [0.8, 0.0]])
    smooth, rough = model.covar_module.base_kernel.effective_lengthscale(ends).tolist()
    print(f"Effective lengthscale: {smooth:.2f} where the field is smooth, {rough:.2f} where it is rough.")
    return loss.item()


if __name__ == "__main__":
    main()
