"""From settings to a mission."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from akrig.config.models import build_model
from akrig.config.own_parts import find_metric
from akrig.config.settings import Settings
from akrig.config.strategies import build_pilot, build_strategy
from akrig.config.vehicles import box, build_field, build_vehicle
from akrig.fields import GridField
from akrig.geometry import Box
from akrig.metric_parts import own_metrics
from akrig.metrics import ScoreFunction, Scoring
from akrig.mission import Mission
from akrig.protocols import Field, Model, Vehicle
from akrig.randomness import Randomness
from akrig.types import Points


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
    return Scoring(workspace, tuple(settings.scoring.grid), field, inside, tuple(own))


def _open_part(field: Field | None) -> Callable[[Points], np.ndarray] | None:
    """Where a raster has no data there is nothing to read: no place to send a vehicle."""
    if not isinstance(field, GridField) or np.isfinite(field.values).all():
        return None
    return lambda X: np.isfinite(field(X))
