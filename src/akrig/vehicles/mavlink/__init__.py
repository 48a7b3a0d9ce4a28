"""A boat on MAVLink: the only place that knows pymavlink, beside the simulated boat."""

from akrig.vehicles.mavlink.alarms import Ending, Limits
from akrig.vehicles.mavlink.manner import Keepers, Manner
from akrig.vehicles.mavlink.orders import Order
from akrig.vehicles.mavlink.soundings import Mounting, Plausible, Sounding
from akrig.vehicles.mavlink.vehicle import MavlinkVehicle
from akrig.vehicles.mavlink.waterlevel import WaterLevel, read_water_level

__all__ = [
    "Ending",
    "Keepers",
    "Limits",
    "Manner",
    "MavlinkVehicle",
    "Mounting",
    "Order",
    "Plausible",
    "Sounding",
    "WaterLevel",
    "read_water_level",
]
