"""From settings to a mission."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from akrig.config.models import build_model
from akrig.config.settings import Corners, ScoringSettings, Settings
from akrig.config.strategies import build_pilot, build_strategy
from akrig.config.vehicles import box, build_field, build_vehicle
from akrig.errors import ConfigError
from akrig.geometry import Box
from akrig.gp import GPRegression
from akrig.metrics import Scoring
from akrig.mission import Mission
from akrig.protocols import Field, Vehicle
from akrig.randomness import Randomness
from akrig.strategies import Lawnmower
from akrig.types import Budget

READINGS_PER_SIDE = 20  # of the workspace's shorter side, as in the paper
MARGIN = 10 / 11  # the paper's workspace in its field: room to turn


@dataclass(frozen=True)
class Parts:
    """A mission, and what its consumers want to know."""

    mission: Mission
    model: GPRegression
    field: Field | None
    scoring: Scoring


def resolve(settings: Settings) -> Settings:
    """Every choice that was left open, made; what depends on the field is checked against it."""
    field = build_field(settings)
    workspace = _workspace(settings, field)
    vehicle, strategy = settings.vehicle, settings.strategy
    name = vehicle.name or ("teleport" if strategy.name in ("random", "active") else "simulated")
    spacing = vehicle.spacing or min(workspace.size) / READINGS_PER_SIDE
    if name == "simulated" and workspace.dim != 2:
        raise ConfigError(
            "vehicle", [f"the simulated vehicle moves in a plane; the field has {workspace.dim} dimensions."]
        )
    settings = settings.model_copy(
        update={
            "workspace": Corners(lower=list(workspace.lower), upper=list(workspace.upper)),
            "vehicle": vehicle.model_copy(update={"name": name, "spacing": spacing}),
            "scoring": _with_grids_for(workspace.dim, settings.scoring),
        }
    )
    if strategy.name == "lawnmower" and strategy.num_lines is None:
        lines = _affordable_lines(settings, workspace, spacing)
        settings = settings.model_copy(update={"strategy": strategy.model_copy(update={"num_lines": lines})})
    return settings


def build_mission(settings: Settings, *, wrap: Callable[[Vehicle], Vehicle] = lambda vehicle: vehicle) -> Parts:
    """All parts, made anew from resolved settings.

    Args:
        wrap: put around the vehicle, for instance a journal.
    """
    randomness = Randomness(settings.seed)
    field = build_field(settings)
    workspace = _workspace(settings, field)
    model = build_model(settings, workspace=workspace)
    mission = Mission(
        model=model,
        vehicle=wrap(build_vehicle(settings, field, workspace, randomness)),
        pilot=build_pilot(settings),
        strategy=build_strategy(settings),
        workspace=workspace,
        budget=_budget(settings),
        randomness=randomness,
        steps_per_reading=settings.training.steps_per_reading,
        pilot_steps=settings.training.pilot_steps,
    )
    return Parts(mission, model, field, Scoring(workspace, tuple(settings.scoring.grid), field))


def _workspace(settings: Settings, field: Field | None) -> Box:
    given = box(settings.workspace)
    if field is None:
        assert given is not None
        return given
    if given is None:
        return field.extent.scaled(MARGIN)
    if given.dim != field.extent.dim or not field.extent.contains(np.array([given.lower, given.upper])).all():
        raise ConfigError(
            "workspace",
            [
                f"{given.lower} to {given.upper} is not inside the field {settings.field.name}, which spans "
                f"{field.extent.lower} to {field.extent.upper}."
            ],
        )
    return given


def _budget(settings: Settings) -> Budget:
    wanted = settings.budget
    return Budget(*(math.inf if given is None else given for given in (wanted.readings, wanted.distance, wanted.time)))


def _with_grids_for(dim: int, scoring: ScoringSettings) -> ScoringSettings:
    """Grids as the paper's, 50 x 50, become lines or cubes of a like number of points in other dimensions."""

    def counts(wanted: list[int]) -> list[int]:
        return wanted if len(wanted) == dim else [round(math.prod(wanted) ** (1 / dim))] * dim

    return scoring.model_copy(update={"grid": counts(scoring.grid), "map_grid": counts(scoring.map_grid)})


def _affordable_lines(settings: Settings, workspace: Box, spacing: float) -> int:
    """As many lines as the budget allows after the pilot survey."""
    budget = _budget(settings)
    distance = min(budget.distance, budget.readings * spacing, budget.time * settings.vehicle.speed)
    return Lawnmower.for_distance(distance - settings.pilot.readings * spacing, workspace).num_lines
