"""What keeps the boat from being armed, in ArduPilot's words."""

from akrig.survey.boat.battery import Battery
from akrig.survey.boat.dialect import Mode
from akrig.survey.boat.navigation import Navigation
from akrig.survey.boat.parameters import Parameters
from akrig.survey.boat.sensors import Sonar

SKIP_ALL = -1  # of ARMING_SKIPCHK, which took the place of ARMING_CHECK in ArduPilot 4.7


def objections(
    parameters: Parameters, *, mode: Mode, navigation: Navigation, battery: Battery, sonar: Sonar
) -> list[str]:
    """One line each, none if it may be armed."""
    if mode is Mode.INITIALIZING:
        return ["System not initialised"]
    if not parameters["ARMING_CHECK"] or parameters["ARMING_SKIPCHK"] == SKIP_ALL:
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
    if sonar.is_silent and parameters["RNGFND1_TYPE"]:
        found.append("Rangefinder 1: No Data")
    if parameters["WP_SPEED"] <= 0:
        found.append("WP_SPEED too low")
    if not mode.allows_arming:
        found.append("Mode not armable")
    return found


def _place_objections(navigation: Navigation) -> list[str]:
    if navigation.gps is None or not navigation.gps.is_good:
        return ["GPS 1: Bad fix"]
    if navigation.origin is None:
        return ["AHRS: EKF3 waiting for GPS config data"]
    return [] if navigation.has_position else ["Need Position Estimate"]
