"""Every choice that settings leave open, made; and what depends on the field, checked against it."""

import math
from pathlib import Path

import numpy as np

from akrig.config.own_parts import check_own_parts
from akrig.config.section import Corners
from akrig.config.settings import FieldSettings, ModelSettings, ScoringSettings, Settings
from akrig.config.vehicles import box, build_field, build_pilot
from akrig.errors import ConfigError
from akrig.files import whole_path
from akrig.geometry import Box, way_length
from akrig.mission import NOTHING
from akrig.protocols import Field
from akrig.randomness import Randomness
from akrig.strategies import Lawnmower
from akrig.strategies.pilot import foreseen
from akrig.types import Budget, Points

READINGS_PER_SIDE = 20  # of the workspace's shorter side, as in the paper
MARGIN = 10 / 11  # the paper's workspace in its field: room to turn
MOST_LINES = 10_000  # of a lawnmower that may go on as long as it likes


def resolve(settings: Settings) -> Settings:
    """Settings that need nothing more than themselves to be repeated, on this machine."""
    check_own_parts(settings.model_dump())
    field = build_field(settings)
    workspace = _workspace(settings, field)
    strategy = settings.strategy
    vehicle = settings.vehicle.model_copy(
        update={
            "name": settings.vehicle.name or strategy.part.vehicle,
            "spacing": (spacing := settings.vehicle.spacing or min(workspace.size) / READINGS_PER_SIDE),
        }
    )
    for wanted, part in (("vehicle", vehicle.part), ("strategy", strategy.part)):
        if part.needs_plane and workspace.dim != 2:
            raise ConfigError(wanted, [f"{part.name} needs a plane; the field has {workspace.dim} dimensions."])
    if vehicle.part.swing and field is not None:
        _check_room(workspace, field.extent, vehicle.part.swing * spacing)
    settings = settings.model_copy(
        update={
            "field": _with_whole_path(settings.field),
            "model": with_whole_map(settings.model, Path()),
            "workspace": Corners(lower=list(workspace.lower), upper=list(workspace.upper)),
            "vehicle": vehicle,
            "scoring": _with_grids_for(workspace.dim, settings.scoring),
        }
    )
    pilot = _pilot_needs(settings, workspace)
    _check_budget(settings.budget.budget, pilot)
    if strategy.part.has_lines and strategy.num_lines is None:
        lines = _affordable_lines(settings, workspace, pilot)
        settings = settings.model_copy(update={"strategy": strategy.model_copy(update={"num_lines": lines})})
    return settings


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


def _check_room(workspace: Box, extent: Box, needed: float) -> None:
    room = min(np.subtract(workspace.lower, extent.lower).min(), np.subtract(extent.upper, workspace.upper).min())
    if room < needed:
        raise ConfigError(
            "workspace",
            [
                f"the boat needs {needed:.4g} m between workspace and edge of the field to turn; it has {room:.4g}. "
                "Shrink the workspace, lower vehicle.spacing, or take vehicle teleport."
            ],
        )


def _with_whole_path(field: FieldSettings) -> FieldSettings:
    """A run must not depend on the folder it was started from."""
    return field.model_copy(update={"name": str(whole_path(Path(field.name)))}) if field.is_file else field


def with_whole_map(model: ModelSettings, folder: Path) -> ModelSettings:
    """Likewise; a map that is named lies in this folder."""
    if model.prior_map is None:
        return model
    return model.model_copy(update={"prior_map": str(whole_path(folder / model.prior_map))})


def _with_grids_for(dim: int, scoring: ScoringSettings) -> ScoringSettings:
    """The standard grids become lines or cubes of a like number of points in other dimensions; others must fit."""
    standard = ScoringSettings()

    def counts(name: str) -> list[int]:
        wanted = getattr(scoring, name)
        if len(wanted) == dim:
            return wanted
        if wanted != getattr(standard, name):
            raise ConfigError(f"scoring.{name}", [f"{wanted} does not fit a field of {dim} dimensions."])
        return [round(math.prod(wanted) ** (1 / dim))] * dim

    return scoring.model_copy(update={name: counts(name) for name in ("grid", "map_grid")})


def _pilot_needs(settings: Settings, workspace: Box) -> Budget:
    """Readings, metres and seconds of the pilot survey, about."""
    vehicle, reads = settings.vehicle, settings.vehicle.part.reads
    if reads == "from a log":
        return NOTHING
    assert vehicle.spacing is not None
    waypoints = _pilot_waypoints(settings, workspace)
    rate = vehicle.speed / vehicle.spacing
    if reads == "at waypoints" or (reads == "on its way" and settings.pilot.by == "teleport"):
        return Budget(len(waypoints), way_length(waypoints), len(waypoints) / rate)
    length = way_length(np.vstack([workspace.lower, waypoints]))
    if reads != "on its way":  # the user's own: who knows when it reads
        return Budget(min(len(waypoints), math.floor(length / vehicle.spacing)), length, 0.0)
    return Budget(math.floor(length / vehicle.spacing), length, length / vehicle.speed)


def _pilot_waypoints(settings: Settings, workspace: Box) -> Points:
    budget, rng = settings.budget.budget, Randomness(settings.seed).generator("pilot")
    return foreseen(build_pilot(settings), workspace, begin=workspace.lower, budget=budget, rng=rng)


def _check_budget(budget: Budget, pilot: Budget) -> None:
    for name, have, need in (
        ("readings", budget.readings, pilot.readings),
        ("metres", budget.distance, pilot.distance),
        ("seconds", budget.time, pilot.time),
    ):
        if have < need:
            raise ConfigError(
                "budget",
                [f"{have:.6g} {name} are fewer than the {need:.6g} or so of the pilot survey; raise the budget, or "
                 "change the pilot survey (pilot.readings, pilot.by, vehicle.spacing)."],
            )  # fmt: skip


def _affordable_lines(settings: Settings, workspace: Box, pilot: Budget) -> int:
    """As many lines as the budget allows after the pilot survey and the way to the first line."""
    left, vehicle = settings.budget.budget.minus(pilot), settings.vehicle
    assert vehicle.spacing is not None
    way = math.dist(_pilot_waypoints(settings, workspace)[-1], workspace.lower)
    stop = vehicle.part.readings_per_stop * vehicle.spacing
    metres = min(left.readings * vehicle.spacing, left.time * vehicle.speed)  # at full speed
    lines = min(
        Lawnmower.for_distance(left.distance - way, workspace).num_lines if left.distance < math.inf else math.inf,
        Lawnmower.for_distance(metres - way, workspace, stop=stop).num_lines if metres < math.inf else math.inf,
    )
    return int(min(lines, MOST_LINES))
