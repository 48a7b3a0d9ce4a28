"""From settings to a kernel, a model and a mission."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from gpytorch.kernels import Kernel, ScaleKernel

from akrig.config.own_parts import find_metric, make_part
from akrig.config.settings import KernelSettings, Settings
from akrig.config.vehicles import box, build_field, build_pilot, build_strategy, build_vehicle
from akrig.errors import ConfigError
from akrig.fields import GridField
from akrig.geometry import Box
from akrig.gp import Training
from akrig.gp.difference import DifferenceModel
from akrig.metric_parts import own_metrics
from akrig.metrics import ScoreFunction, Scoring
from akrig.mission import Mission
from akrig.protocols import Field, Model, Vehicle
from akrig.randomness import Randomness
from akrig.types import Points


def build_kernel(settings: KernelSettings, *, dim: int, generator: torch.Generator) -> Kernel:
    """With its amplitude."""
    kernel = make_part("kernel", settings, dim=dim, generator=generator, dtype=torch.float64)
    if not isinstance(kernel, ScaleKernel):
        kernel = ScaleKernel(kernel).double()
        kernel.outputscale = settings.amplitude
    return kernel


def build_model(settings: Settings, *, workspace: Box) -> Model:
    training, randomness = settings.training, Randomness(settings.seed)
    # Only the noise of a sensor that is simulated is known; what a real one is like, nobody has said.
    is_simulated = settings.survey is None and settings.vehicle.part.reads in ("at waypoints", "on its way")

    def make_kernel(member: int = 0) -> Kernel:
        """The mission's; further members of a model that has several have networks of their own."""
        generator = torch.Generator().manual_seed(randomness.integer("network", member))
        return build_kernel(settings.kernel, dim=workspace.dim, generator=generator)

    model = make_part(
        "model",
        settings.model,
        workspace=workspace,
        kernel=make_kernel(),
        make_kernel=make_kernel,
        seed=settings.seed,
        noise_std=settings.sensor.noise_std if is_simulated else 0.0,
        training=Training(
            training.optimizer, training.learning_rate, training.network_learning_rate, training.full_steps
        ),
    )
    return model if settings.model.prior_map is None else _with_prior_map(model, settings, workspace)


def _with_prior_map(model: Model, settings: Settings, workspace: Box) -> Model:
    if settings.frame is None:
        raise ConfigError(
            "model.prior_map", ["only surveys, and logs with latitude and longitude, lie on Earth as a map does"]
        )
    from akrig.fields.prior import read_prior  # only these need it
    from akrig.frame import LocalFrame

    frame = LocalFrame(settings.frame.longitude, settings.frame.latitude)
    return DifferenceModel(model, read_prior(Path(settings.model.prior_map or ""), frame=frame, workspace=workspace))


@dataclass(frozen=True)
class Parts:
    """A mission, and what its consumers want to know."""

    mission: Mission
    model: Model
    field: Field | None
    scoring: Scoring


def build_mission(
    settings: Settings, *, wrap: Callable[[Vehicle], Vehicle] = lambda vehicle: vehicle, first_leg: int = 0
) -> Parts:
    """All parts, made anew from resolved settings.

    Args:
        wrap: put around the vehicle, for instance a journal.
        first_leg: see `build_vehicle`.
    """
    randomness = Randomness(settings.seed)
    field = build_field(settings)
    workspace = box(settings.workspace)
    assert workspace is not None
    model = build_model(settings, workspace=workspace)
    mission = Mission(
        model=model,
        vehicle=wrap(build_vehicle(settings, field, workspace, randomness, first_leg=first_leg)),
        pilot=build_pilot(settings),
        strategy=build_strategy(settings),
        workspace=workspace,
        budget=settings.budget.budget,
        randomness=randomness,
        steps_per_reading=settings.training.steps_per_reading,
        pilot_steps=settings.training.pilot_steps,
        is_open=_open_part(field),
    )
    return Parts(mission, model, field, build_scoring(settings, workspace, field=field))


def build_scoring(
    settings: Settings, workspace: Box, *, field: Field | None, inside: Callable[[Points], np.ndarray] | None = None
) -> Scoring:
    own = [ScoreFunction(name, find_metric(m.where)) for name, m in own_metrics(settings.model_dump()).items()]
    shared = None if settings.survey is None else settings.survey.depth.shared
    return Scoring(workspace, tuple(settings.scoring.grid), field, inside, tuple(own), shared)


def _open_part(field: Field | None) -> Callable[[Points], np.ndarray] | None:
    """Where a raster has no data there is nothing to read: no place to send a vehicle."""
    if not isinstance(field, GridField) or np.isfinite(field.values).all():
        return None
    return lambda X: np.isfinite(field(X))
