"""What is known of a boat, its mission and this computer before a survey starts, and what a check finds in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from shapely import Polygon

from akrig.config.survey import SurveySettings
from akrig.survey.area import Area
from akrig.survey.link import Sounding

Standing = Literal["good", "note", "warning", "danger"]
# What the checks ask a boat for; of several names for one thing, one is enough.
PARAMETERS: tuple[tuple[str, ...], ...] = (
    *((name,) for name in ("FRAME_CLASS", "FS_GCS_ENABLE", "FS_ACTION", "FS_TIMEOUT", "FS_GCS_TIMEOUT")),
    ("MAV_GCS_SYSID", "SYSID_MYGCS"),  # since 4.7, and before
    ("ARMING_SKIPCHK", "ARMING_CHECK"),  # since 4.7, and before
    *((name,) for name in ("FENCE_ENABLE", "FENCE_ACTION", "FENCE_MARGIN")),
    *((name,) for name in ("FENCE_TYPE", "FENCE_RADIUS", "FENCE_TOTAL")),
    *((name,) for name in ("AVOID_ENABLE", "BATT_MONITOR", "BATT_LOW_VOLT", "BATT_FS_LOW_ACT")),
    *((name,) for name in ("WP_RADIUS", "WP_SPEED", "RNGFND1_TYPE", "RNGFND1_ORIENT")),
    ("RNGFND1_MAX", "RNGFND1_MAX_CM"),  # since 4.6, and before
)


@dataclass(frozen=True)
class Facts:
    """Metres, seconds, shares and volts; `None` is not known.

    Args:
        speed: metres per second that the survey goes at.
        vehicle: what it says it is, such as "surface boat".
        version: of the firmware.
        objections: what the boat has against being armed, in its own words.
        place: local metres.
        gps_trouble: why the position cannot be trusted.
        sounding: the last one, accepted if one was.
        low_voltage: below which akrig brings the boat home.
        stations: ids of other ground stations on the line.
        level_trouble: what is wrong with the water level's file.
        room: bytes on the disk of the run folder.
    """

    survey: SurveySettings
    area: Area
    speed: float
    is_ardupilot: bool = True
    vehicle: str | None = None
    version: tuple[int, int, int] | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    mode: str = ""
    armed: bool = False
    can_be_armed: bool | None = None
    objections: tuple[str, ...] = ()
    place: tuple[float, float] | None = None
    gps_trouble: str | None = None
    hdop: float | None = None
    satellites: int | None = None
    sounding: Sounding | None = None
    battery: float | None = None
    voltage: float | None = None
    low_voltage: float | None = None
    stations: tuple[int, ...] = ()
    level_trouble: str | None = None
    room: int | None = None

    @property
    def station(self) -> int:
        """Akrig's own id on the line."""
        return self.survey.link.id

    @property
    def rangefinder(self) -> int | None:
        """RNGFND1_TYPE, if the sonar may be on the autopilot."""
        kind = self.parameters.get("RNGFND1_TYPE")
        return None if kind is None or self.survey.depth.source.startswith("nmea:") else int(kind)

    @property
    def knows_loiter(self) -> bool:
        """Rover 4.7, which has this parameter, can keep its place in a failsafe; told so, older ones do nothing."""
        return "MAV_GCS_SYSID" in self.parameters or (self.version is not None and self.version >= (4, 7, 0))

    @property
    def firmware(self) -> str:
        return "its firmware" if self.version is None else "Rover " + ".".join(map(str, self.version))

    @property
    def has_straight_ways(self) -> bool:
        """From everywhere in the water to everywhere: then a boat that goes straight home stays in it."""
        if self.area.keep_outs:
            return False
        fence = Polygon(self.area.fence)
        return bool(np.isclose(fence.convex_hull.area, fence.area, rtol=1e-3))

    def named(self, *names: str) -> tuple[str, float] | None:
        """The first of these parameters that the boat has, and its value."""
        return next(((name, self.parameters[name]) for name in names if name in self.parameters), None)


@dataclass(frozen=True)
class Finding:
    """Args:
    name: of a parameter, or of a thing; `safety.accept` takes a danger on by this name.
    standing: "note" is what is not known, or worth knowing; "danger" keeps a survey from starting.
    sentence: how it is, or what will happen.
    value: of the parameter.
    remedy: what to type, a line each.
    """

    name: str
    standing: Standing
    sentence: str
    value: str = ""
    remedy: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return f"{self.name} {self.value}".rstrip()


def set_parameter(name: str, value: float) -> str:
    """The line to type at a ground station, as MAVProxy takes it."""
    return f"param set {name} {value:g}"
