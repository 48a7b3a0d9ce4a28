"""From settings to a mission with a boat."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from akrig.config import Parts, Settings
from akrig.config.build import build_model, build_scoring
from akrig.config.vehicles import box, build_strategy
from akrig.mission import Mission
from akrig.protocols import Field, Strategy, Vehicle
from akrig.randomness import Randomness
from akrig.survey.area import Area
from akrig.survey.fallback import CautiousModel, WithFallback, Worker
from akrig.survey.goal import goal_of
from akrig.survey.link import (
    MavlinkVehicle,
    Recorders,
    read_water_level,
)
from akrig.survey.link.turning import TurningCircle, turning_room
from akrig.survey.reserve import Affordable, WayHome, turning_room_in
from akrig.survey.start import RestOfPlan
from akrig.survey.strategies import AreaLawnmower, AreaPilot, Routed
from akrig.survey.ways import AreaWays
from akrig.types import Points

FALLBACK_DISTANCE = 4000.0  # metres that the fallback's lines are laid out for when the budget has no distance


@dataclass(frozen=True)
class Planning:
    """The survey's mission, and what decides whether it goes on."""

    parts: Parts
    affordable: Affordable
    worker: Worker
    interrupted: RestOfPlan
    model: CautiousModel


def build_boat(
    settings: Settings, area: Area, *, recorders: Recorders, begin: float = 0.0, last_id: int = 0
) -> MavlinkVehicle:
    """Nothing is opened yet."""
    water_level = settings.surveyed.depth.water_level
    return MavlinkVehicle(
        area,
        settings.surveyed,
        speed=settings.vehicle.speed,
        level=None if water_level is None else read_water_level(Path(water_level)),
        recorders=recorders,
        begin=begin,
        last_id=last_id,
    )


def build_planning(
    settings: Settings,
    area: Area,
    home: tuple[float, float],
    *,
    vehicle: Vehicle,
    truth: Field | None,
    tell: Callable[[str], None],
    unfinished: Points | None = None,
    turning: TurningCircle | None = None,
) -> Planning:
    """The mission about a vehicle that is there already.

    Args:
        turning: the boat's, as it is seen to be meanwhile; that of the settings if there is no boat.
        unfinished: waypoints of a plan that was interrupted; they come first.
    """
    safety, workspace = settings.surveyed.safety, box(settings.workspace)
    assert workspace is not None
    room, circle = turning_room_in(area, safety), turning or TurningCircle(safety.turning_radius)
    model = build_model(settings, workspace=workspace)
    worker = Worker(safety.planner)
    cautious = CautiousModel(model, worker, tell=tell)
    way_home = WayHome(area, home, safety.margin, safety.reserve, settings.vehicle.speed)
    strategy = WithFallback(
        _strategy(settings, area, home), _fallback(settings, area, home), cautious, worker, tell=tell
    )
    interrupted = RestOfPlan(strategy, area, safety.margin, unfinished)
    affordable = Affordable(interrupted, way_home)
    pilot = AreaPilot(area, settings.pilot.num_lines, safety.margin, room=room)
    mission = Mission(
        model=cautious,
        vehicle=vehicle,
        pilot=pilot if settings.pilot.part.goes_first else affordable,
        strategy=affordable,
        workspace=workspace,
        budget=settings.budget.budget,
        randomness=Randomness(settings.seed),
        steps_per_reading=settings.training.steps_per_reading,
        pilot_steps=settings.training.pilot_steps,
        is_open=lambda X: area.reachable(X, home, margin=turning_room(safety.margin, circle.radius)),
        reserve=way_home.needs,
    )
    scoring = build_scoring(settings, workspace, field=truth, inside=area.allows)
    return Planning(Parts(mission, model, truth, scoring), affordable, worker, interrupted, cautious)


def _strategy(settings: Settings, area: Area, home: tuple[float, float]) -> Strategy:
    safety, lines = settings.surveyed.safety, settings.strategy.num_lines
    if not settings.strategy.part.has_lines:
        known = {"ways": area_ways(settings, area, home), "goal": goal_of(settings.surveyed)}
        return Routed(build_strategy(settings, **known), area, safety.margin)
    if not lines:
        return _fallback(settings, area, area.home)
    return AreaLawnmower(area, lines, margin=safety.margin, room=turning_room_in(area, safety))


def area_ways(settings: Settings, area: Area, home: tuple[float, float]) -> AreaWays:
    safety = settings.surveyed.safety
    return AreaWays(area, home, safety.margin, turning_room_in(area, safety), safety.reserve)


def _fallback(settings: Settings, area: Area, home: tuple[float, float] | None) -> AreaLawnmower:
    budget, safety = settings.budget.budget, settings.surveyed.safety
    metres = min(budget.distance, budget.time * settings.vehicle.speed)
    metres = metres if np.isfinite(metres) else FALLBACK_DISTANCE
    return AreaLawnmower.for_distance(
        metres, area, margin=safety.margin, room=turning_room_in(area, safety), begin=home, home=home
    )


class DepthInArea:
    """A lake bed as the truth of an area: nothing is known outside it."""

    def __init__(self, bed: Field, area: Area) -> None:
        self._bed, self._area, self.extent = bed, area, bed.extent
        self.units, self.quantity = "m", "depth"

    def __call__(self, X: Points) -> np.ndarray:
        return np.where(self._area.allows(X), self._bed(X), np.nan)
