"""The checks before the start: for a person who only wants to know, and for a survey that is about to begin."""

from collections.abc import Callable
from pathlib import Path
from typing import get_args

from akrig.config import Settings
from akrig.config.survey import AcceptableDanger
from akrig.errors import Interrupted, UnsafeStart
from akrig.survey.build import build_boat
from akrig.survey.link import MavlinkVehicle, Recorders
from akrig.survey.link.alarms import Level
from akrig.survey.preflight import Finding, examine
from akrig.survey.preflight.questions import gather_facts
from akrig.survey.settings import area_of

SECONDS_FOR_STATIONS = 2.5  # on this computer's clock: every ground station says once a second that it is there


def check_survey(settings: Settings, path: Path, *, tell: Callable[[Level, str], None]) -> list[Finding]:
    """Meets the boat, asks, and leaves; neither the boat nor the disk is changed.

    Args:
        path: where the run folder will be.
        tell: what akrig waits for.
    """
    assert settings.survey is not None
    recorders = Recorders(notice=lambda level, message, time, unix: tell(level, message))
    boat = build_boat(settings, area_of(settings.survey), recorders=recorders, begin=0.0)
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
