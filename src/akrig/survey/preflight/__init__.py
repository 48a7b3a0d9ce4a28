"""Before the start: what is well with boat, mission and computer, what is not, and what to do about it."""

from collections.abc import Callable
from dataclasses import replace

from akrig.survey.preflight import computer, failsafe, fence, sensors, vessel
from akrig.survey.preflight.facts import PARAMETERS, Facts, Finding

# In the order a person reads them.
CHECKS: tuple[Callable[[Facts], Finding | None], ...] = (
    vessel.check_firmware,
    vessel.check_frame,
    sensors.check_position,
    sensors.check_place,
    vessel.check_arming,
    vessel.check_arming_checks,
    failsafe.check_failsafe_enabled,
    failsafe.check_failsafe_action,
    failsafe.check_timeout,
    failsafe.check_station,
    failsafe.check_stations,
    fence.check_fence_enabled,
    fence.check_circle,
    fence.check_fence_action,
    fence.check_avoidance,
    fence.check_fence_margin,
    sensors.check_battery,
    sensors.check_battery_monitor,
    sensors.check_low_voltage,
    sensors.check_battery_action,
    sensors.check_sonar,
    sensors.check_rangefinder,
    sensors.check_range,
    vessel.check_waypoint_radius,
    vessel.check_speed,
    computer.check_water_level,
    computer.check_disk,
)


def examine(facts: Facts) -> list[Finding]:
    """All that can be said, in the order of `CHECKS`; a danger that is taken on is one to be warned of."""
    found = [finding for check in CHECKS if (finding := check(facts)) is not None]
    taken_on = facts.survey.safety.accept
    return [
        replace(finding, standing="warning") if finding.standing == "danger" and finding.name in taken_on else finding
        for finding in found
    ]


__all__ = ["CHECKS", "PARAMETERS", "Facts", "Finding", "examine"]
