"""A boat on MAVLink: the only place that knows pymavlink, beside the simulated boat."""

from akrig.survey.link.alarms import Ending, SafetyLimits
from akrig.survey.link.driving import DrivingSettings, Recorders
from akrig.survey.link.orders import Order
from akrig.survey.link.soundings import Mounting, Plausible, Sounding
from akrig.survey.link.vehicle import MavlinkVehicle
from akrig.survey.link.waterlevel import WaterLevel, read_water_level

__all__ = [
    "DrivingSettings",
    "Ending",
    "MavlinkVehicle",
    "Mounting",
    "Order",
    "Plausible",
    "Recorders",
    "SafetyLimits",
    "Sounding",
    "WaterLevel",
    "read_water_level",
]
