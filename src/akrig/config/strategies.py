"""From settings to a pilot survey and a strategy."""

from akrig.config.own_parts import make_part
from akrig.config.settings import Settings
from akrig.protocols import Strategy
from akrig.strategies import BezierPilot, Lawnmower, LawnmowerPilot, MaxEntropy, Myopic, Uniform


def build_pilot(settings: Settings) -> Strategy:
    wanted = settings.pilot
    if wanted.name == "bezier":
        return BezierPilot(wanted.readings, wanted.wander)
    if wanted.name == "lawnmower":
        return LawnmowerPilot(wanted.readings, wanted.num_lines)
    return make_part("pilot", wanted.name, wanted.options, num_points=wanted.readings)


def build_strategy(settings: Settings) -> Strategy:
    """Resolved settings are needed."""
    wanted = settings.strategy
    if wanted.name == "random":
        return Uniform()
    if wanted.name == "active":
        return MaxEntropy(wanted.num_candidates)
    if wanted.name == "myopic":
        return Myopic(wanted.num_candidates)
    if wanted.name == "lawnmower":
        assert wanted.num_lines is not None
        return Lawnmower(wanted.num_lines, settings.vehicle.spacing if settings.vehicle.name == "teleport" else None)
    return make_part("strategy", wanted.name, wanted.options, num_candidates=wanted.num_candidates)
