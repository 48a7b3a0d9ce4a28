"""From a boat that was met, a mission and a disk to facts; nothing is changed on any of them."""

import shutil
from pathlib import Path

from akrig.config import Settings
from akrig.survey.link import MavlinkVehicle, WaterLevel
from akrig.survey.link.waterlevel import UnusableWaterLevel
from akrig.survey.preflight.facts import PARAMETERS, Facts
from akrig.survey.settings import area_of

# On this computer's clock: a simulated boat's seconds may be too short for a busy one.
SECONDS_FOR_A_POSITION = 10.0
SECONDS_FOR_A_SOUNDING = 5.0
LONGEST = 12 * 3600.0  # seconds that a survey without a time budget may last, for what must be known beforehand


def gather_facts(boat: MavlinkVehicle, settings: Settings, path: Path) -> Facts:
    """Args:
    path: of the run folder, which need not be there.
    """
    survey, state, inspector = settings.survey, boat.boat_state, boat.inspector
    assert survey is not None
    parameters = inspector.parameters(PARAMETERS)
    if "MAV_GCS_SYSID" in parameters:  # since 4.8 it may be the first of several
        parameters |= inspector.parameters([("MAV_GCS_SYSID_HI",)])
    version, health = inspector.ask_version(), state.health
    objections = () if health.armed or inspector.can_be_armed else inspector.run_arming_check()
    track, speedup = state.track, boat.link.speedup
    boat.link.wait(lambda: track.latest is not None and track.latest.trusted, SECONDS_FOR_A_POSITION * speedup)
    boat.link.wait(lambda: boat.sounding is not None and boat.sounding.reason is None, SECONDS_FOR_A_SOUNDING * speedup)
    latest = track.latest
    return Facts(
        survey=survey,
        area=area_of(survey),
        speed=settings.vehicle.speed,
        is_ardupilot=state.modes is None or state.modes.is_ardupilot,
        vehicle=inspector.vehicle,
        version=version,
        parameters=parameters,
        mode=health.mode,
        armed=health.armed,
        can_be_armed=inspector.can_be_armed,
        objections=objections,
        place=(latest.position[0], latest.position[1]) if latest is not None and latest.trusted else None,
        gps_trouble=state.gps_trouble,
        hdop=health.hdop,
        satellites=health.satellites,
        sounding=boat.sounding,
        battery=health.battery,
        voltage=health.voltage,
        low_voltage=boat.guard.battery.volts,
        stations=tuple(boat.link.stations),
        level_trouble=_level_trouble(boat.level, settings, boat.now),
        room=_room(path),
    )


def check_level_covers_survey(level: WaterLevel | None, settings: Settings, now: float) -> None:
    """Raises `UnusableWaterLevel` if it does not cover all of the survey."""
    if level is not None:
        budget = settings.budget.budget
        seconds = min(budget.time, 2 * budget.distance / settings.vehicle.speed, LONGEST)
        level.check_covers(now, now + seconds)


def _level_trouble(level: WaterLevel | None, settings: Settings, now: float) -> str | None:
    try:
        check_level_covers_survey(level, settings, now)
    except UnusableWaterLevel as error:
        return str(error)
    return None


def _room(path: Path) -> int | None:
    """Bytes that are free on the disk where a path is, or will be."""
    existing = next((folder for folder in (path, *path.resolve().parents) if folder.is_dir()), None)
    return None if existing is None else shutil.disk_usage(existing).free
