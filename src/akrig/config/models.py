"""From settings to a kernel and a model."""

from collections.abc import Callable

import torch
from gpytorch.kernels import Kernel, MaternKernel, RBFKernel, ScaleKernel

from akrig.config.own_parts import make_part
from akrig.config.settings import KernelSettings, Settings
from akrig.geometry import Box
from akrig.gp import GPRegression, Training
from akrig.kernels import AttentiveKernel, DeepKernel, GibbsKernel
from akrig.randomness import Randomness


def build_kernel(settings: KernelSettings, *, dim: int, generator: torch.Generator) -> Kernel:
    """With its amplitude."""
    makers: dict[str, Callable[[], Kernel]] = {
        "attentive": lambda: AttentiveKernel.with_network(
            dim,
            num_lengthscales=settings.num_lengthscales,
            shortest=settings.shortest,
            longest=settings.longest,
            family=settings.family,
            selection=settings.selection,
            hidden=settings.hidden,
            generator=generator,
            dtype=torch.float64,
        ),
        "rbf": lambda: _with_lengthscale(RBFKernel(), settings.lengthscale),
        "matern": lambda: _with_lengthscale(MaternKernel(nu=settings.nu), settings.lengthscale),
        "gibbs": lambda: GibbsKernel.with_network(dim, hidden=settings.hidden, generator=generator),
        "deep": lambda: DeepKernel.with_network(
            dim,
            hidden=settings.hidden,
            num_features=settings.num_features,
            base_kernel=_with_lengthscale(RBFKernel(), settings.lengthscale),
            generator=generator,
        ),
    }
    if settings.name in makers:
        kernel = makers[settings.name]()
    else:
        kernel = make_part("kernel", settings.name, settings.options, dim=dim, generator=generator)
    if not isinstance(kernel, ScaleKernel):
        kernel = ScaleKernel(kernel).double()
        kernel.outputscale = settings.amplitude
    return kernel


def build_model(settings: Settings, *, workspace: Box) -> GPRegression:
    generator = torch.Generator().manual_seed(Randomness(settings.seed).integer("network"))
    training = settings.training
    return GPRegression(
        build_kernel(settings.kernel, dim=workspace.dim, generator=generator),
        noise_variance=settings.model.noise_variance,
        mean=settings.model.mean,
        workspace=workspace if settings.model.normalization == "workspace" else None,
        training=Training(training.optimizer, training.learning_rate, training.network_learning_rate),
    )


def _with_lengthscale(kernel: Kernel, lengthscale: float) -> Kernel:
    kernel = kernel.double()
    kernel.lengthscale = torch.tensor(lengthscale, dtype=torch.float64)
    return kernel
