"""The attentive kernel in a BoTorch `SingleTaskGP`: fit it, then optimise an acquisition function over it."""

import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from gpytorch.kernels import ScaleKernel
from gpytorch.mlls import ExactMarginalLogLikelihood

from akrig import AttentiveKernel

torch.manual_seed(0)


def objective(X: torch.Tensor) -> torch.Tensor:
    """Gentle on the left, a narrow peak on the right."""
    peak = torch.exp(-((X - torch.tensor([0.8, 0.3], dtype=X.dtype)) ** 2).sum(-1, keepdim=True) / 0.02)
    return 0.2 * X[..., :1] + peak


def main(readings: int = 25) -> tuple[torch.Tensor, float]:
    bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
    X = torch.rand(readings, 2, dtype=torch.float64)
    y = objective(X)
    kernel = ScaleKernel(AttentiveKernel.with_network(dim=2, shortest=0.05, dtype=torch.float64))
    model = SingleTaskGP(X, y, covar_module=kernel)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model), optimizer_kwargs={"options": {"maxiter": 50}})
    acquisition = LogExpectedImprovement(model, best_f=y.max())
    point, value = optimize_acqf(acquisition, bounds=bounds, q=1, num_restarts=4, raw_samples=64)
    print(f"Measure next at {[round(v, 3) for v in point[0].tolist()]} (log expected improvement {value.item():.2f}).")
    return point, value.item()


if __name__ == "__main__":
    main()
