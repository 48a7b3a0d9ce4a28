"""From settings to a pilot survey and a strategy."""

from akrig.config.own_parts import make_part
from akrig.config.settings import Settings
from akrig.protocols import Strategy


def build_pilot(settings: Settings) -> Strategy:
    return make_part("pilot", settings.pilot, num_points=settings.pilot.readings)


def build_strategy(settings: Settings) -> Strategy:
    """Resolved settings are needed."""
    strategy, vehicle = settings.strategy, settings.vehicle
    spacing = vehicle.spacing if vehicle.part.reads == "at waypoints" else None
    return make_part("strategy", strategy, num_candidates=strategy.num_candidates, spacing=spacing)
