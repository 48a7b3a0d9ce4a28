"""Kernels that are alike everywhere: GPyTorch's own, with a lengthscale to begin with."""

import torch
from gpytorch.kernels import Kernel, MaternKernel, RBFKernel


def rbf(lengthscale: float = 0.5) -> Kernel:
    return _with_lengthscale(RBFKernel(), lengthscale)


def matern(lengthscale: float = 0.5, nu: float = 2.5) -> Kernel:
    return _with_lengthscale(MaternKernel(nu=nu), lengthscale)


def _with_lengthscale(kernel: Kernel, lengthscale: float) -> Kernel:
    kernel = kernel.double()
    kernel.lengthscale = torch.tensor(lengthscale, dtype=torch.float64)
    return kernel
