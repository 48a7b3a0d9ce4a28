"""A simulated boat that speaks MAVLink like an ArduPilot Rover."""

from akrig.boat.beds import load_bed
from akrig.boat.faults import Fault, ScheduledFault, parse_fault, parse_schedule
from akrig.boat.server import serve
from akrig.boat.settings import BoatSettings
from akrig.boat.world import STEP, Boat

__all__ = [
    "STEP",
    "Boat",
    "BoatSettings",
    "Fault",
    "ScheduledFault",
    "load_bed",
    "parse_fault",
    "parse_schedule",
    "serve",
]
