"""The checks before the start: for a person who only wants to know, and for a survey that is about to begin."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from akrig.config import Settings
from akrig.config.survey import AcceptableDanger
from akrig.errors import Interrupted, UnsafeStart
from akrig.survey.build import build_boat
from akrig.survey.link import MavlinkVehicle, Recorders, WaterLevel
from akrig.survey.link.alarms import Level
from akrig.survey.link.waterlevel import UnusableWaterLevel
from akrig.survey.preflight import Finding, examine
from akrig.survey.preflight.facts import PARAMETERS, Facts
from akrig.survey.settings import area_of

# On this computer's clock: a simulated boat's seconds may be too short for a busy one.
SECONDS_FOR_A_POSITION = 10.0
SECONDS_FOR_A_SOUNDING = 5.0
SECONDS_FOR_STATIONS = 2.5  # every ground station says once a second that it is there
LONGEST = 12 * 3600.0  # seconds that a survey without a time budget may last, for what must be known beforehand


def check_survey(settings: Settings, path: Path, *, tell: Callable[[Level, str], None]) -> list[Finding]:
    """Meets the boat, asks, and leaves; neither the boat nor the disk is changed.

    Args:
        path: where the run folder will be.
        tell: what akrig waits for.
    """
    recorders = Recorders(notice=lambda level, message, time, unix: tell(level, message))
    boat = build_boat(settings, area_of(settings.surveyed), recorders=recorders, begin=0.0)
    try:
        boat.meet()
        tell("info", "The boat is heard; akrig asks it, and changes nothing ...")
        boat.link.wait(lambda: False, SECONDS_FOR_STATIONS * boat.link.speedup)
        return examine(gather_facts(boat, settings, path))
    finally:
        boat.close()


def check_start(boat: MavlinkVehicle, settings: Settings, path: Path) -> None:
    """What a person should know before the boat moves is told; raises `UnsafeStart` for what must not be."""
    findings = examine(gather_facts(boat, settings, path))
    if boat.link.is_interrupted:
        raise Interrupted("The checks before the start were broken off.")
    for finding in findings:
        if finding.standing == "warning":
            boat.tell("warning", one_line(finding))
    dangers = [finding for finding in findings if finding.standing == "danger"]
    if dangers:
        raise UnsafeStart(_refusal(dangers))


def _refusal(dangers: list[Finding]) -> str:
    listed = "\n".join(f"  - {one_line(danger)}" for danger in dangers)
    names = ", ".join(f'"{danger.name}"' for danger in dangers)
    can_be_taken_on = all(danger.name in get_args(AcceptableDanger) for danger in dangers)
    return (
        f"The survey does not start, because it would be dangerous:\n{listed}\nThe boat was not touched. Put it right "
        "(`akrig survey MISSION --check` shows all)"
        + (f", or, if you know better, set safety.accept = [{names}]." if can_be_taken_on else ".")
    )


def one_line(finding: Finding) -> str:
    """For a journal, and for one line of a terminal."""
    typed = " ".join(f"({line})" for line in finding.remedy[:1])
    return f"{finding.title}: {finding.sentence} {typed}".rstrip()


def gather_facts(boat: MavlinkVehicle, settings: Settings, path: Path) -> Facts:
    """From a boat that was met, a mission and a disk; nothing is changed on any of them.

    Args:
        path: of the run folder, which need not be there.
    """
    survey, state, inspector = settings.surveyed, boat.boat_state, boat.inspector
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
