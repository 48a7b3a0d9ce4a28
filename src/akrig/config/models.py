"""From settings to a kernel and a model."""

import torch
from gpytorch.kernels import Kernel, ScaleKernel

from akrig.config.own_parts import make_part
from akrig.config.settings import KernelSettings, Settings
from akrig.geometry import Box
from akrig.gp import Training
from akrig.protocols import Model
from akrig.randomness import Randomness


def build_kernel(settings: KernelSettings, *, dim: int, generator: torch.Generator) -> Kernel:
    """With its amplitude."""
    kernel = make_part("kernel", settings, dim=dim, generator=generator, dtype=torch.float64)
    if not isinstance(kernel, ScaleKernel):
        kernel = ScaleKernel(kernel).double()
        kernel.outputscale = settings.amplitude
    return kernel


def build_model(settings: Settings, *, workspace: Box) -> Model:
    training, randomness = settings.training, Randomness(settings.seed)

    def make_kernel(member: int = 0) -> Kernel:
        """The mission's; further members of a model that has several have networks of their own."""
        generator = torch.Generator().manual_seed(randomness.integer("network", member))
        return build_kernel(settings.kernel, dim=workspace.dim, generator=generator)

    return make_part(
        "model",
        settings.model,
        workspace=workspace,
        kernel=make_kernel(),
        make_kernel=make_kernel,
        seed=settings.seed,
        noise_std=_known_noise(settings),
        training=Training(training.optimizer, training.learning_rate, training.network_learning_rate),
    )


def _known_noise(settings: Settings) -> float:
    """Of a sensor that is simulated; what a real one is like, nobody has said. 0 if not known."""
    is_simulated = settings.survey is None and settings.vehicle.part.reads in ("at waypoints", "on its way")
    return settings.sensor.noise_std if is_simulated else 0.0
