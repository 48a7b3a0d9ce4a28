"""Who goes there and measures: simulated, replayed, and wrappers for any of them."""

from akrig.vehicles.replay import Replay
from akrig.vehicles.sensors import Dropouts, Outliers, PointSensor, VaryingNoise
from akrig.vehicles.simulated import SimulatedVehicle, Teleport
from akrig.vehicles.wrappers import Continued, Fenced, Journaled, Relay, TimeLimited

__all__ = [
    "Continued",
    "Dropouts",
    "Fenced",
    "Journaled",
    "Outliers",
    "PointSensor",
    "Relay",
    "Replay",
    "SimulatedVehicle",
    "Teleport",
    "TimeLimited",
    "VaryingNoise",
]
