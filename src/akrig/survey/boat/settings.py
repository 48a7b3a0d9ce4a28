"""All numbers of a simulated boat, with sensible defaults."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from akrig.survey.boat.dynamics import HULLS

_POSITIVE = ("speedup", "max_speed", "sonar_rate", "gps_rate", "gps_drift_seconds", "gust_seconds", "battery_capacity")
_NOT_NEGATIVE = (
    "wind_speed", "gusts", "current_speed", "gps_noise_std", "gps_drift_std", "gps_velocity_std", "sonar_noise_std",
    "sonar_outlier_std", "sonar_min", "reboot_seconds", "hotel_power", "seed",
)  # fmt: skip
_SHARES = ("sonar_outlier_rate", "sonar_dropout_rate", "battery_start")


@dataclass(frozen=True)
class BoatSettings:
    """What is fixed when a simulated boat is launched.

    Args:
        home: longitude and latitude in degrees where the boat lies at the start; the frame's origin if not given.
        heading: radians clockwise from north, at the start.
        seed: of all random numbers on board and in the weather.
        speedup: boat seconds per second of the clock on the wall.
        start_time_unix: of the boat's clock, at the start.
        wind_speed, wind_towards: metres per second, and where it blows to, radians clockwise from north.
        gusts: standard deviation of the wind along each axis, which wanders over `gust_seconds`.
        current_speed, current_towards: of the water.
        hull: "thrusters" (two) or "rudder" (one propeller).
        max_speed: through the water at full power.
        gps_noise_std, gps_drift_std: metres along each axis; the drift wanders over `gps_drift_seconds`.
        gps_velocity_std: metres per second along each axis.
        sonar_outlier_rate, sonar_outlier_std: the share of readings that are off, and by how many metres.
        sonar_dropout_rate: the share of pings without an echo.
        sonar_min, sonar_max: metres the sonar can measure.
        battery_capacity: ampere hours.
        battery_start: the share it holds at the start.
        hotel_power: watts, with the thrusters off.
        reboot_seconds: how long a reboot keeps the autopilot silent.
        parameters: of the autopilot, where they differ from `akrig.survey.boat.parameters`.
    """

    home: tuple[float, float] | None = None
    heading: float = 0.0
    seed: int = 0
    speedup: float = 1.0
    start_time_unix: float = 1_780_000_000.0
    wind_speed: float = 0.0
    wind_towards: float = 0.0
    gusts: float = 0.0
    gust_seconds: float = 8.0
    current_speed: float = 0.0
    current_towards: float = 0.0
    hull: str = "thrusters"
    max_speed: float = 2.0
    gps_rate: float = 5.0
    gps_noise_std: float = 0.1
    gps_drift_std: float = 0.3
    gps_drift_seconds: float = 60.0
    gps_velocity_std: float = 0.05
    sonar_rate: float = 5.0
    sonar_noise_std: float = 0.03
    sonar_outlier_rate: float = 0.01
    sonar_outlier_std: float = 3.0
    sonar_dropout_rate: float = 0.01
    sonar_min: float = 0.3
    sonar_max: float = 100.0
    battery_capacity: float = 30.0
    battery_start: float = 1.0
    hotel_power: float = 12.0
    reboot_seconds: float = 3.0
    parameters: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.hull not in HULLS:
            raise ValueError(f"A boat's hull is one of: {', '.join(HULLS)}; got {self.hull!r}.")
        for name in _POSITIVE:
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"BoatSettings need a positive {name}; got {getattr(self, name)}.")
        for name in _NOT_NEGATIVE:
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"BoatSettings need a {name} that is not negative; got {getattr(self, name)}.")
        for name in _SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"BoatSettings need a {name} between 0 and 1; got {getattr(self, name)}.")
        if not self.sonar_min < self.sonar_max < math.inf:
            raise ValueError(f"The sonar needs min < max metres; got {self.sonar_min} and {self.sonar_max}.")
        if self.home is not None and not (-180 <= self.home[0] <= 180 and -90 <= self.home[1] <= 90):
            raise ValueError(f"The boat's home is a longitude and a latitude in degrees; got {self.home}.")
