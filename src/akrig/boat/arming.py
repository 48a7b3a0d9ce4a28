"""What keeps the boat from being armed, in ArduPilot's words."""

from akrig.boat.battery import Battery
from akrig.boat.modes import Mode
from akrig.boat.navigation import Navigation
from akrig.boat.parameters import Parameters


def objections(parameters: Parameters, *, mode: Mode, navigation: Navigation, battery: Battery) -> list[str]:
    """One line each, none if it may be armed."""
    if mode is Mode.INITIALISING:
        return ["System not initialised"]
    if not parameters["ARMING_CHECK"]:
        return []
    found = []
    if not navigation.has_attitude:
        found.append("Gyros not calibrated")
    if parameters["ARMING_NEED_LOC"] or mode.needs_position:
        found += _place_objections(navigation)
    if battery.voltage < parameters["BATT_LOW_VOLT"]:
        found.append("Battery 1 low voltage failsafe")
    elif battery.voltage < parameters["BATT_ARM_VOLT"]:
        found.append("Battery 1 below minimum arming voltage")
    if parameters["WP_SPEED"] <= 0:
        found.append("WP_SPEED too low")
    return found


def _place_objections(navigation: Navigation) -> list[str]:
    if navigation.gps is None or not navigation.gps.is_good:
        return ["GPS 1: Bad fix"]
    if navigation.origin is None:
        return ["AHRS: EKF3 waiting for GPS config data"]
    return [] if navigation.has_position else ["Need Position Estimate"]
