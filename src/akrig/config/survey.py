"""Settings of a survey with a boat: where, over which link, how depths are read, and what is safe."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from akrig.config.section import Count, NotNegative, Number, Positive, Section, Share
from akrig.s44 import BY_NAME, ENOUGH_OF_IT, SharedError, SurveyOrder

Degrees = Annotated[list[Number], Field(min_length=2, max_length=2)]  # longitude, latitude
AcceptableDanger = Literal["FS_GCS_ENABLE", "FS_ACTION", "MAV_GCS_SYSID", "SYSID_MYGCS", "battery"]
SOURCES = ("auto", "DISTANCE_SENSOR", "RANGEFINDER", "WATER_DEPTH")


class AreaSettings(Section):
    """Degrees, longitude first; `file` is read once, and what it holds is kept here."""

    file: str | None = None
    name: str = ""
    fence: list[Degrees] = []
    keep_outs: list[list[Degrees]] = []
    home: Degrees | None = None


class TargetSettings(Section):
    """Stop when the map is good enough; if both are given, by both."""

    uncertainty: Positive | None = None  # metres: the map's mean standard deviation is at most this
    order: Literal["exclusive", "special", "1a", "1b", "2"] | None = None  # of IHO S-44: its vertical uncertainty ...
    share: Annotated[float, Field(gt=0, le=1)] | None = None  # ... is met on this share of the area; 0.9

    @property
    def survey_order(self) -> SurveyOrder | None:
        return None if self.order is None else BY_NAME[self.order]

    @property
    def is_set(self) -> bool:
        return self.uncertainty is not None or self.order is not None

    @property
    def order_share(self) -> float:
        return ENOUGH_OF_IT if self.share is None else self.share

    @model_validator(mode="after")
    def _share_is_of_an_order(self) -> "TargetSettings":
        if self.order is None and self.share is not None:
            raise ValueError(f'share ({self.share}) is of the area that meets an order; give one, as in order = "1b"')
        return self


class LinkSettings(Section):
    address: str = "udpin:127.0.0.1:14550"  # udpin, udpout, tcp, tcpin:HOST:PORT, or serial:DEVICE:BAUD
    id: Annotated[int, Field(ge=1, le=255)] = 255  # akrig's own MAVLink system id; the boat's MAV_GCS_SYSID
    system: Count | None = None  # the boat's MAVLink system id, if several vehicles are heard
    timeout: Positive = 5.0  # seconds without a heartbeat: the link is lost
    connect: Positive = 60.0  # seconds to wait for the first heartbeat
    ready: Positive = 180.0  # seconds to wait until the boat can be armed


class DepthSettings(Section):
    source: str = "auto"  # a MAVLink message, or "nmea:udpin:HOST:PORT", "nmea:tcp:...", "nmea:serial:DEVICE:BAUD"
    rate: Annotated[float, Field(gt=0.001, le=1000)] = 5.0  # soundings per second to ask for
    spacing: Positive = 2.0  # metres between soundings that the model is given; all are kept
    latency: Number = 0.0  # seconds between a sounding and its time stamp
    transducer: Number = 0.0  # metres of the transducer below the water line, added
    forward: Number = 0.0  # metres from the GPS antenna to the transducer
    right: Number = 0.0
    water_level: str | None = None  # a CSV of time (UTC) and level (metres above datum); depths become those below it
    shallowest: NotNegative = 0.3
    deepest: Positive = 100.0
    min_confidence: Annotated[int, Field(ge=0, le=100)] = 30  # per cent, where the sonar tells
    max_jump: Positive = 2.0  # metres from the median of the last soundings
    max_hdop: Positive = 3.0
    shared_error: NotNegative = 0.0  # metres, one standard deviation that all soundings share: water level, draught
    shared_error_share: Share = 0.0  # of the depth, added to it: speed of sound

    @property
    def shared(self) -> SharedError:
        return SharedError(self.shared_error, self.shared_error_share)

    @model_validator(mode="after")
    def _sensible(self) -> "DepthSettings":
        if self.source not in SOURCES and not self.source.startswith("nmea:"):
            raise ValueError(f"source: {self.source!r} is none of {', '.join(SOURCES)} or 'nmea:ADDRESS'")
        if self.shallowest >= self.deepest:
            raise ValueError(f"shallowest ({self.shallowest}) must lie above deepest ({self.deepest})")
        return self


class SafetySettings(Section):
    margin: NotNegative = 5.0  # metres that plans keep from the fence and keep-outs
    goal_radius: Positive = 2.0  # metres: a waypoint is reached
    turning_radius: Positive = 2.0  # metres that the boat needs ahead of it to turn round
    battery: Share = 0.2  # below this share, come home
    volts: Positive | None = None  # below this voltage, too; the boat's own BATT_LOW_VOLT if not given
    on_breach: Literal["hold", "return"] = "hold"
    planner: Positive = 30.0  # seconds for planning and learning, before the survey goes on with a lawnmower
    stuck: Positive = 60.0  # seconds without coming nearer to the waypoint
    silence: Positive = 60.0  # seconds without a sounding; five times as long if they come but all are refused
    patience: Positive = 600.0  # seconds to wait for a pilot, a lost link, or the operator
    reserve: Annotated[float, Field(ge=1)] = 1.2  # times the way home that must be left
    accept: list[AcceptableDanger] = []  # dangers taken on
    disarm_at_home: bool = False  # motors off on arrival: only where somebody or something holds the boat


class SimulationSettings(Section):
    """The boat that `akrig boat` and `--simulate` put on the water."""

    bed: str = "lake"  # lake, flat, a CSV of soundings, or a georeferenced raster
    speedup: Annotated[float, Field(ge=0.01, le=1000)] = 10.0  # times as fast as real time
    wind: Annotated[float, Field(ge=0, le=100)] = 2.0  # metres per second
    wind_towards_deg: Number = 60.0  # compass degrees it blows to
    hull: Literal["thrusters", "rudder"] = "thrusters"
    current: Annotated[float, Field(ge=0, le=20)] = 0.1
    current_towards_deg: Number = 200.0
    sonar_noise: Annotated[float, Field(ge=0, le=1000)] = 0.05
    outlier_rate: Share = 0.01
    dropout_rate: Share = 0.02
    battery: Share = 1.0  # charge at the beginning
    faults: list[str] = []  # such as "gps@120+30": at second 120 for 30 seconds


class ContributorSettings(Section):
    """Who gives the soundings to others (`akrig export --as csb`)."""

    name: str | None = None  # of a person or an organisation
    email: Annotated[str, Field(pattern=r"^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,6}$")] | None = None
    license: str | None = None  # of the soundings; the IHO's data centre asks for "CC0 1.0"
    vessel: str = "unnamed"
    node: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9]*$")] = "AKRIG"  # of the Trusted Node, by its own word


def _by_file(value: Any) -> Any:
    return {"file": value} if isinstance(value, str) else value


class SurveySettings(Section):
    area: Annotated[AreaSettings, BeforeValidator(_by_file)] = AreaSettings()
    target: TargetSettings = TargetSettings()
    link: LinkSettings = LinkSettings()
    depth: DepthSettings = DepthSettings()
    safety: SafetySettings = SafetySettings()
    simulation: SimulationSettings = SimulationSettings()
    contributor: ContributorSettings = ContributorSettings()
    simulated: bool = False  # by `--simulate`: the truth is known, and the boat is akrig's own
    cell: Positive | None = None  # metres, of the GeoTIFF
