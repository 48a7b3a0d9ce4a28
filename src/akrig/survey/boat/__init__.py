"""A simulated boat that speaks MAVLink like an ArduPilot Rover."""

from akrig.survey.boat.beds import load_bed
from akrig.survey.boat.faults import Fault, parse_fault, parse_schedule
from akrig.survey.boat.server import serve
from akrig.survey.boat.settings import BoatSettings
from akrig.survey.boat.world import STEP, Boat

__all__ = [
    "STEP",
    "Boat",
    "BoatSettings",
    "Fault",
    "load_bed",
    "parse_fault",
    "parse_schedule",
    "serve",
]
