"""The attentive kernel in a sparse variational GP (SVGP), trained by minibatches on more data than exact GPs take."""

import gpytorch
import torch
from gpytorch.kernels import ScaleKernel
from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy

from akrig import AttentiveKernel

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)


class Model(gpytorch.models.ApproximateGP):
    def __init__(self, inducing_points):
        distribution = CholeskyVariationalDistribution(len(inducing_points))
        super().__init__(VariationalStrategy(self, inducing_points, distribution, learn_inducing_locations=True))
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = ScaleKernel(AttentiveKernel.with_network(dim=2, shortest=0.05))

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def main(num: int = 2000, epochs: int = 8, batch: int = 250) -> tuple[float, float]:
    X = torch.rand(num, 2) * 2 - 1
    y = torch.where(X[:, 0] > 0, torch.sin(12 * X[:, 0]), 0.2 * X[:, 1]) + 0.05 * torch.randn(num)
    model, likelihood = Model(X[:100].clone()), gpytorch.likelihoods.GaussianLikelihood()
    mll = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=num)
    trainable = [p for p in [*model.parameters(), *likelihood.parameters()] if p.requires_grad]
    optimizer = torch.optim.Adam(trainable, lr=0.02)
    losses = []
    for _ in range(epochs):
        for begin in range(0, num, batch):
            optimizer.zero_grad()
            loss = -mll(model(X[begin : begin + batch]), y[begin : begin + batch])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    print(f"{num} readings, minibatches of {batch}: loss from {losses[0]:.3f} to {losses[-1]:.3f}")
    return losses[0], losses[-1]


if __name__ == "__main__":
    main()
