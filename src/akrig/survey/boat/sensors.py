"""GPS, IMU and echo sounder of the simulated boat: what they say, given what is true."""

from dataclasses import dataclass
from math import cos, exp, isfinite, sin, sqrt
from random import Random

import numpy as np

from akrig.protocols import Field
from akrig.survey.boat.dynamics import Pair
from akrig.survey.boat.settings import BoatSettings

SURE_OUTLIERS = 0.2  # share of the outliers that look like good readings
UNSURE_READINGS = 0.04  # share of the good readings that look like outliers
STALE = 0.5  # seconds after which the autopilot no longer passes a reading on
NO_FIX, FIX_3D = 1, 3  # as MAVLink counts
FIRST_FIX = 3.0  # seconds after power or sky came back
SATELLITES = 14
CLEAR_SKY_HDOP = 0.8
GYRO_STD, GYRO_BIAS_STD = 0.004, 0.004  # radians per second
ACCELERATION_STD, ACCELERATION_BIAS_STD = 0.05, 0.02  # metres per second squared
COMPASS_STD, COMPASS_BIAS_STD = 0.02, 0.01  # radians
COMPASS_INTERVAL = 0.1


@dataclass(frozen=True)
class GpsFix:
    """One report: place in metres of the local frame, velocity east and north; both mean nothing without a fix."""

    time: float
    fix_type: int
    satellites: int
    hdop: float
    position: Pair = (0.0, 0.0)
    velocity: Pair = (0.0, 0.0)

    @property
    def is_good(self) -> bool:
        return self.fix_type >= FIX_3D


class Gps:
    """Reports `rate` times a second, with white noise and an error that wanders."""

    def __init__(self, settings: BoatSettings, *, rng: Random) -> None:
        self._settings, self._rng = settings, rng
        self._interval = 1 / settings.gps_rate
        self._keep = exp(-self._interval / settings.gps_drift_seconds)
        spread = settings.gps_drift_std
        self._drift = (rng.gauss(0, spread), rng.gauss(0, spread))
        self._next = 0.0
        self._sky_since: float | None = None

    def restart(self, time: float) -> None:
        """Power came back: the first fix takes a while."""
        self._sky_since = time
        self._next = time

    def report(self, time: float, position: Pair, velocity: Pair, *, blind: bool) -> GpsFix | None:
        """`None` between two reports."""
        if time < self._next - 1e-9:
            return None
        self._next = max(self._next + self._interval, time)
        kick = self._settings.gps_drift_std * sqrt(1 - self._keep**2)
        self._drift = (
            self._keep * self._drift[0] + self._rng.gauss(0, kick),
            self._keep * self._drift[1] + self._rng.gauss(0, kick),
        )
        if blind:
            self._sky_since = None
            return GpsFix(time, NO_FIX, 0, 99.99)
        if self._sky_since is None:
            self._sky_since = time
        seen = time - self._sky_since
        if seen < FIRST_FIX:
            return GpsFix(time, NO_FIX, int(seen), 99.99)
        noise, wobble = self._settings.gps_noise_std, self._settings.gps_velocity_std
        gauss = self._rng.gauss
        return GpsFix(
            time,
            FIX_3D,
            SATELLITES,
            CLEAR_SKY_HDOP,
            (position[0] + self._drift[0] + gauss(0, noise), position[1] + self._drift[1] + gauss(0, noise)),
            (velocity[0] + gauss(0, wobble), velocity[1] + gauss(0, wobble)),
        )


@dataclass(frozen=True)
class ImuReading:
    """Turn rate (clockwise), accelerations forward and to starboard; the compass only now and then."""

    turn: float
    forward: float
    starboard: float
    compass: float | None


class Imu:
    """Gyro, accelerometers and compass; each has a bias that stays."""

    def __init__(self, *, rng: Random) -> None:
        self._rng = rng
        self._gyro_bias = rng.gauss(0, GYRO_BIAS_STD)
        self._acceleration_bias = (rng.gauss(0, ACCELERATION_BIAS_STD), rng.gauss(0, ACCELERATION_BIAS_STD))
        self._compass_bias = rng.gauss(0, COMPASS_BIAS_STD)
        self._next_compass = 0.0

    def read(self, time: float, *, heading: float, turn: float, acceleration: Pair) -> ImuReading:
        """`acceleration` is over ground, east and north."""
        c, s = cos(heading), sin(heading)
        gauss = self._rng.gauss
        compass = None
        if time >= self._next_compass - 1e-9:
            self._next_compass = time + COMPASS_INTERVAL
            compass = heading + self._compass_bias + gauss(0, COMPASS_STD)
        return ImuReading(
            turn + self._gyro_bias + gauss(0, GYRO_STD),
            acceleration[0] * s + acceleration[1] * c + self._acceleration_bias[0] + gauss(0, ACCELERATION_STD),
            acceleration[0] * c - acceleration[1] * s + self._acceleration_bias[1] + gauss(0, ACCELERATION_STD),
            compass,
        )


@dataclass(frozen=True)
class SonarReading:
    """One reading: metres, and the sonar's confidence, 1 to 100."""

    time: float
    distance: float
    confidence: int
    in_range: bool


class Sonar:
    """Pings `rate` times a second.

    Attributes:
        last: the latest echo, `None` when the latest ping brought none.
        is_silent: whether it says nothing at all.
    """

    def __init__(self, settings: BoatSettings, bed: Field, *, rng: Random) -> None:
        self._settings, self._bed, self._rng = settings, bed, rng
        self._next = 0.0
        self.last: SonarReading | None = None
        self.is_silent = False

    def step(self, time: float, position: Pair, *, silent: bool) -> None:
        self.is_silent = silent
        if time >= self._next - 1e-9:
            self._next = max(self._next + 1 / self._settings.sonar_rate, time)
            self.last = None if silent else self._ping(time, position)

    def current(self, time: float) -> SonarReading | None:
        return self.last if self.last is not None and time - self.last.time < STALE else None

    def _ping(self, time: float, position: Pair) -> SonarReading | None:
        settings, rng = self._settings, self._rng
        # Always the same draws per ping, so that one rate does not change the fate of another.
        lost, off, luck, sure, unsure = (rng.random() for _ in range(5))
        noise, jump = rng.gauss(0, 1), rng.gauss(0, 1)
        depth = float(self._bed(np.array([position]))[0])
        if not isfinite(depth) or depth <= 0 or lost < settings.sonar_dropout_rate:
            return None
        distance = depth + settings.sonar_noise_std * noise
        is_off = off < settings.sonar_outlier_rate
        if is_off:
            distance = abs(distance + settings.sonar_outlier_std * jump)
        looks_good = luck < SURE_OUTLIERS if is_off else luck >= UNSURE_READINGS
        confidence = round(80 + 20 * sure) if looks_good else round(5 + 40 * unsure)
        if not settings.sonar_min <= distance <= settings.sonar_max:
            edge = min(max(distance, settings.sonar_min), settings.sonar_max)
            return SonarReading(time, edge, 1, in_range=False)
        return SonarReading(time, distance, confidence, in_range=True)
