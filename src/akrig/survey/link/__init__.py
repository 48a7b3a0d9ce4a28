"""A boat on MAVLink: the only place that knows pymavlink, beside the simulated boat."""

from akrig.survey.link.alarms import Ending
from akrig.survey.link.orders import Order
from akrig.survey.link.readings import Recorders
from akrig.survey.link.soundings import Sounding
from akrig.survey.link.vehicle import MavlinkVehicle
from akrig.survey.link.waterlevel import WaterLevel, read_water_level

__all__ = [
    "Ending",
    "MavlinkVehicle",
    "Order",
    "Recorders",
    "Sounding",
    "WaterLevel",
    "read_water_level",
]
